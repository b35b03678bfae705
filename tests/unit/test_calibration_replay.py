from typing import Any

import pytest

from app.calibration.labels import Label
from app.calibration.replay import is_error, observe


def answer(text: str, *documents: str, status: str = "answered") -> dict[str, Any]:
    return {
        "status": status,
        "statements": [{"text": text}] if text else [],
        "citations": [{"document_id": each} for each in documents],
    }


def graded(round_: int, sure: float, only_confidence: bool = True) -> dict[str, Any]:
    features = {"best": sure}
    return {
        "round": round_,
        "only_confidence": only_confidence,
        "assessment": {"features": features},
    }


@pytest.mark.parametrize(
    ("label", "given", "expected"),
    [
        (Label(question="q", answerable=True), answer("x", "a"), False),
        (Label(question="q", answerable=False), answer("x", "a"), True),
        (Label(question="q", answerable=True, documents=["a"]), answer("x", "b", "a"), False),
        (Label(question="q", answerable=True, documents=["a"]), answer("x", "b"), True),
        (Label(question="q", answerable=True, answer="10 天"), answer("每年10天。", "b"), False),
        (
            Label(question="q", answerable=True, answer=["ten", "10"]),
            answer("Nine days", "b"),
            True,
        ),
        (
            Label(question="q", answerable=True, answer=["ten", "NINE"]),
            answer("Nine days", "b"),
            False,
        ),
    ],
)
def test_answer_is_an_error_as_far_as_the_label_tells(
    label: Label, given: dict[str, Any], expected: bool
) -> None:
    documents = frozenset(label.documents)

    assert is_error(label, given, documents) is expected


def test_each_round_has_its_own_error() -> None:
    label = Label(question="q", answerable=True, answer="right")
    eager = answer("wrong", "a") | {"decisions": [graded(0, 0.4)]}
    strict = answer("right", "a", status="partial") | {
        "decisions": [graded(0, 0.4), graded(1, 0.8)]
    }

    found = observe(label, eager, strict, frozenset())

    assert [(g.features["best"], g.error) for g in found.gradings] == [(0.4, True), (0.8, False)]


def test_grading_that_lacks_a_facet_is_no_chance() -> None:
    label = Label(question="q", answerable=True)
    eager = answer("found", "a") | {"decisions": [graded(0, 0.2, False), graded(1, 0.9)]}
    strict = answer("found", "a") | {"decisions": [graded(0, 0.2, False), graded(1, 0.9)]}

    found = observe(label, eager, strict, frozenset())

    assert [g.features["best"] for g in found.gradings] == [0.9]


def test_question_that_is_never_answered_has_no_chance() -> None:
    label = Label(question="q", answerable=True)

    assert observe(label, answer("", status="insufficient"), None, frozenset()).gradings == []
