"""BGE-M3 as an embedder, through FlagEmbedding (extra `bge`)."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from app.adapters.flag_models import fingerprint, load_failures, local_folder, silence
from app.adapters.vectors import clean, unit_rows
from graphs.errors import EmbedderUnavailable
from graphs.ports import Matrix

BATCH = 32
MAX_TOKENS = 512
MAX_CHARACTERS = 2000
"""Of one text: more than 512 tokens in both languages, so nothing is lost."""
_HINT = (
    "set YOUJU_EMBEDDER_MODEL to BAAI/bge-m3 or a folder that holds such a model, "
    "or YOUJU_EMBEDDER=use"
)


class BgeEmbedder:
    """Embeds with the dense vectors of BGE-M3, or of a local folder that holds such a model.

    Construction loads the model and embeds one text. Raises EmbedderUnavailable.
    """

    def __init__(self, model: str, batch: int = BATCH, max_tokens: int = MAX_TOKENS) -> None:
        folder = local_folder(model, _refused)
        self._lock = threading.Lock()
        self._model = _load(str(folder or model), batch, max_tokens)
        config = self._model.model.model.config
        self._fingerprint = fingerprint("bge-m3", model, folder, config)
        self._dimension = int(self._encode(["有据"]).shape[1])

    @property
    def fingerprint(self) -> str:
        """Name and revision of the model, or the hash of a local folder."""
        return self._fingerprint

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text. Raises EmbedderUnavailable if the model fails."""
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        return self._encode(clean(texts, MAX_CHARACTERS))

    def _encode(self, texts: list[str]) -> Matrix:
        try:
            # its tokenizer is shared and not made for threads
            with self._lock:
                rows = self._model.encode(texts)["dense_vecs"]
        except (RuntimeError, ValueError, LookupError, AttributeError) as error:
            # LookupError, AttributeError: the library shrinks its batch at each failure, down to
            # an empty one
            raise EmbedderUnavailable(
                f"the embedding model failed on {len(texts)} text(s); it may have too little memory"
            ) from error
        return unit_rows(rows, len(texts))


def _refused(problem: str) -> EmbedderUnavailable:
    return EmbedderUnavailable(f"{problem}; {_HINT}")


def _load(source: str, batch: int, max_tokens: int) -> Any:
    try:
        # the optional extra: torch takes seconds to import and may not be installed
        from FlagEmbedding import BGEM3FlagModel  # noqa: PLC0415
        from FlagEmbedding.inference.embedder.encoder_only import m3  # noqa: PLC0415
    except ImportError as error:
        raise EmbedderUnavailable(
            "BGE-M3 is not installed; run `pip install -e '.[bge]'` or set YOUJU_EMBEDDER=use"
        ) from error
    silence(m3)
    # one device: with two, the library starts a pool of processes that it never ends
    device = BGEM3FlagModel.get_target_devices(None)[0]
    try:
        return BGEM3FlagModel(
            source,
            use_fp16=device.startswith("cuda"),
            devices=device,
            batch_size=batch,
            passage_max_length=max_tokens,
            query_max_length=max_tokens,
        )
    except load_failures() as error:
        raise _refused(f"no embedding model loads from {source!r}") from error
