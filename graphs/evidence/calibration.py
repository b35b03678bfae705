"""Calibration: raw scores to [0, 1], and the confidence that the evidence suffices."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from graphs.ports import Background, Sigmoid

ENOUGH_PAIRS = 200
"""Fewer background pairs than this, and the reranker's shipped values are used."""
SHIPPED = "shipped-2"
"""Name of the shipped weights; it changes with them."""
BIAS = "bias"
FREE = frozenset({"few", "many"})
"""Features that may count against the confidence: they tell sets apart and are no sign of an answer."""
WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "bias": -4.469, "best": 3.116, "coverage": 0.912, "weakest": 4.457, "subject": 0.093,
        "consistency": 0.000, "few": 2.702, "few_best": 0.661, "few_weakest": 0.800,
        "bearing": 1.777, "words": 0.000, "rarest": 0.980, "many": 2.880, "agreement": 2.901,
    }
)  # fmt: skip
"""Fitted by `python -m benchmarks.fit_confidence` on LeCoQA, CMRC 2018, HotpotQA and the samples."""


def calibrated(raw: float, sigmoid: Sigmoid) -> float:
    """Return 1 / (1 + exp(-(raw - midpoint) / scale)), the one sigmoid between model and gate."""
    z = (raw - sigmoid.midpoint) / sigmoid.scale
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, z))))


def enough(background: Background | None) -> bool:
    """Tell whether a measured background may replace the shipped calibration."""
    return background is not None and background.pairs >= ENOUGH_PAIRS


@dataclass(frozen=True, slots=True)
class ConfidenceModel:
    """Logistic model of "the evidence suffices": a weight per named feature, and `bias`.

    Features lie in [0, 1] (`graphs.evidence.assessment.features_of`). A feature that is not given counts
    as 0, so that the features of one kind of set alone are a model of that kind. `fitted` tells that the
    weights come from labels; only then do answers say `"calibrated": true`.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)
    name: str = SHIPPED
    fitted: bool = False

    @classmethod
    def of(
        cls, weights: Mapping[str, float], name: str = "own", fitted: bool = True
    ) -> "ConfidenceModel":
        """Return a model with these weights. Raises ValueError for one that no feature may have.

        All but those of FREE must not be negative: more of them never lowers the confidence.
        """
        for feature, weight in weights.items():
            if feature not in WEIGHTS or not math.isfinite(weight):
                raise ValueError(f"the confidence has no weight {weight} for {feature!r}")
            if weight < 0 and feature != BIAS and feature not in FREE:
                raise ValueError(f"the weight of {feature!r} must not be negative")
        return cls(MappingProxyType(dict(weights)), name, fitted)

    @classmethod
    def from_json(cls, text: str) -> "ConfidenceModel":
        """Read what `to_json` wrote. Raises ValueError for anything else."""
        read = json.loads(text)
        if not isinstance(read, dict) or not isinstance(read.get("weights"), dict):
            raise ValueError("a confidence model needs its weights by name")
        weights = {str(feature): float(weight) for feature, weight in read["weights"].items()}
        return cls.of(weights, str(read.get("name", "own")), bool(read.get("fitted", True)))

    def to_json(self) -> str:
        """Return the model as JSON."""
        return json.dumps({"name": self.name, "fitted": self.fitted, "weights": {**self.weights}})

    def confidence(self, features: Mapping[str, float]) -> float:
        """Return the probability that the evidence suffices; 0 without a feature: nothing was found."""
        if not features:
            return 0.0
        z = self.weights.get(BIAS, 0.0) + sum(
            weight * features.get(feature, 0.0)
            for feature, weight in self.weights.items()
            if feature != BIAS
        )
        return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, z))))
