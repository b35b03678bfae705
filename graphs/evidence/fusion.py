"""Fusion of dense and keyword scores into one absolute score."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.2
"""BM25's saturation, the same in every keyword index."""


def idf(passages: int, frequency: int) -> float:
    """Return BM25's inverse document frequency, floored as FTS5 does (never below 1e-6).

    `frequency` may be above `passages`: an index counts what is on its way in, or on its way out.
    """
    without = max(0, passages - frequency)
    return max(1e-6, math.log((without + 0.5) / (frequency + 0.5)))


def keyword_ceiling(passages: int, frequencies: Iterable[int]) -> float:
    """Return the highest BM25 that a query can reach: Σ idf · (k1 + 1) over its terms."""
    return sum(idf(passages, frequency) * (K1 + 1) for frequency in frequencies)


def cosines(
    vectors: Mapping[str, NDArray[np.float32]], vector: NDArray[np.float32]
) -> dict[str, float]:
    """Return the cosine of each vector of length 1 with `vector`, which has length 1 or is zero."""
    return {id_: float(row @ vector) for id_, row in vectors.items()}


def fuse(
    ids: Sequence[str],
    dense: Mapping[str, float],
    keyword: Mapping[str, float],
    ceiling: float,
    dense_weight: float,
    keyword_weight: float,
    exact: frozenset[str] = frozenset(),
) -> list[tuple[str, float]]:
    """Return (id, score) best first: the weighted sum, or 1.0 where an exact match stands.

    `dense` holds cosines (negatives count 0), `keyword` raw BM25, `ceiling` the query's own maximum.
    """
    scored = []
    for id_ in ids:
        similarity = max(0.0, dense.get(id_, 0.0))
        words = min(1.0, keyword.get(id_, 0.0) / ceiling) if ceiling > 0 else 0.0
        score = dense_weight * similarity + keyword_weight * words
        scored.append((id_, max(score, 1.0) if id_ in exact else score))
    return sorted(scored, key=lambda pair: (-pair[1], pair[0]))
