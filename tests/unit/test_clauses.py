import pytest

from graphs.evidence.clauses import quotable


def quoted(sentence: str) -> list[str]:
    return [sentence[start:end] for start, end in quotable(sentence)]


def test_a_chinese_clause_with_a_verb_may_stand_alone() -> None:
    sentence = "展会占地三十公顷，十二月九日正式开幕，门票免费。"
    assert "十二月九日正式开幕" in quoted(sentence)


def test_the_whole_sentence_may_always_be_quoted() -> None:
    sentence = "展会占地三十公顷，十二月九日正式开幕，门票免费。"
    assert sentence in quoted(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "延误补偿每人三百元，不适用于延误少于 6 小时的航班。",
        "如果压力低于 5 kPa，应立即停泵，并通知值长。",
        "阀门可能泄漏，检修人员打开了人孔。",
        "除经批准外，员工乘坐经济舱，超出部分自付。",
        "Hotels are paid for three nights, unless the manager agrees to more.",
        "The pump may have failed, the log says.",
        "Meals are reimbursed, but alcohol is excluded.",
    ],
)
def test_a_condition_a_denial_or_a_doubt_keeps_its_sentence_whole(sentence: str) -> None:
    assert quoted(sentence) == [sentence]


def test_a_clause_that_leans_on_the_one_before_does_not_stand_alone() -> None:
    sentence = "检修人员打开了人孔，并清理了滤网，随后恢复运行。"
    assert not any(text.startswith("并") for text in quoted(sentence))


def test_an_english_sentence_is_cut_at_its_end_only() -> None:
    sentence = "The mill closed in 1975, after a fire destroyed the roof."
    assert quoted(sentence) == ["The mill closed in 1975", sentence]


def test_a_comma_inside_a_title_or_brackets_divides_nothing() -> None:
    sentence = "获奖的是《深海，来信》这部影片，颁奖礼在海城举行。"
    assert not any(text.startswith("来信") or text.endswith("深海") for text in quoted(sentence))


def test_text_that_runs_on_is_divided_where_its_sentences_end() -> None:
    sentence = "The park opened in 1998.[4] Entry costs 3 euros."
    assert quoted(sentence)[0].startswith("The park opened in 1998.")
    assert "Entry costs 3 euros." in quoted(sentence)


@pytest.mark.parametrize("text", ["", "，，，", "x", "，甲，", ". . .", "\u3000\u3000"])
def test_odd_text_gives_spans_inside_it(text: str) -> None:
    assert all(0 <= start < end <= len(text) for start, end in quotable(text))
