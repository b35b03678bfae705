"""Pseudo-relevance feedback among candidates: what the best passages speak of ranks the others.

The first passages of a ranking keep their places; below them, passages that share the rare terms of
the best ones move up: they tell more of the same matter. Terms are weighted as in BM25 and averaged
over the best passages (Rocchio's method with BM25 weights, restricted to the candidates).
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.fusion import K1, idf

BEST = 4
"""Passages whose terms count, the first one most."""
TERMS = 30
PINNED = 3
"""Passages that keep their places."""
WEIGHT = 0.4
"""Deviations of feedback against deviations of the ranker's score."""

Counts = Mapping[str, int]


def fed_back(
    scores: NDArray[np.float32],
    terms: Sequence[Counts],
    frequency: Mapping[str, int],
    passages: int,
) -> NDArray[np.float32]:
    """Return new scores of the same order of magnitude; the best `PINNED` stay the best.

    `scores` has shape (candidates,), `terms` holds the index terms of each candidate with how often
    they stand there, `frequency` in how many of all `passages` a term stands.
    """
    if len(scores) <= PINNED:
        return scores
    best = np.argsort(-scores, kind="stable")
    weights = _expansion([terms[i] for i in best[:BEST]], frequency, passages)
    lengths = np.array([sum(each.values()) for each in terms], dtype=np.float32)
    mean = float(lengths.mean()) or 1.0
    shared = np.array(
        [_held(each, weights, K1 * (0.25 + 0.75 * length / mean))
         for each, length in zip(terms, lengths, strict=True)],
        dtype=np.float32,
    )  # fmt: skip
    mixed = _deviations(scores) + WEIGHT * _deviations(shared)
    highest = float(mixed.max())
    for place, index in enumerate(best[:PINNED]):
        mixed[index] = highest + PINNED - place
    return np.asarray(mixed, dtype=np.float32)


def feedback_terms(best: Sequence[Counts]) -> list[str]:
    """Return the terms whose frequency `fed_back` needs: those of the best passages."""
    return list(dict.fromkeys(term for counts in best[:BEST] for term in counts))


def _expansion(
    best: Sequence[Counts], frequency: Mapping[str, int], passages: int
) -> dict[str, float]:
    """Return the heaviest terms of the best passages, the heaviest one with weight 1 · its idf."""
    total: defaultdict[str, float] = defaultdict(float)
    for place, counts in enumerate(best):
        length = sum(counts.values())
        mean = sum(sum(each.values()) for each in best) / len(best) or 1.0
        norm = K1 * (0.25 + 0.75 * length / mean)
        for term, count in counts.items():
            rarity = idf(passages, frequency.get(term, 1))
            total[term] += rarity * count * (K1 + 1) / (count + norm) / (1 + 0.5 * place)
    chosen = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))[:TERMS]
    highest = chosen[0][1] if chosen else 1.0
    return {
        term: weight / highest * idf(passages, frequency.get(term, 1))
        for term, weight in chosen
        if math.isfinite(weight) and highest > 0
    }


def _held(counts: Counts, weights: Mapping[str, float], norm: float) -> float:
    return sum(
        weight * counts[term] * (K1 + 1) / (counts[term] + norm)
        for term, weight in weights.items()
        if term in counts
    )


def _deviations(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((values - values.mean()) / (values.std() + 1e-6), dtype=np.float32)
