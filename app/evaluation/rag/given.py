"""Which passages come with a question: the published selections of RGB."""

import random
from collections.abc import Sequence
from math import ceil

from app.evaluation.datasets import Given, Question

PASSAGES = 5
RATIOS = (0.0, 0.2, 0.4, 0.6, 0.8)
_SEED = 2333


def noisy(question: Question, ratio: float) -> list[str]:
    """Return five passages, a share of `ratio` of them negative, shuffled; fewer where it has fewer.

    A selection that is published with the question is taken as it is.
    """
    given = _given(question)
    if ready := given.mixed.get(f"{ratio:g}"):
        return shuffled(ready)
    negative = ceil(PASSAGES * ratio)
    positive = _in_turn(given.positive, PASSAGES - negative)
    return shuffled([*positive, *given.negative[:negative]])


def integrated(question: Question, ratio: float) -> list[str]:
    """Return five passages with at least one of each part of the answer, as RGB integrates."""
    given = _given(question)
    wanted = max(PASSAGES - ceil(PASSAGES * ratio), len(given.positive))
    positive = _in_turn(given.positive, wanted)
    return shuffled([*positive, *given.negative[: max(0, PASSAGES - len(positive))]])


def conflicting(question: Question) -> list[str] | None:
    """Return two passages with the wrong answer, two true ones and a negative; None with fewer."""
    given = _given(question)
    true = _in_turn(given.positive, 2)
    if len(given.wrong) < 2 or len(true) < 2 or not given.negative:
        return None
    return shuffled([*given.wrong[:2], *true, given.negative[0]])


def true_alone(question: Question) -> list[str]:
    """Return what `conflicting` gives without the wrong passages."""
    given = _given(question)
    return shuffled([*_in_turn(given.positive, 2), given.negative[0]])


def shuffled(keys: Sequence[str]) -> list[str]:
    """Return the keys in an order that tells nothing; the same for the same list."""
    mixed = list(dict.fromkeys(keys))
    random.Random(_SEED).shuffle(mixed)
    return mixed


def _given(question: Question) -> Given:
    return question.given or Given([], [])


def _in_turn(groups: Sequence[Sequence[str]], count: int) -> list[str]:
    """Return the first of every group, then the second, up to `count`."""
    longest = max((len(group) for group in groups), default=0)
    ranked = [group[at] for at in range(longest) for group in groups if at < len(group)]
    return list(dict.fromkeys(ranked))[:count]
