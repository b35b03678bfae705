"""Broadening: the user's words bound to the knowledge base's own, inside its domain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence.text import fold, is_cjk, stem
from graphs.ports import Matrix, Vector, Vocabulary

_DEVIATIONS = 3.0
"""A phrase is near when its cosine lies this many deviations above the background."""
_LOWEST_COSINE = 0.36
_PER_CONCEPT = 12
_KEPT = 8
_PER_FACET = 4
_COMMON = 8.0
"""A phrase that stands in this many passages is one of the knowledge base's own terms."""


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


@dataclass(frozen=True, slots=True)
class Concept:
    """Something that the user said and the corpus does not: the facet, its wordings, their vectors."""

    facet: str
    wordings: Sequence[str]
    vectors: Matrix


def strength(cosine: float, floor: float) -> float:
    """Return how far a phrase may stand for a wording, in [0, 0.85]; 0 below the floor."""
    if cosine < floor:
        return 0.0
    return min(0.85, 0.45 + (cosine - floor) / (1.0 - floor))


def sibling(wording: str, phrase: str) -> bool:
    """Tell whether two names share their head but name different things (胶球泵, 循环水泵).

    A shortened name is no sibling: all of its characters stand in the phrase in order (汽机, 汽轮机).
    """
    a, b = fold(wording), fold(phrase)
    if is_cjk(a) != is_cjk(b) or a == b:
        return False
    if is_cjk(a):
        return a[-1] == b[-1] and not _subsequence(a, b)
    left, right = wording.lower().split(), phrase.lower().split()
    return len(left) > 1 and stem(left[-1]) == stem(right[-1])


def _subsequence(short: str, long: str) -> bool:
    rest = iter(long)
    return all(char in rest for char in short)


def candidates(concepts: Sequence[Concept], vocabulary: Vocabulary) -> dict[str, dict[str, float]]:
    """Return facet id to the phrases near any wording of it, with the highest cosine."""
    found: dict[str, dict[str, float]] = {}
    for concept in concepts:
        near = found.setdefault(concept.facet, {})
        for wording, vector in zip(concept.wordings, concept.vectors, strict=True):
            for place, cosine in nearest(vector, vocabulary):
                phrase = vocabulary.phrases[place]
                if sibling(wording, phrase):
                    continue
                near[phrase] = max(cosine, near.get(phrase, 0.0))
    return found


def choose(
    near: Mapping[str, Mapping[str, float]],
    order: Sequence[str],
    together: Matrix,
    with_each_other: Matrix,
    floor: float,
) -> dict[str, dict[str, float]]:
    """Return facet id to the corpus phrases that stand for it with their strengths, best first.

    `order` lists the candidate phrases; `together[i, j]` counts passages that hold candidate i and
    bound term j, `with_each_other[i, k]` those that hold candidates i and k. A phrase is kept only
    if it co-occurs with a bound term; beyond the first, only if it also co-occurs with at least half
    of the phrases chosen before: what belongs to another part of the domain drops out.
    """
    index = {phrase: place for place, phrase in enumerate(order)}
    scored: list[tuple[float, str, str, float]] = []
    for facet, phrases in near.items():
        for phrase, cosine in phrases.items():
            place = index.get(phrase)
            if place is None:
                continue
            row = together[place]
            if len(row) and not row.max() > 0:
                continue
            frequency = max(1.0, float(with_each_other[place, place]))
            joint = float((row > 0).mean()) if len(row) else 0.0
            common = min(1.0, frequency / _COMMON)
            rank = cosine * (1.0 + 0.3 * joint + 0.4 * common)
            scored.append((rank, phrase, facet, strength(cosine, floor)))
    return _coherent(sorted(scored, key=lambda s: (-s[0], s[1])), index, with_each_other)


def _coherent(
    scored: Sequence[tuple[float, str, str, float]], index: Mapping[str, int], joint: Matrix
) -> dict[str, dict[str, float]]:
    chosen: dict[str, dict[str, float]] = {}
    kept: list[str] = []
    for _, phrase, facet, value in scored:
        if phrase not in kept:
            if len(kept) >= _KEPT:
                continue
            allies = sum(joint[index[phrase], index[other]] > 0 for other in kept)
            if kept and allies * 2 < len(kept):
                continue
            kept.append(phrase)
        if len(chosen.setdefault(facet, {})) < _PER_FACET:
            chosen[facet][phrase] = value
    return chosen


def companions(
    seeds: Sequence[str], phrases: Sequence[str], joint: Matrix, frequency: Sequence[int]
) -> list[str]:
    """Return the phrases that most often stand beside the seeds, best first: the topic's own words.

    `joint[i, j]` counts passages that hold seed i and phrase j, which stands in `frequency[j]`.
    """
    if not seeds or not phrases:
        return []
    beside = joint.sum(axis=0) / np.sqrt(np.maximum(1, np.asarray(frequency, dtype=np.float32)))
    order = [int(i) for i in np.argsort(-beside) if beside[i] > 0]
    return [
        phrases[i]
        for i in order
        if not any(fold(phrases[i]) in fold(s) or fold(s) in fold(phrases[i]) for s in seeds)
    ]


def permitted(phrase: str, bound: Sequence[str], unrelated: Sequence[Sequence[str]]) -> bool:
    """Tell whether no `unrelated` group sets a phrase against a bound term."""
    return not _set_against(phrase, bound, unrelated)


def _set_against(phrase: str, bound: Sequence[str], unrelated: Sequence[Sequence[str]]) -> bool:
    name = fold(phrase)
    for group in unrelated:
        members = {fold(member) for member in group}
        if name in members and any(fold(term) in members and fold(term) != name for term in bound):
            return True
    return False
