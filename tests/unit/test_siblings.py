"""Siblings: what a modifier, a number or a name tells apart, and what only looks like it."""

import pytest
from evidence_parts import passage

from graphs.evidence.lines import take_apart
from graphs.evidence.siblings import foreign, sibling_lines
from graphs.evidence.text import language

PHONES = "| 部门 | 电话 |\n|---|---|\n| 设备科 | 8021 |\n| 人事科 | 8035 |\n"
QUARTERS = "| Quarter | Revenue |\n|---|---|\n| Q1 | 12.4 |\n| Q2 | 13.1 |\n"
OFFICES = "| Office | Phone |\n|---|---|\n| Procurement | 44 |\n| Human Resources | 45 |\n"


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("信息科的电话是多少？", PHONES),
        ("财务科的电话", PHONES),
        ("一次风机的功率是多少？", "二次风机的功率为 200 kW。"),
        ("四号机的功率是多少？", "三号机的功率为 330 MW。"),
        ("4号机的功率是多少？", "三号机的功率为 330 MW。"),
        ("引风机的电流是多少？", "送风机的电流为 42 A。"),
        ("检修票保存多久？", "操作票和工作票保存 1 年。"),
        ("张伟的电话是多少？", "| 姓名 | 电话 |\n|---|---|\n| 李娜 | 8021 |\n| 王芳 | 8035 |\n"),
        ("What was the revenue in Q3?", QUARTERS),
        ("What is the phone of Finance?", OFFICES),
    ],
)
def test_passage_of_siblings_alone_is_foreign(question: str, text: str) -> None:
    assert foreign(question, take_apart(passage(text, language=language(text))))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("设备科的电话是多少？", PHONES),
        ("3号机的功率是多少？", "三号机的功率为 330 MW。"),
        ("#3机的功率是多少？", "三号机的功率为 330 MW。"),
        ("三号机的功率是多少？", "1号机的功率为 300 MW，3 号机的功率为 330 MW。"),
        ("循环水泵多久检修一次？", "水泵每年检修一次。"),
        ("真空试验多久做一次？", "真空试验每月做 2 次。"),
        ("女职工产假有多少天？", "女员工产假为 158 天。"),
        ("停机时有哪些禁止事项？", "停机的注意事项：不得开启旁路。"),
        ("引风机的电流是多少？", "送风机的电流为 42 A，引风机的电流为 55 A。"),
        ("What was the revenue in Q2?", QUARTERS),
        ("What is the phone of HR?", OFFICES),
        ("What is the phone of Human Resources?", OFFICES),
        ("When does Finance close?", "The books are closed on the last working day."),
        ("How long is the pump warranty?", "The warranty of pumps is two years."),
    ],
)
def test_passage_that_may_hold_the_thing_is_not_foreign(question: str, text: str) -> None:
    assert not foreign(question, take_apart(passage(text, language=language(text))))


def test_line_of_a_sibling_is_told_from_lines_that_name_the_thing_alone() -> None:
    text = take_apart(passage("护士夜班从 20:00 开始。夜班津贴每次 120 元。"))
    assert sibling_lines("医生夜班几点开始？", text) == {0}
    assert not sibling_lines("护士夜班几点开始？", text)


def test_text_in_another_language_is_never_foreign() -> None:
    assert not foreign("财务科的电话是多少？", take_apart(passage(OFFICES, language="en")))
    assert not foreign("What is the phone of Finance?", take_apart(passage(PHONES)))
