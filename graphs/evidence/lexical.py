"""The default reranker's raw score: words, meaning and their agreement; no download needed."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.asks import asked_words
from graphs.evidence.holding import Shares, held_in
from graphs.evidence.lines import Lexicon, soft, take_apart
from graphs.evidence.text import codes, language
from graphs.ports import Candidate, RerankQuery


def lexical_scores(query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
    """Return a raw score per candidate, about 0 for unrelated and 1 for answering passages."""
    asked = asked_words(query.text)
    wanted = set(codes(query.text))
    lexicon = Lexicon(query.passages, query.frequency)
    weights = np.array([lexicon.weight(word) for word in asked], dtype=np.float64)
    return [_score(query, candidate, asked, weights, wanted) for candidate in candidates]


def _share(weights: NDArray[np.float64], held: Shares) -> float:
    """Return the weighted share of the words that are held; 0 without any."""
    total = float(weights.sum())
    return float(weights @ held) / total if total > 0 else 0.0


def _score(
    query: RerankQuery,
    candidate: Candidate,
    asked: tuple[str, ...],
    weights: NDArray[np.float64],
    wanted: set[str],
) -> float:
    text = take_apart(candidate.passage)
    stands = held_in(text, asked)
    held, titled = _share(weights, stands.anywhere), _share(weights, stands.heading)
    matrix = candidate.sentence_vectors
    nearest = float(np.max(matrix @ query.vector)) if len(matrix) else 0.0
    similarity = max(candidate.dense, nearest)
    same = text.language == language(query.text)
    if not same:
        held = max(held, 0.9 * soft(similarity, same_language=False, whole=True))
    raw = 0.6 * held + 0.5 * max(0.0, similarity) + 0.15 * titled
    if wanted:
        known = {*candidate.passage.codes, *codes(candidate.passage.text)}
        raw += 0.45 if wanted & known else -0.1
    return raw
