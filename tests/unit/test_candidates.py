import pytest

from graphs.evidence.asks import strip_cues
from graphs.evidence.candidates import Wanted, best_candidate, candidates_in
from graphs.evidence.text import words
from graphs.evidence.values import Value, agree, values_in


def kinds_of(text: str) -> list[tuple[str, str]]:
    return [(value.kind, text[value.start : value.end]) for value in values_in(text)]


def best(question: str, sentence: str) -> str:
    weights = dict.fromkeys(words(strip_cues(question)), 1.0)
    found = best_candidate(sentence, Wanted.of(question), weights)
    return sentence[found.value.start : found.value.end] if found else ""


@pytest.mark.parametrize(
    ("text", "kind", "written"),
    [
        ("展会于2022年12月9日开幕", "date", "2022年12月9日"),
        ("展会于12月9日开幕", "date", "12月9日"),
        ("It opens on Oct. 11 at noon.", "date", "Oct. 11"),
        ("It opened in 1998 as a mill.", "date", "1998"),
        ("会议在下午3点30分开始", "clock", "下午3点30分"),
        ("Doors open at 8 p.m. sharp", "clock", "8 p.m."),
        ("全长三十五公里", "number", "三十五公里"),
        ("园内共有三座桥", "number", "三座"),
        ("The park has twelve bridges", "number", "twelve"),
        ("营收同比增长62%", "percent", "62%"),
        ("工厂位于葡萄牙北部", "place", "葡萄牙"),
        ("获奖的是《深海来信》", "title", "《深海来信》"),
        ("由远山集团有限公司承建", "organisation", "集团"),
        ("The plant lies near Ravenna by the sea", "place", "Ravenna"),
        ("It was bought by Norwood University last", "organisation", "Norwood University"),
    ],
)
def test_a_value_is_read_with_its_kind(text: str, kind: str, written: str) -> None:
    found = kinds_of(text)
    assert any(k == kind and written in w for k, w in found), found


@pytest.mark.parametrize("text", ["序号1500元", "型号 QX-2025-094", "共2000台水泵"])
def test_a_measure_or_a_code_is_no_year(text: str) -> None:
    assert all(kind != "date" for kind, _ in kinds_of(text))


def test_what_a_sentence_opens_with_is_no_name() -> None:
    assert kinds_of("When the pump stops, check it. It restarts.") == []


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (("date", "2022-12-09", ""), ("date", "12-09", ""), True),
        (("date", "2022-12-09", ""), ("date", "2022", ""), True),
        (("date", "2022-12-09", ""), ("date", "12-10", ""), False),
        (("date", "2022", ""), ("date", "2023", ""), False),
        (("number", "3", "km"), ("number", "3", ""), True),
        (("number", "3", "km"), ("number", "3", "kg"), False),
        (("number", "3", ""), ("percent", "3", "%"), False),
        (("person", "annaberg", ""), ("name", "berg", ""), True),
        (("place", "ravenna", ""), ("place", "verona", ""), False),
    ],
)
def test_values_agree_where_one_may_stand_for_the_other(
    left: tuple[str, str, str], right: tuple[str, str, str], same: bool
) -> None:
    one, other = Value(*left, 0, 1), Value(*right, 5, 6)  # type: ignore[arg-type]
    assert agree(one, other) is same
    assert agree(other, one) is same


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("展会什么时候开幕？", "time"),
        ("When was the mill built?", "time"),
        ("园内有多少座桥？", "number"),
        ("How many bridges are there?", "number"),
        ("利润占比多少？", "percent"),
        ("总设计师是谁？", "person"),
        ("Who designed it?", "person"),
        ("总部在哪里？", "place"),
        ("In which city was it built?", "place"),
        ("哪家公司承建？", "organisation"),
        ("哪部电影获奖？", "title"),
        ("获奖的项目是什么？", "any"),
        ("说明停泵的步骤", ""),
    ],
)
def test_a_question_tells_which_kind_it_asks_for(question: str, name: str) -> None:
    assert Wanted.of(question).name == name


@pytest.mark.parametrize(
    ("question", "sentence", "expected"),
    [
        ("何时正式开幕？", "展会3月5日签约，12月9日正式开幕。", "12月9日"),
        ("园内有多少座桥？", "园区占地35公顷，园内建有十二座桥。", "十二座"),
        (
            "How many bridges does the park have?",
            "The park covers 35 hectares and has 12 bridges.",
            "12 bridges",
        ),
        ("When did the mill close?", "Built in 1898, the mill closed in 1975.", "1975"),
        ("1200 吨的水泵有几台？", "1200 吨的水泵共 3 台。", "3 台"),
    ],
)
def test_the_new_value_of_the_asked_kind_nearest_to_the_questions_words_is_best(
    question: str, sentence: str, expected: str
) -> None:
    assert expected in best(question, sentence) or best(question, sentence) in expected
    assert best(question, sentence)


def test_what_the_question_names_is_not_new() -> None:
    found = candidates_in("2022年开幕，2023年闭幕。", Wanted.of("2022年开的展会哪年闭幕？"), {})
    assert [(c.value.value, c.new) for c in found] == [("2022", False), ("2023", True)]


def test_a_day_of_the_year_that_is_asked_about_is_new() -> None:
    found = candidates_in("闭幕于2022年12月9日。", Wanted.of("2022年展会何时闭幕？"), {})
    assert [c.new for c in found] == [True]


def test_the_year_of_a_day_that_is_asked_about_is_not_new() -> None:
    found = candidates_in("2022年闭幕。", Wanted.of("2022年12月9日闭幕的是哪年的展会？"), {})
    assert [c.new for c in found] == [False]


def test_a_number_of_another_unit_fits_less() -> None:
    wanted = Wanted.of("有多少台水泵？")
    hall, pumps = candidates_in("厂房长 90 米，有水泵 3 台。", wanted, {"水泵": 1.0})
    assert pumps.fit > hall.fit
    assert pumps.nearness > hall.nearness


def test_a_question_for_no_value_has_no_candidates() -> None:
    assert candidates_in("先停泵，3 分钟后关阀。", Wanted.of("说明停泵的步骤"), {"停泵": 1.0}) == []


@pytest.mark.parametrize(
    "text", ["", "，。", "é" * 40, "İstanbul 2022 İ 3 km", "\u2028 12月９日 ①"]
)
def test_odd_text_keeps_every_place(text: str) -> None:
    for value in values_in(text):
        assert 0 <= value.start < value.end <= len(text)


@pytest.mark.parametrize(
    "question", ["安全阀多久校验一次？", "安全閥多長時間校驗一次", "安全阀几年校验1次？"]
)
def test_the_once_of_a_question_for_how_often_is_new_in_an_answer(question: str) -> None:
    wanted = Wanted.of(question)
    found = candidates_in(
        "安全阀每年校验一次，整定压力 1.2 MPa。", wanted, {"安全阀": 1.0, "校验": 1.0}
    )
    best = max(found, key=lambda c: c.strength)
    assert (best.value.unit, best.new) == ("次", True)
    assert all(c.fit < best.fit for c in found if c.value.unit != "次")


def test_a_count_that_is_asked_about_is_known_where_nobody_asks_how_often() -> None:
    found = candidates_in("校验一次要 2 小时。", Wanted.of("校验一次要几小时？"), {"校验": 1.0})
    assert [c.new for c in found if c.value.unit == "次"] == [False]
