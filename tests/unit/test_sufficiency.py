"""What a set of passages says about being enough."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from evidence_parts import evidence, passage
from hypothesis import given
from hypothesis import strategies as st

from graphs.evidence.sufficiency import (
    LARGE,
    SMALL,
    Signals,
    agreement,
    new_words,
    odds,
    signals_of,
    smallness,
)
from graphs.evidence.text import words
from graphs.ports import RerankQuery

UNIT = st.floats(0, 1)
BROUGHT = st.lists(st.dictionaries(st.sampled_from("abcdef"), UNIT, max_size=4), max_size=6)
QUESTION = "循环水泵的额定转速是多少？"


def signals(*texts: str, question: str = QUESTION, base: int = 2000) -> Signals:
    frequency = dict.fromkeys(words(question), 5)
    query = RerankQuery(question, np.ones(4, dtype=np.float32) / 2, base, frequency)
    return signals_of(query, [evidence(passage(text)) for text in texts], {})


@pytest.mark.parametrize(
    ("brought", "expected"),
    [
        ([], 0.0),
        ([{}], 0.0),
        ([{"a": 0.6}], 0.6),
        ([{"a": 0.6, "b": 0.4}], 0.5),
        ([{"a": 0.5}, {"a": 0.5}], 0.75),
        ([{"a": 0.5}, {"b": 0.5}], 0.5),
        ([{"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.1}], 0.8),
        ([{"a": 1.0}, {"a": 0.2}], 1.0),
    ],
)
def test_passages_agree_where_they_bring_in_the_same_words(
    brought: Sequence[dict[str, float]], expected: float
) -> None:
    assert agreement(brought) == pytest.approx(expected)


@given(BROUGHT)
def test_agreement_is_in_the_unit_range_and_knows_no_order(brought: list[dict[str, float]]) -> None:
    value = agreement(brought)
    assert 0.0 <= value <= 1.0
    assert agreement(brought[::-1]) == pytest.approx(value)


@given(BROUGHT.filter(any), st.data())
def test_passage_that_says_the_same_never_lowers_the_agreement(
    brought: list[dict[str, float]], data: Any
) -> None:
    again = data.draw(st.sampled_from([each for each in brought if each]))
    assert agreement([*brought, again]) >= agreement(brought) - 1e-9


def test_new_words_are_those_that_the_question_does_not_hold() -> None:
    found = new_words([("额定转速为 1480 转", 0.9), ("转速升高", 0.3)], frozenset({"额定", "转速"}))
    assert found == {"1480": 0.9, "升高": 0.3}


@given(UNIT, UNIT)
def test_odds_keep_the_order_and_the_unit_range(one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert 0.0 <= odds(low) <= odds(high) <= 1.0


@pytest.mark.parametrize(("probability", "expected"), [(0.0, 0.0), (0.5, 0.5), (1.0, 1.0)])
def test_odds_are_mapped_to_the_unit_range(probability: float, expected: float) -> None:
    assert odds(probability) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("base", "expected"),
    [(0, 1.0), (1, 1.0), (SMALL, 1.0), (316, 0.5), (LARGE, 0.0), (100 * LARGE, 0.0)],
)
def test_base_is_small_or_large_by_its_logarithm(base: int, expected: float) -> None:
    assert smallness(base) == pytest.approx(expected, abs=0.001)


def test_no_passage_says_nothing() -> None:
    assert signals() == Signals(base=2000)
    assert signals("。") == Signals(base=2000, passages=1)


def test_passage_that_holds_the_question_says_more_than_one_that_does_not() -> None:
    near = signals("循环水泵的额定转速为 1480 r/min。")
    far = signals("凝汽器端差每周记录一次。")
    assert near.bearing > far.bearing
    assert near.words > 0.9 > far.words
    assert near.rarest > far.rarest


def test_two_documents_that_tell_the_same_agree_more_than_two_that_differ() -> None:
    one = "循环水泵的额定转速为 1480 转。"
    same = signals(one, "手册写明，循环水泵的额定转速为 1480 转。")
    other = signals(one, "循环水泵的额定转速见铭牌。")
    assert same.agreement > other.agreement


def test_order_of_the_passages_does_not_matter() -> None:
    texts = ["循环水泵的额定转速为 1480 转。", "凝汽器端差每周记录一次。", "水泵转速由变频器调节。"]
    assert signals(*texts) == signals(*reversed(texts))
