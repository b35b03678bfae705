"""What a knowledge base tells of itself: counts, phrases, keyword hits, backgrounds, calibration."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.passages import Hit


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Key phrases of a knowledge base with their vectors, most frequent first.

    `frequency[i]` is the number of passages that hold `phrases[i]`. `background_mean` and
    `background_deviation` describe the cosine of unrelated phrase pairs of this knowledge base.
    """

    phrases: tuple[str, ...]
    vectors: NDArray[np.float32]
    frequency: tuple[int, ...]
    background_mean: float
    background_deviation: float


@dataclass(frozen=True, slots=True)
class Background:
    """Raw reranker scores of unrelated (query, passage) pairs, measured at index time."""

    mean: float
    deviation: float
    pairs: int


@dataclass(frozen=True, slots=True)
class KnowledgeBaseInfo:
    """What a knowledge base says of itself. The last four come from an optional `kb.yaml`."""

    name: str
    documents: int
    passages: int
    description: str = ""
    contact: str = ""
    glossary: Mapping[str, tuple[str, ...]] | None = None
    unrelated: tuple[tuple[str, ...], ...] = ()
    version: int = 0
    """Rises with every change of its documents or its card."""


@dataclass(frozen=True, slots=True)
class KeywordHits:
    """Keyword hits, best first, with what their scores were made of.

    `frequency` maps each term to the number of passages that hold it, out of `passages`.
    """

    hits: list[Hit]
    frequency: Mapping[str, int]
    passages: int


@dataclass(frozen=True, slots=True)
class Calibration:
    """What labelled questions taught about one knowledge base, with one set of models.

    `weights` maps the confidence model's features, and `bias`, to their weights; `threshold` is the
    θ in [0, 1] that was chosen; `name` is how answers name it.
    """

    name: str
    weights: Mapping[str, float]
    threshold: float
