"""Where the embedded assessment decides by itself."""

from typing import cast

import pytest
from evidence_parts import evidence, passage

from graphs.ask.records import Assessment
from graphs.evidence.certainty import uncertain
from graphs.policy import Policy

POLICY = Policy(sure_below=0.3, sure_from=0.75)


def assessed(confidence: float) -> Assessment:
    return cast(Assessment, {"confidence": confidence})


@pytest.mark.parametrize(
    ("confidence", "open_"),
    [(0.0, False), (0.299, False), (0.3, True), (0.6, True), (0.749, True), (0.75, False), (1.0, False)],
)  # fmt: skip
def test_between_the_two_confidences_it_is_open(confidence: float, open_: bool) -> None:
    found = [evidence(passage("水泵每年检修一次。", language="zh"))]
    assert uncertain(found, "zh", assessed(confidence), POLICY) is open_


@pytest.mark.parametrize(("place", "open_"), [(0, True), (2, True), (3, False)])
def test_another_language_among_the_best_leaves_it_open(place: int, open_: bool) -> None:
    found = [evidence(passage(f"第{n}段。", language="zh")) for n in range(5)]
    found[place] = evidence(passage("The pump is overhauled each year.", language="en"))
    assert uncertain(found, "zh", assessed(0.9), POLICY) is open_


def test_without_evidence_there_is_nothing_to_look_at() -> None:
    assert not uncertain([], "zh", assessed(0.5), POLICY)


def test_cascade_that_is_off_looks_always() -> None:
    found = [evidence(passage("水泵每年检修一次。", language="zh"))]
    off = Policy(sure_below=0.0, sure_from=float("inf"))
    assert all(uncertain(found, "zh", assessed(c), off) for c in (0.0, 0.5, 1.0))
