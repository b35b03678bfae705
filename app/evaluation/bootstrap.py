"""How sure a mean over questions is: percentile bootstrap over the questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 2000
_SEED = 20_260_101
_BLOCK = 200
"""Resamples drawn at once: a bound of memory, not of quality."""
Positions = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval."""

    mean: float
    low: float
    high: float


def interval(values: Sequence[float], resamples: int = RESAMPLES) -> Interval:
    """Return the mean of at least one value with its percentile interval; the same every time."""
    sample = np.asarray(values, dtype=np.float64)
    chance = np.random.default_rng(_SEED)
    means = np.concatenate(
        [
            sample[
                chance.integers(0, len(sample), (min(_BLOCK, resamples - at), len(sample)))
            ].mean(axis=1)
            for at in range(0, resamples, _BLOCK)
        ]
    )
    low, high = np.percentile(means, (2.5, 97.5))
    return Interval(float(sample.mean()), float(low), float(high))


def paired(one: Sequence[float], other: Sequence[float], resamples: int = RESAMPLES) -> Interval:
    """Return how far `one` lies above `other` over the same questions in the same order."""
    differences = [a - b for a, b in zip(one, other, strict=True)]
    return interval(differences, resamples)


def interval_of(
    statistic: Callable[[Positions], float], count: int, resamples: int = RESAMPLES
) -> Interval:
    """Return a figure of `count` questions with its interval.

    `statistic` gets positions of questions, drawn with repetition; where it gives no number (a draw
    without one of two classes, say) the draw is left out.
    """
    whole = statistic(np.arange(count))
    chance = np.random.default_rng(_SEED)
    drawn = [statistic(chance.integers(0, count, count)) for _ in range(resamples)]
    known = [value for value in drawn if not np.isnan(value)]
    low, high = np.percentile(known, (2.5, 97.5)) if known else (np.nan, np.nan)
    return Interval(float(whole), float(low), float(high))
