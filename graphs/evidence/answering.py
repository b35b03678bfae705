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
_COST_OF_LENGTH = {True: 1.5, False: 0.0}
"""Log odds that a span of BRIEF characters must be likelier by: where a value is asked for, and where
none is; chosen on CMRC 2018 and HotpotQA."""
_NEARLY = 1.5
"""Further spans are quoted beside the best one as long as they are at most this much less likely."""


@dataclass(frozen=True, slots=True)
class Model:
    """Bias and one weight per sign."""

    bias: float
    weights: tuple[float, ...]


SHIPPED = Model(
    -7.369,
    (
        3.952,  # value_typed
        2.567,  # value_named
        3.575,  # value_any
        0.491,  # fit_typed
        0.727,  # fit_named
        -1.709,  # near
        2.937,  # coverage
        -0.387,  # sentence
        2.746,  # around
        -1.414,  # passage
        -0.457,  # rarest_sentence
        0.721,  # rarest_passage
        0.607,  # numbers
        3.930,  # meaning
        -1.009,  # meaning_best
        -0.520,  # agree_kind
        0.266,  # agree_any
        0.184,  # length
        0.011,  # length_squared
        -0.475,  # length_value
        0.011,  # whole
        0.841,  # opens
        -1.304,  # place
        0.359,  # year
        -0.878,  # asks
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
    scores = signs @ np.asarray(model.weights) + model.bias
    return [
        replace(span, score=round(float(score), 6))
        for span, score in zip(spans, scores, strict=True)
    ]


_LACKING = 2.0
"""Log odds that a span without a value loses where one is asked for and another span has one."""
_LEADING = 3.0
"""Log odds that a span loses which only leads to what follows it."""


def pick(spans: Sequence[AnswerSpan], value_asked: bool, brief: float = 1.0) -> list[AnswerSpan]:
    """Return what to quote, best first: the likeliest span, then others that may as well answer.

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
    for span in sorted(spans, key=lambda s: (-worth(s), s.passage, s.start)):
        if chosen and (length >= brief or worth(span) < worth(chosen[0]) - _NEARLY):
            break
        if not any(_repeats(span, other) for other in chosen):
            chosen.append(span)
            length += _length(span)
    return chosen


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
