"""When an answer counts as right."""

import pytest

from app.evaluation.rag.answers import contained, cut, exact_match, f1, holds


@pytest.mark.parametrize(
    ("text", "answer", "language", "right"),
    [
        ("检修 周期是 3 个月。", [["3个月"]], "zh", True),
        ("检修周期是13天。", [["3个月"]], "zh", False),
        ("On Jan 2, 2022 it began.", [["January 2 2022", "jan 2, 2022"]], "en", True),
        ("On Jan 2,2022 it began.", [["jan 2, 2022"]], "en", False),
        ("甲在一月，乙在二月。", [["一月"], ["二月"]], "zh", True),
        ("甲在一月。", [["一月"], ["二月"]], "zh", False),
        ("anything", [], "en", False),
        ("anything", [[]], "en", False),
    ],
)
def test_answer_is_contained_when_every_item_stands_there(
    text: str, answer: list[list[str]], language: str, right: bool
) -> None:
    assert contained(text, answer, language) is right


def test_answer_behind_the_limit_is_not_read() -> None:
    zh, en = "零" * 97 + "3个月", "word " * 49 + "last"
    assert contained(cut(zh, "zh"), [["3个月"]], "zh")
    assert not contained(cut("零" + zh, "zh"), [["3个月"]], "zh")
    assert cut(en, "en").endswith("last")
    assert "last" not in cut("word " + en, "en")


@pytest.mark.parametrize(
    ("text", "gold", "exact", "score"),
    [
        ("The Eiffel Tower!", "eiffel tower", True, 1.0),
        ("It is the tall Eiffel Tower", "Eiffel Tower", False, 4 / 7),
        ("yes, indeed", "yes", False, 0.0),
        ("nothing", "Eiffel Tower", False, 0.0),
        ("", "Eiffel Tower", False, 0.0),
    ],
)
def test_words_are_scored_as_hotpotqa_scores_them(
    text: str, gold: str, exact: bool, score: float
) -> None:
    assert exact_match(text, gold) is exact
    assert f1(text, gold) == pytest.approx(score)


def test_short_answer_is_held_as_whole_words_only() -> None:
    assert holds("He said no, twice.", "No")
    assert not holds("He knows it.", "no")
