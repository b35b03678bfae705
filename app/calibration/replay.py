"""What a labelled question would become at any threshold, read from two answers of the service.

The first answer is asked for with θ = 0: it is given at the first grading at which only the
confidence could keep it back. The second is asked for with θ = 1: it goes through every round, so its
decisions hold the confidence of each, and its text stands on all the evidence. Between them every
threshold is covered: the service answers at the first grading whose confidence reaches θ.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.calibration.choosing import Chance, Replay
from app.calibration.labels import Label
from graphs.evidence.calibration import ConfidenceModel
from graphs.evidence.text import fold

Reply = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Graded:
    """One grading at which only the confidence decides: its features, and whether it misleads."""

    features: Mapping[str, float]
    error: bool


@dataclass(frozen=True, slots=True)
class Observed:
    """A label with its gradings in their order; none where nothing could be answered."""

    label: Label
    gradings: Sequence[Graded]

    def replay(self, confidence: "Confidence") -> Replay:
        """Return the question's chances under a confidence model."""
        chances = [Chance(confidence(each.features), each.error) for each in self.gradings]
        return Replay(self.label.question, self.label.answerable, chances)


class Confidence:
    """A logistic confidence from named features: `weights` holds one for each, and `bias`."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        self._weights = weights

    def __call__(self, features: Mapping[str, float]) -> float:
        """Return the confidence in [0, 1], rounded as the service rounds it."""
        return round(ConfidenceModel.of(self._weights).confidence(features), 3)


def observe(
    label: Label, eager: Reply, strict: Reply | None, documents: frozenset[str]
) -> Observed:
    """Return the gradings of a question.

    `eager` was asked for with θ = 0, `strict` with θ = 1; it is not needed where `eager` is no
    answer. `documents` are the ids of the expected ones, empty where the label names none.
    """
    if eager["status"] != "answered" or strict is None:
        return Observed(label, [])
    first = eager["decisions"][-1]["round"]
    wrong_first = is_error(label, eager, documents)
    wrong_last = is_error(label, strict, documents) if strict["statements"] else wrong_first
    gradings = [
        Graded(
            decision["assessment"]["features"],
            wrong_first if decision["round"] == first else wrong_last,
        )
        for decision in strict["decisions"]
        if decision["only_confidence"]
    ]
    return Observed(label, gradings)


def is_error(label: Label, answer: Reply, documents: frozenset[str]) -> bool:
    """Tell whether an answer to a labelled question is an error.

    It is where the question can't be answered, where it cites none of the expected documents, and
    where it holds none of the expected answers (spaces, case and width aside).
    """
    if not label.answerable:
        return True
    if documents and not documents & {each["document_id"] for each in answer["citations"]}:
        return True
    said = _bare(" ".join(each["text"] for each in answer["statements"]))
    return bool(label.answers) and not any(_bare(each) in said for each in label.answers)


def _bare(text: str) -> str:
    return re.sub(r"\s+", "", fold(text))
