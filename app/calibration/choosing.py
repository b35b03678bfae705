"""Choosing θ: the loosest threshold whose errors are bounded by labels, tested from strict to loose."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.calibration.bounds import least_answered, upper_bound

GRID = tuple(round(0.99 - 0.01 * step, 2) for step in range(95))
"""The thresholds that are tried, strictest first: 0.99 to 0.05."""


@dataclass(frozen=True, slots=True)
class Chance:
    """One grading at which the table would answer if only `confidence` reached the threshold.

    `error`: that answer is wrong as far as the label can tell.
    """

    confidence: float
    error: bool


@dataclass(frozen=True, slots=True)
class Replay:
    """What one labelled question would become at any threshold: its chances in their order."""

    question: str
    answerable: bool
    chances: Sequence[Chance]

    def at(self, threshold: float) -> Chance | None:
        """Return the first grading that answers at this threshold, None where none does."""
        return next((each for each in self.chances if each.confidence >= threshold), None)


@dataclass(frozen=True, slots=True)
class Risk:
    """What a threshold does to a set of questions. `bound` is the upper bound of the error rate."""

    threshold: float
    answered: int
    errors: int
    bound: float
    questions: int

    @property
    def coverage(self) -> float:
        """Share of the questions that are answered."""
        return self.answered / self.questions if self.questions else 0.0

    @property
    def rate(self) -> float:
        """Share of errors among the answered questions, 0 where none is answered."""
        return self.errors / self.answered if self.answered else 0.0


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen threshold with its risk; None where the labels allow no promise.

    `needed` questions must be answered, without an error, before anything can be promised.
    """

    risk: Risk | None
    tested: Sequence[Risk]
    needed: int


def risk_at(replays: Sequence[Replay], threshold: float, delta: float) -> Risk:
    """Return what a threshold does to the questions."""
    chances = [chance for each in replays if (chance := each.at(threshold)) is not None]
    errors = sum(chance.error for chance in chances)
    bound = upper_bound(errors, len(chances), delta) if chances else 1.0
    return Risk(threshold, len(chances), errors, bound, len(replays))


def choose(replays: Sequence[Replay], alpha: float, delta: float) -> Choice:
    """Return the loosest threshold of the grid whose error bound is at most `alpha`.

    Fixed-sequence testing: it starts at the strictest threshold at which enough questions are
    answered, which is counted without looking at the labels, goes down while the bound holds, and
    stops at the first failure; so the promise holds with confidence 1 - `delta` for the threshold
    that is kept, however many were tried.
    """
    needed = least_answered(alpha, delta)
    tested: list[Risk] = []
    kept: Risk | None = None
    for threshold in GRID:
        if not tested and sum(each.at(threshold) is not None for each in replays) < needed:
            continue
        risk = risk_at(replays, threshold, delta)
        tested.append(risk)
        if risk.bound > alpha:
            break
        kept = risk
    return Choice(kept, tested, needed)


def curve(replays: Sequence[Replay], delta: float) -> list[Risk]:
    """Return the risk at every threshold of the grid, strictest first."""
    return [risk_at(replays, threshold, delta) for threshold in GRID]
