"""Where passages answer a question: the clauses that may be quoted, each with how likely it answers.

One logistic model over few signs of a clause, its sentence and its passage. What is asked for (a value of
some kind, or none) decides how much a candidate near the question's words counts. The weights are fitted
by `python -m benchmarks.fit_answering` on CMRC 2018 and HotpotQA.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.answer_signs import SIGNS, AnswerSpan, signs_of
from graphs.evidence.text import fold, is_cjk
from graphs.evidence.values import NAMED_KINDS, agree
from graphs.ports import Candidate, RerankQuery

Signs = NDArray[np.float64]
"""Shape (spans, len(SIGNS))."""
BRIEF = {True: 100, False: 300}
"""Characters of a short answer: in Chinese, in other languages (about 50 words)."""
_COST_OF_LENGTH = {True: 1.5, False: 0.7}
"""Log odds that a span of BRIEF characters must be likelier by: where a value is asked for, and where
none is; chosen on CMRC 2018 and HotpotQA."""
_LIKELY = 0.9
"""Further spans are quoted until the answer stands among those quoted with this likelihood."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Bias and one weight per sign, for passages in one language."""

    bias: float
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """How likely a span is the one that answers, in Chinese and in other languages.

    A score is the log of that likelihood in a usual set of passages: the sum of exp over its spans is 1.
    """

    chinese: Reading
    other: Reading

    def scores(self, signs: Signs) -> NDArray[np.float64]:
        """Return shape (spans,)."""
        chinese = signs[:, SIGNS.index("chinese")] > 0.0
        read = [signs @ np.asarray(r.weights) + r.bias for r in (self.chinese, self.other)]
        return np.asarray(np.where(chinese, *read), dtype=np.float64)


SHIPPED = Model(
    chinese=Reading(
        -22.923,
        (
            0.356,  # value_typed
            1.562,  # value_named
            0.923,  # value_any
            2.259,  # fit_typed
            2.122,  # fit_named
            -0.741,  # near
            5.951,  # coverage
            3.182,  # sentence
            4.406,  # around
            -0.506,  # passage
            -0.449,  # rarest_sentence
            0.523,  # rarest_passage
            2.116,  # numbers
            6.172,  # meaning
            2.915,  # meaning_best
            0.000,  # agree_kind
            1.070,  # agree_any
            0.857,  # length
            -0.171,  # length_squared
            -0.447,  # length_value
            3.634,  # whole
            1.059,  # opens
            -1.208,  # place
            1.152,  # year
            -0.612,  # asks
            0.000,  # chinese
        ),
    ),
    other=Reading(
        -10.576,
        (
            2.178,  # value_typed
            -0.687,  # value_named
            3.960,  # value_any
            3.161,  # fit_typed
            1.659,  # fit_named
            -0.142,  # near
            2.261,  # coverage
            0.223,  # sentence
            0.980,  # around
            -0.699,  # passage
            0.314,  # rarest_sentence
            0.214,  # rarest_passage
            0.897,  # numbers
            2.285,  # meaning
            2.448,  # meaning_best
            0.000,  # agree_kind
            0.000,  # agree_any
            -0.030,  # length
            0.131,  # length_squared
            0.037,  # length_value
            2.017,  # whole
            0.596,  # opens
            -2.024,  # place
            0.484,  # year
            -4.153,  # asks
            0.000,  # chinese
        ),
    ),
)


def answer_spans(
    query: RerankQuery, candidates: Sequence[Candidate], model: Model = SHIPPED
) -> list[AnswerSpan]:
    """Return the spans of all passages that may be quoted, passage by passage, in their order.

    The order of the passages changes no score.
    """
    found = signs_of(query, candidates)
    signs = np.array([row for _, row in found]).reshape(len(found), len(SIGNS))
    return scored([span for span, _ in found], signs, model)


def scored(spans: Sequence[AnswerSpan], signs: Signs, model: Model) -> list[AnswerSpan]:
    """Return the spans with the model's scores."""
    return [
        replace(span, score=round(float(score), 6))
        for span, score in zip(spans, model.scores(signs), strict=True)
    ]


_LACKING = 2.0
"""Log odds that a span without a value loses where one is asked for and another span has one."""
_LEADING = 3.0
"""Log odds that a span loses which only leads to what follows it."""


def pick(spans: Sequence[AnswerSpan], value_asked: bool, brief: float = 1.0) -> list[AnswerSpan]:
    """Return what to quote, best first: the likeliest span, and others where it may not be the one.

    They do not overlap, none repeats the value of another, and together they are about as long as
    `brief` times a short answer.
    """
    cost = _COST_OF_LENGTH[value_asked]
    lacking = _LACKING if value_asked and any(span.value for span in spans) else 0.0

    def worth(span: AnswerSpan) -> float:
        loss = cost * _length(span) + (0.0 if span.value else lacking)
        return span.score - loss - (_LEADING if span.text.endswith((":", "：")) else 0.0)

    chosen: list[AnswerSpan] = []
    length = 0.0
    left = list(zip(spans, _likelihoods(spans), strict=True))
    for span in sorted(spans, key=lambda s: (-worth(s), s.passage, s.start)):
        if chosen and (length >= brief or sum(share for _, share in left) <= 1 - _LIKELY):
            break
        if not any(_repeats(span, other) for other in chosen):
            chosen.append(span)
            length += _length(span)
            left = [(other, share) for other, share in left if not _repeats(other, span)]
    return chosen


def _likelihoods(spans: Sequence[AnswerSpan]) -> list[float]:
    """Return how likely each span is the one that answers, if any does."""
    scores = np.array([span.score for span in spans])
    shares = np.exp(scores - scores.max(initial=-np.inf))
    return [float(share) for share in shares / (shares.sum() or 1.0)]


def _length(span: AnswerSpan) -> float:
    return len(span.text) / BRIEF[is_cjk(span.text)]


def _repeats(span: AnswerSpan, other: AnswerSpan) -> bool:
    """Tell whether a span overlaps another, brings the same value or says it in the same words."""
    if span.passage == other.passage and span.start < other.end and other.start < span.end:
        return True
    if span.value and other.value and span.value.kind == other.value.kind:
        named = span.value.kind in NAMED_KINDS
        if span.value.value == other.value.value or (not named and agree(span.value, other.value)):
            return True
    return fold(span.text) == fold(other.text)
