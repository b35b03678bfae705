"""The BGE cross-encoder as a reranker, through FlagEmbedding (extra `bge`)."""

import math
import threading
from collections.abc import Sequence
from typing import Any

from app.adapters.flag_models import fingerprint, load_failures, local_folder, silence
from graphs.errors import RerankerUnavailable
from graphs.evidence.passages import Passage
from graphs.ports import Background, Candidate, RerankQuery, Sigmoid

BATCH = 16
MAX_TOKENS = 512
"""Query and passage together; a query gets at most half of it."""
MAX_CHARACTERS = 2000
"""Of a passage with its headings: more than 512 tokens in both languages, so nothing is lost."""
UNRELATED_SHARE = 0.2
"""Calibrated score that an unrelated pair at mean + 2 deviations gets at most: the retrieval
threshold of the profiles."""
MIN_PAIRS = 200


class BgeReranker:
    """Scores pairs with a cross-encoder; raw scores are its logits.

    `model` names a model (`BAAI/bge-reranker-v2-m3`, `BAAI/bge-reranker-large`) or a local folder.
    Construction loads the model and scores one pair. Raises RerankerUnavailable.
    """

    def __init__(self, model: str, batch: int = BATCH, max_tokens: int = MAX_TOKENS) -> None:
        folder = local_folder(model, _refused)
        self._batch = batch
        self._lock = threading.Lock()
        self._model = _load(str(folder or model), batch, max_tokens)
        self._fingerprint = fingerprint("bge", model, folder, self._model.model.config)
        self._warm_up(model)

    @property
    def fingerprint(self) -> str:
        """Name and revision of the model, or the hash of a local folder."""
        return self._fingerprint

    @property
    def shipped(self) -> Sigmoid:
        """The sigmoid that the model was trained with."""
        return Sigmoid(midpoint=0.0, scale=1.0)

    def calibrate(self, background: Background) -> Sigmoid:
        """Return the model's own sigmoid, moved up where unrelated pairs score too high.

        The midpoint rises until an unrelated pair at mean + 2 deviations gets `UNRELATED_SHARE`.
        It never falls below the model's own 0: low scores of unrelated pairs are no reason to
        take weak matches for evidence.
        """
        if background.pairs < MIN_PAIRS:
            return self.shipped
        scale = self.shipped.scale
        highest = background.mean + 2 * background.deviation
        midpoint = highest + scale * math.log((1 - UNRELATED_SHARE) / UNRELATED_SHARE)
        return Sigmoid(midpoint=max(self.shipped.midpoint, midpoint), scale=scale)

    def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
        """Return one logit per candidate. Raises RerankerUnavailable if the model fails."""
        return self._score([(query.text, _text(each.passage)) for each in candidates])

    def _score(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if not pairs:
            return []  # the model fails on an empty list
        try:
            # its tokenizer is shared and not made for threads
            with self._lock:
                scores = self._model.compute_score(list(pairs))
        except (RuntimeError, ValueError, AttributeError) as error:
            # AttributeError: the library shrinks its batch at each failure, down to an empty one
            raise RerankerUnavailable(
                f"the reranking model failed on {len(pairs)} pairs; "
                "set YOUJU_RERANKER=lexical if it has too little memory"
            ) from error
        return [float(score) for score in scores]

    def _warm_up(self, model: str) -> None:
        architectures = self._model.model.config.architectures or []
        if not any(name.endswith("ForSequenceClassification") for name in architectures):
            raise _refused(f"{model!r} is no cross-encoder")
        if len(scores := self._score([("warm-up", "warm-up")])) != 1:
            raise _refused(f"{model!r} gives {len(scores)} scores a pair")


_HINT = (
    "set YOUJU_BGE_MODEL to BAAI/bge-reranker-v2-m3, BAAI/bge-reranker-large or a folder that "
    "holds such a model, or YOUJU_RERANKER=lexical"
)


def _refused(problem: str) -> RerankerUnavailable:
    return RerankerUnavailable(f"{problem}; {_HINT}")


def _load(source: str, batch: int, max_tokens: int) -> Any:
    try:
        # the optional extra: torch takes seconds to import and may not be installed
        from FlagEmbedding import FlagReranker  # noqa: PLC0415
        from FlagEmbedding.inference.reranker.encoder_only import base  # noqa: PLC0415
    except ImportError as error:
        raise RerankerUnavailable(
            "the BGE reranker is not installed; run `pip install -e '.[bge]'` or set YOUJU_RERANKER=lexical"
        ) from error
    silence(base)
    # one device: with two, the library starts a pool of processes that it never ends
    device = FlagReranker.get_target_devices(None)[0]
    try:
        return FlagReranker(
            source,
            use_fp16=device.startswith("cuda"),
            devices=device,
            batch_size=batch,
            query_max_length=max_tokens // 2,
            max_length=max_tokens,
        )
    except load_failures() as error:
        raise _refused(f"no reranking model loads from {source!r}") from error


def _text(passage: Passage) -> str:
    """Return what the model reads of a passage: its section path, its table's header, its text."""
    path = " > ".join(passage.section or (passage.title,))
    under = f"{path}\n{passage.heading_row}" if passage.lead else path
    return f"{under}\n{passage.text}"[:MAX_CHARACTERS]
