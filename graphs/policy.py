"""Every limit of the evidence logic in one place, with the contract's defaults."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Profile:
    """How one kind of retrieval searches. `threshold` applies to the calibrated score."""

    name: str
    threshold: float
    top_n: int
    dense: float
    keyword: float
    rerank: bool = True


@dataclass(frozen=True, slots=True)
class Weights:
    """The parts of `evidence_score`; they add up to 1."""

    relevance: float = 0.40
    coverage: float = 0.25
    consistency: float = 0.20
    freshness: float = 0.15


@dataclass(frozen=True, slots=True)
class Policy:
    """Limits and weights. Times are seconds, scores lie in [0, 1]."""

    min_passage: float = 0.35
    answer_passage: float = 0.55
    min_confidence: float = 0.5
    weights: Weights = Weights()
    presets: Mapping[str, float] = field(
        default_factory=lambda: {"critical": 0.8, "general": 0.7, "research": 0.6, "recall": 0.5}
    )
    preset: str = "general"
    max_rounds: int = 1
    initial: Profile = Profile("initial", 0.2, 10, 0.6, 0.4)
    precise: Profile = Profile("precise", 0.2, 10, 0.6, 0.4)
    broaden: Profile = Profile("broaden", 0.15, 16, 0.7, 0.3)
    web: Profile = Profile("web", 0.2, 10, 0.6, 0.4)
    candidates: int = 20
    """Dense and keyword candidates before reranking, each."""
    gap_candidates: int = 5
    """Passages that a gap query may add."""
    near_duplicate: float = 0.75
    passages_read: int = 5
    question_seconds: float = 60.0
    model_calls: int = 16
    model_tokens: int = 60_000
    model_steps: int = 4
    """Nodes of one question that may ask the model."""
    sure_below: float = 0.3
    """A confidence below this needs no second look by the model: the evidence is not enough."""
    sure_from: float = 0.75
    """From this confidence on the evidence is enough without a second look."""
    price_input: float | None = None
    """Price of a million input tokens; without both prices there is no cost."""
    price_output: float | None = None
    currency: str = "USD"
