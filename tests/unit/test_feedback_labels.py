from typing import Any

import pytest

from app.calibration.labels import Label
from app.feedback import Feedback, label_of, labels_of


def said(verdict: str, status: str = "answered", number: int = 1, **more: Any) -> Feedback:
    values = {
        "number": number, "run_id": f"r{number}", "kb": "plant", "question": "检修周期是多少？",
        "status": status, "cited": ("d1", "d2"), "verdict": verdict, "document_id": None,
        "note": "", "given": 1.0,
    }  # fmt: skip
    return Feedback(**(values | more))


@pytest.mark.parametrize(
    ("status", "verdict", "document", "answerable", "documents"),
    [
        ("answered", "right", None, True, ["d1", "d2"]),
        ("answered", "right", "d2", True, ["d2"]),
        ("answered", "wrong", None, False, []),
        ("answered", "wrong", "d3", True, ["d3"]),
        ("answered", "wrong", "d1", False, []),  # it was cited and misread: citing it is not right
        ("answered", "should_have_refused", None, False, []),
        ("answered", "should_have_refused", "d3", False, []),
        ("partial", "wrong", "d3", True, ["d3"]),
        ("partial", "wrong", None, False, []),
        ("partial", "should_have_refused", None, False, []),
        ("insufficient", "right", None, False, []),
        ("insufficient", "wrong", None, True, []),
        ("insufficient", "wrong", "d3", True, ["d3"]),
    ],
)
def test_feedback_becomes_a_label(
    status: str, verdict: str, document: str | None, answerable: bool, documents: list[str]
) -> None:
    label = label_of(said(verdict, status, document_id=document))
    assert label == Label(
        question="检修周期是多少？", answerable=answerable, documents=tuple(documents)
    )


@pytest.mark.parametrize(
    ("status", "verdict"),
    [("partial", "right"), ("direct", "right"), ("direct", "wrong"), ("error", "wrong")],
)
def test_feedback_that_leaves_the_question_open_gives_no_label(status: str, verdict: str) -> None:
    assert label_of(said(verdict, status)) is None


def test_of_one_question_the_newest_feedback_counts() -> None:
    found = [
        said("right", number=5, question="What is the period?"),
        said("wrong", number=9, question="what is  the period?"),
        said("right", number=7, question="Another one?"),
    ]
    assert [(label.question, label.answerable) for label in labels_of(found)] == [
        ("what is  the period?", False),
        ("Another one?", True),
    ]


def test_question_whose_newest_feedback_leaves_it_open_gives_no_label() -> None:
    assert labels_of([said("right", number=1), said("right", "partial", number=2)]) == []
