"""How well a confidence tells what can be answered: AUROC, rejection, risk-coverage, calibration."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.evaluation.bootstrap import Interval, interval_of

FALSE_REFUSALS = 0.10
BINS = 10
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question whose answerability is known.

    `error`: it was answered though it can't be, or wrongly where labels can tell.
    """

    confidence: float
    answerable: bool
    refused: bool
    wrong: bool = False


@dataclass(frozen=True, slots=True)
class Bin:
    """One row of a reliability table."""

    questions: int
    confidence: float
    answerable: float


def auroc(confidence: Numbers, answerable: Numbers) -> float:
    """Return the chance that an answerable question has the higher confidence; ties count half."""
    order = np.sort(confidence[answerable < 0.5])
    above = confidence[answerable > 0.5]
    if not len(order) or not len(above):
        return float("nan")
    below = np.searchsorted(order, above, "left") + np.searchsorted(order, above, "right")
    return float(below.sum() / (2 * len(order) * len(above)))


def rejection(confidence: Numbers, answerable: Numbers, allowed: float = FALSE_REFUSALS) -> float:
    """Return the share of unanswerable questions refused by the strictest threshold on confidence
    that refuses at most `allowed` of the answerable ones."""
    held, none = confidence[answerable > 0.5], confidence[answerable < 0.5]
    if not len(held) or not len(none):
        return float("nan")
    threshold = np.sort(held)[int(np.floor(allowed * len(held)))]
    return float((none < threshold).mean())


def risk_coverage(confidence: Numbers, error: Numbers) -> float:
    """Return the mean risk over all coverages, most confident first; equal confidences share it."""
    order = np.argsort(-confidence, kind="stable")
    sorted_, errors = confidence[order], error[order]
    _, starts, counts = np.unique(-sorted_, return_index=True, return_counts=True)
    spread = np.repeat(np.add.reduceat(errors, starts) / counts, counts)
    return float((np.cumsum(spread) / np.arange(1, len(spread) + 1)).mean())


def calibration_error(confidence: Numbers, answerable: Numbers) -> float:
    """Return the mean distance of confidence and truth over bins of equal mass."""
    parts = _bins(confidence)
    gaps = [abs(confidence[p].mean() - answerable[p].mean()) * len(p) for p in parts]
    return float(sum(gaps) / len(confidence))


def reliability(judged: Sequence[Judged]) -> list[Bin]:
    """Return the rows of the reliability table, lowest confidence first."""
    confidence, answerable = columns(judged)
    return [
        Bin(len(p), float(confidence[p].mean()), float(answerable[p].mean()))
        for p in _bins(confidence)
    ]


def columns(judged: Sequence[Judged]) -> tuple[Numbers, Numbers]:
    """Return confidence and answerability of the questions."""
    return (
        np.array([each.confidence for each in judged], dtype=np.float64),
        np.array([each.answerable for each in judged], dtype=np.float64),
    )


def figures(judged: Sequence[Judged]) -> dict[str, Interval]:
    """Return every figure of questions whose answerability is known, with its interval."""
    confidence, answerable = columns(judged)
    refused = np.array([each.refused for each in judged], dtype=np.float64)
    unfounded = 1 - answerable
    wrong = np.array([each.wrong or not each.answerable for each in judged], dtype=np.float64)

    def of(statistic: Callable[..., float], *given: Numbers) -> Interval:
        return interval_of(lambda at: statistic(*(one[at] for one in given)), len(judged))

    return {
        "auroc": of(auroc, confidence, answerable),
        "rejection_at_10": of(rejection, confidence, answerable),
        "rejected": of(_share, refused, unfounded),
        "falsely_refused": of(_share, refused, answerable),
        "risk_coverage": of(risk_coverage, confidence, unfounded),
        "risk_coverage_wrong": of(risk_coverage, confidence, wrong),
        "calibration_error": of(calibration_error, confidence, answerable),
    }


def _share(refused: Numbers, among: Numbers) -> float:
    return float(refused[among > 0.5].mean()) if (among > 0.5).any() else float("nan")


def _bins(confidence: Numbers) -> list[NDArray[np.intp]]:
    order = np.argsort(confidence, kind="stable")
    return [part for part in np.array_split(order, min(BINS, len(order))) if len(part)]
