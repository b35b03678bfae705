import numpy as np
import pytest
from evidence_parts import passage

from graphs.evidence.answer_signs import SIGNS, AnswerSpan, signs_of
from graphs.evidence.answering import SHIPPED, answer_spans, pick
from graphs.evidence.values import Value
from graphs.ports import Candidate, RerankQuery

AXIS = np.eye(4, dtype=np.float32)


def query(text: str, **frequency: int) -> RerankQuery:
    return RerankQuery(text, AXIS[0], 1000, frequency)


def candidate(text: str, language: str = "zh") -> Candidate:
    return Candidate(passage(text, language=language), 0.0, 0.0, np.zeros((0, 4), dtype=np.float32))


def sign(name: str, question: RerankQuery, *given: Candidate) -> dict[str, float]:
    return {span.text: row[SIGNS.index(name)] for span, row in signs_of(question, given)}


def span(text: str, score: float, start: int = 0, value: str = "", of: str = "p") -> AnswerSpan:
    named = Value("name", value, "", 0, 1) if value else None
    return AnswerSpan(of, 0, start, start + len(text), text, score, named)


def best(question: str, *texts: str, language: str = "zh") -> str:
    spans = answer_spans(query(question), [candidate(text, language) for text in texts])
    return pick(spans, value_asked=True)[0].text


def test_there_is_a_weight_for_every_sign() -> None:
    assert len(SHIPPED.chinese.weights) == len(SHIPPED.other.weights) == len(SIGNS)


@pytest.mark.parametrize(
    ("question", "texts", "holds"),
    [
        ("展会何时开幕？", ["展会占地三十公顷。", "展会于12月9日开幕，门票免费。"], "12月9日"),
        ("园内有多少座桥？", ["园内有桥和湖。", "园区占地35公顷，园内有桥12座。"], "12座"),
    ],
)
def test_the_clause_with_the_asked_value_is_quoted_first(
    question: str, texts: list[str], holds: str
) -> None:
    assert holds in best(question, *texts)


def test_an_english_value_is_quoted_first() -> None:
    texts = "The mill is old and large.", "The mill closed in 1975."
    assert best("When did the mill close?", *texts, language="en") == texts[1]


def test_a_value_that_another_passage_states_agrees() -> None:
    question = query("展会何时开幕？")
    twice = sign("agree_kind", question, candidate("12月9日开幕。"), candidate("定于12月9日。"))
    alone = sign("agree_kind", question, candidate("12月9日开幕。"), candidate("定于8月1日。"))
    assert twice["12月9日开幕。"] > alone["12月9日开幕。"] == 0.0


def test_the_order_of_passages_changes_no_score() -> None:
    question = query("展会何时开幕？", 展会=3, 开幕=9)
    one, two = candidate("展会12月9日开幕，门票免费。"), candidate("展会8月1日签约。")
    scores = {s.text: s.score for s in answer_spans(question, [one, two])}
    assert scores == {s.text: s.score for s in answer_spans(question, [two, one])}


def test_headings_are_not_quoted() -> None:
    spans = answer_spans(query("展会何时开幕？"), [candidate("# 展会\n12月9日开幕。")])
    assert [s.text for s in spans] == ["12月9日开幕。"]


def test_nothing_given_gives_nothing() -> None:
    assert answer_spans(query("展会何时开幕？"), []) == []
    assert pick([], value_asked=True) == []


def test_overlaps_and_repeated_values_are_left_out() -> None:
    chosen = pick(
        [
            span("甲乙丙", 3.0, 0, "x"),
            span("乙丙", 2.9, 1, "y"),
            span("另一处", 2.8, 9, "x"),
            span("第三处", 2.7, 20, "z"),
        ],
        value_asked=True,
    )
    assert [s.text for s in chosen] == ["甲乙丙", "第三处"]


def test_what_is_much_less_likely_is_left_out() -> None:
    assert len(pick([span("甲", 3.0), span("乙", -1.0, 9)], value_asked=False)) == 1


def test_quotes_end_with_a_short_answer() -> None:
    spans = [span("字" * 60 + str(i), 1.0, 100 * i) for i in range(5)]
    assert len(pick(spans, value_asked=False)) == 2


def test_where_a_value_is_asked_a_clause_with_one_comes_first() -> None:
    spans = [span("泵的额定流量很大", 2.0), span("流量 5 吨", 1.0, 30, "5")]
    assert pick(spans, value_asked=True)[0].value is not None
    assert pick(spans, value_asked=False)[0].value is None
