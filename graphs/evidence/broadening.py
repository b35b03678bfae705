"""Broadening: the user's words bound to the knowledge base's own, inside its domain."""

from collections.abc import Mapping, Sequence

import numpy as np

from graphs.evidence.text import fold
from graphs.ports import Matrix, Vector, Vocabulary

_DEVIATIONS = 3.0
"""A phrase is near when its cosine lies this many deviations above the background."""
_LOWEST_COSINE = 0.36
_PER_CONCEPT = 8
_KEPT = 6


def floor_of(vocabulary: Vocabulary) -> float:
    """Return the cosine from which on a phrase counts as near."""
    measured = vocabulary.background_mean + _DEVIATIONS * vocabulary.background_deviation
    return max(_LOWEST_COSINE, measured)


def nearest(
    vector: Vector, vocabulary: Vocabulary, count: int = _PER_CONCEPT
) -> list[tuple[int, float]]:
    """Return (index, cosine) of the nearest phrases above the floor, best first."""
    if not vocabulary.phrases:
        return []
    cosines = vocabulary.vectors @ vector
    floor = floor_of(vocabulary)
    order = np.argsort(-cosines)[:count]
    return [(int(i), float(cosines[i])) for i in order if cosines[i] >= floor]


def bindable(vectors: Sequence[Vector], vocabulary: Vocabulary) -> bool:
    """Tell whether a content term lies nearer to the vocabulary than its background."""
    return any(nearest(vector, vocabulary, 1) for vector in vectors)


def choose(
    concepts: Mapping[str, Vector],
    vocabulary: Vocabulary,
    bound: Sequence[str],
    together: Matrix,
    with_each_other: Matrix,
    candidates: Sequence[str],
    unrelated: Sequence[Sequence[str]] = (),
) -> dict[str, list[str]]:
    """Return concept id to the corpus phrases that stand for it, best first.

    `candidates` are phrases found by `nearest` over all concepts. `together[i, j]` counts passages
    that hold candidate i and bound term j; `with_each_other[i, k]` those that hold candidates i and
    k. A phrase is kept only if it co-occurs with a bound term; beyond the first, only if it also
    co-occurs with the phrases chosen before. A phrase that an `unrelated` group sets against a
    bound term is dropped.
    """
    index = {phrase: place for place, phrase in enumerate(candidates)}
    positions = {phrase: place for place, phrase in enumerate(vocabulary.phrases)}
    scored: list[tuple[float, str, str]] = []
    for concept, vector in concepts.items():
        for place, cosine in nearest(vector, vocabulary):
            phrase = vocabulary.phrases[place]
            row = index.get(phrase)
            if row is None or _set_against(phrase, bound, unrelated):
                continue
            frequency = max(1, vocabulary.frequency[positions[phrase]])
            joint = float(together[row].max()) if together.shape[1] else 0.0
            if bound and joint == 0:
                continue
            scored.append((cosine * (1.0 + 0.5 * min(1.0, joint / frequency)), phrase, concept))
    return _coherent(sorted(scored, key=lambda s: (-s[0], s[1])), index, with_each_other)


def _coherent(
    scored: Sequence[tuple[float, str, str]], index: Mapping[str, int], joint: Matrix
) -> dict[str, list[str]]:
    chosen: dict[str, list[str]] = {}
    kept: list[str] = []
    for _, phrase, concept in scored:
        if phrase in kept:
            chosen.setdefault(concept, []).append(phrase)
            continue
        if len(kept) >= _KEPT:
            continue
        if kept and sum(joint[index[phrase], index[other]] > 0 for other in kept) * 2 < len(kept):
            continue
        kept.append(phrase)
        chosen.setdefault(concept, []).append(phrase)
    return chosen


def _set_against(phrase: str, bound: Sequence[str], unrelated: Sequence[Sequence[str]]) -> bool:
    name = fold(phrase)
    for group in unrelated:
        members = {fold(member) for member in group}
        if name in members and any(fold(term) in members and fold(term) != name for term in bound):
            return True
    return False
