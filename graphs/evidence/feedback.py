"""Pseudo-relevance feedback among candidates: what the best passages speak of ranks the others.

The first passages of a ranking keep their places; below them, passages that share the rare terms of
the best ones move up: they tell more of the same matter. Terms that at least two of the best hold are
weighted as in BM25 and averaged (Rocchio's method with BM25 weights, among the candidates alone).
"""

from collections import Counter
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
_RARE = 0.5
"""Terms of a lower inverse frequency tell nothing of a matter."""

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
    if not weights:
        return scores
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
    """Return the terms whose frequency `fed_back` needs: those that two of the best passages hold."""
    held = Counter(term for counts in best[:BEST] for term in counts)
    return [term for term, passages in held.items() if passages > 1]


def _expansion(
    best: Sequence[Counts], frequency: Mapping[str, int], passages: int
) -> dict[str, float]:
    """Return the heaviest terms of the best passages, the heaviest one with its own rarity."""
    rarity = {term: idf(passages, frequency.get(term, 1)) for term in feedback_terms(best)}
    total = {term: 0.0 for term, rare in rarity.items() if rare >= _RARE}
    mean = sum(sum(each.values()) for each in best) / len(best) or 1.0
    for place, counts in enumerate(best):
        norm = K1 * (0.25 + 0.75 * sum(counts.values()) / mean)
        for term in total.keys() & counts.keys():
            weight = rarity[term] * counts[term] * (K1 + 1) / (counts[term] + norm)
            total[term] += weight / (1 + 0.5 * place)
    chosen = sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))[:TERMS]
    return {term: weight / chosen[0][1] * rarity[term] for term, weight in chosen}


def _held(counts: Counts, weights: Mapping[str, float], norm: float) -> float:
    return sum(
        weight * counts[term] * (K1 + 1) / (counts[term] + norm)
        for term, weight in weights.items()
        if term in counts
    )


def _deviations(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray((values - values.mean()) / (values.std() + 1e-6), dtype=np.float32)
