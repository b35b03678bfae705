"""Calibration: raw scores to [0, 1], and the confidence that the evidence suffices."""

import math
from dataclasses import dataclass

from graphs.ports import Background, Sigmoid

ENOUGH_PAIRS = 200
"""Fewer background pairs than this, and the reranker's shipped values are used."""


def calibrated(raw: float, sigmoid: Sigmoid) -> float:
    """Return 1 / (1 + exp(-(raw - midpoint) / scale)), the one sigmoid between model and gate."""
    z = (raw - sigmoid.midpoint) / sigmoid.scale
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, z))))


def enough(background: Background | None) -> bool:
    """Tell whether a measured background may replace the shipped calibration."""
    return background is not None and background.pairs >= ENOUGH_PAIRS


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """Logistic model of "the evidence suffices". Features are in [0, 1].

    The shipped weights are a default fitted on the sample questions
    (`benchmarks/fit_confidence.py`); answers made with them say `"calibrated": false`.
    """

    bias: float = -3.0
    best: float = 1.4
    coverage: float = 1.2
    weakest: float = 2.0
    subject: float = 0.3
    consistency: float = 0.85
    fitted: bool = False

    def confidence(self, features: "Features") -> float:
        """Return the probability that the evidence suffices; 0 without any passage."""
        if features.best <= 0.0:
            return 0.0
        z = (
            self.bias
            + self.best * features.best
            + self.coverage * features.coverage
            + self.weakest * features.weakest
            + self.subject * features.subject
            + self.consistency * features.consistency
        )
        return 1.0 / (1.0 + math.exp(-z))


@dataclass(frozen=True, slots=True)
class Features:
    """What the confidence is judged by, each in [0, 1].

    `best`: best calibrated passage. `coverage`: share of required facets covered. `weakest`: the
    lowest strength among them. `subject`: how far the covering passages hold the subject.
    """

    best: float
    coverage: float
    weakest: float
    subject: float
    consistency: float
