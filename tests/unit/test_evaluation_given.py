"""Which passages are given, by the published protocols."""

import pytest

from app.evaluation.datasets import Given, Question
from app.evaluation.rag.given import conflicting, integrated, noisy, shuffled, true_alone


def _question(given: Given) -> Question:
    return Question("1", "?", {"p": 1}, given=given)


_ZH = _question(Given([[f"p{at}"] for at in range(6)], [f"n{at}" for at in range(7)]))


@pytest.mark.parametrize(
    ("ratio", "negative"), [(0, 0), (0.2, 1), (0.4, 2), (0.6, 3), (0.8, 4), (1, 5)]
)
def test_share_of_noise_sets_the_number_of_negatives(ratio: float, negative: int) -> None:
    found = noisy(_ZH, ratio)
    wanted = {f"p{at}" for at in range(5 - negative)} | {f"n{at}" for at in range(negative)}
    assert len(found) == 5
    assert {*found} == wanted
    assert found == noisy(_ZH, ratio)


def test_published_selection_is_taken_as_it_is() -> None:
    question = _question(Given([["p0"]], ["n0", "n1"], mixed={"0.8": ["n1", "p0"]}))
    assert {*noisy(question, 0.8)} == {"n1", "p0"}
    assert {*noisy(question, 1)} == {"n0", "n1"}


def test_order_tells_nothing_of_what_is_true() -> None:
    assert noisy(_ZH, 0.4)[:3] != ["p0", "p1", "p2"]
    assert {*shuffled(["a", "b", "a"])} == {"a", "b"}


def test_every_part_of_an_answer_has_a_passage() -> None:
    question = _question(Given([["a0", "a1", "a2"], ["b0"]], ["n0", "n1", "n2", "n3"]))
    assert {*integrated(question, 0.4)} == {"a0", "b0", "a1", "n0", "n1"}
    assert {*integrated(question, 0)} == {"a0", "b0", "a1", "a2", "n0"}
    assert {"a0", "b0"} <= {*integrated(question, 0.8)}


def test_conflict_has_two_of_each_side_or_is_left_out() -> None:
    given = Given([["p0"], ["p1"], ["p2"]], ["n0"], ["w0", "w1", "w2"])
    assert {*(conflicting(_question(given)) or ())} == {"p0", "p1", "w0", "w1", "n0"}
    assert {*true_alone(_question(given))} == {"p0", "p1", "n0"}
    for few in (
        Given([["p0"]], ["n0"], ["w0", "w1"]),
        Given([["p0"], ["p1"]], ["n0"], ["w0"]),
        Given([["p0"], ["p1"]], [], ["w0", "w1"]),
    ):
        assert conflicting(_question(few)) is None
