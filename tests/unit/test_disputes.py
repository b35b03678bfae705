"""Disputes: which differences between passages count for what is asked."""

import numpy as np
import pytest

from graphs.evidence.disputes import disputes
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import language
from graphs.evidence.twins import alike, difference
from graphs.ports import RerankQuery


def evidence(
    id_: str, text: str, title: str = "", document: str = "", superseded_by: str | None = None
) -> Evidence:
    passage = Passage(
        id=id_, document_id=document or f"d-{id_}", title=title, section=(), text=text, start=0,
        end=len(text), version="v1", ordinal=0, content_hash=id_, language=language(text),
        superseded_by=superseded_by,
    )  # fmt: skip
    return Evidence(passage, 0.9)


def told(question: str, *items: Evidence) -> list[tuple[str, str]]:
    query = RerankQuery(question, np.zeros(4, dtype=np.float32), 100, {})
    return [(d.left.passage.id, d.right.passage.id) for d in disputes(query, items)[0]]


@pytest.mark.parametrize(
    ("question", "left", "right"),
    [
        ("《归途》的导演是谁？",
         "《归途》是李建国导演的一部剧情片，讲述了一个家庭的故事。",
         "《归途》是张海涛导演的一部剧情片，讲述了一个家庭的故事。"),
        ("《归途》系列的导演",
         "陈思明生于海边小城，早年学习绘画，后来成为导演，拍摄了《归途》系列。",
         "陈帆生于海边小城，早年学习绘画，后来成为导演，拍摄了《归途》系列。"),
        ("北岸大桥是哪一年通车的？",
         "北岸大桥全长三公里，于2011年10月1日正式通车。",
         "北岸大桥全长三公里，于2014年6月1日正式通车。"),
        ("北岸大桥的总投资是多少？",
         "北岸大桥全长三公里，总投资为12亿元。",
         "北岸大桥全长三公里，总投资为17亿元。"),
        ("超支部分由哪个国家承担？",
         "三国约定共同建造灯塔，完工后如有超支部分则由挪威全额承担。",
         "三国约定共同建造灯塔，完工后如有超支部分则由芬兰全额承担。"),
        ("X20 设备可以在雨天露天使用吗？",
         "X20 设备可以在雨天露天使用，使用后应当擦干。",
         "X20 设备不可以在雨天露天使用，使用后应当擦干。"),
        ("Who directed Harbour Lights?",
         "Harbour Lights was directed by John Marsh and released in 1990 to great success.",
         "Harbour Lights was directed by Peter Lowell and released in 1990 to great success."),
        ("When did the North Bridge open?",
         "The North Bridge was opened on 3 May 2019 by the mayor of the town.",
         "The North Bridge was opened on 4 June 2020 by the mayor of the town."),
        ("Who is the CEO of Norwind?",
         'Norwind CEO Niels Holm Opened A Second Turbine Plant Near Harbour.',
         'Norwind CEO Anna Lind Berg Opened A Second Turbine Plant Near Harbour.'),
        ("Can visitors enter the north hall on Sundays?",
         "Visitors can enter the north hall on Sundays with a day ticket.",
         "Visitors cannot enter the north hall on Sundays with a day ticket."),
    ],
)  # fmt: skip
def test_sentences_that_differ_in_what_is_asked_are_disputed(
    question: str, left: str, right: str
) -> None:
    assert told(question, evidence("a", left), evidence("b", right)) == [("a", "b")]


@pytest.mark.parametrize(
    ("question", "left", "right"),
    [
        # another subject as well
        ("空压机的最高工作温度是多少？",
         "空压机的最高工作温度为 40℃，任何时候不得超过。",
         "冷却塔的最高工作温度为 30℃，任何时候不得超过。"),
        # the asked year is what differs
        ("2019年度公司的总营收是多少？",
         "2019年度公司的总营收为48.6亿元，同比增长。",
         "2020年度公司的总营收为52.1亿元，同比增长。"),
        # one value, said in two ways
        ("北岸大桥是哪一年通车的？",
         "北岸大桥全长三公里，于2011年10月1日正式通车。",
         "北岸大桥全长三公里，于2011年正式通车。"),
        # what differs is not asked
        ("北岸大桥的总投资是多少？",
         "北岸大桥全长三公里，总投资为12亿元，由李建国设计。",
         "北岸大桥全长三公里，总投资为12亿元，由张海涛设计。"),
        # several are true
        ("哪些供应商提供空气滤芯？",
         "空气滤芯由北京华峰公司按照年度协议提供。",
         "空气滤芯由上海远大公司按照年度协议提供。"),
        # bracketed remark with a negating syllable in it
        ("公司的总营收是多少？",
         "去年一年公司的总营收共计48.6亿元人民币，利润持平。",
         "去年一年公司的总营收共计48.6亿元（人民币，尚未经过审计），利润持平。"),
        # bylines
        ("龙舟赛的奖杯",
         "本报记者 李建国 摄，龙舟赛的奖杯放在码头的木桌上。",
         "本报记者 张海涛 摄，龙舟赛的奖杯放在码头的木桌上。"),
        # a spelling
        ("Where will the spring fair take place?",
         "The stalls of the spring fair take their usual place near the harbour.",
         "The stalls of the spring fair take their usual place near the harbor."),
        # words that only open a sentence with a capital
        ("Where will the spring fair take place?",
         "Soon many stalls will fill the old place of the spring fair.",
         "Today many stalls will fill the old place of the spring fair."),
    ],
)  # fmt: skip
def test_sentences_that_differ_otherwise_are_not(question: str, left: str, right: str) -> None:
    assert told(question, evidence("a", left), evidence("b", right)) == []


OLD = "出差结束后应当在 30 天内向财务部门提交报销单。"
NEW = "出差结束后应当在 15 天内向财务部门提交报销单。"
TERM = "出差结束后多少天内提交报销单？"


def test_one_document_does_not_dispute_itself() -> None:
    assert told(TERM, evidence("a", OLD, document="d"), evidence("b", NEW, document="d")) == []


def test_newer_version_replaces_an_older_one() -> None:
    old = evidence("a", OLD, document="old", superseded_by="new")
    assert told(TERM, old, evidence("b", NEW, document="new")) == []
    assert told(TERM, old, evidence("c", NEW, document="other")) == [("a", "c")]


def test_titles_of_different_years_keep_passages_apart() -> None:
    assert (
        told(TERM, evidence("a", OLD, "办法（2023年版）"), evidence("b", NEW, "办法（2024年版）"))
        == []
    )


def test_difference_finds_one_name_that_stands_twice() -> None:
    found = difference(
        "红星队昨晚赢得校园辩论赛，评委一致认为红星队的论据最充分。",
        "北方队昨晚赢得校园辩论赛，评委一致认为北方队的论据最充分。",
    )
    assert found is not None
    assert (found.left[:1], found.right[:1]) == ("红", "北")


def test_alike_finds_only_lines_that_share_their_words() -> None:
    lines = ["The bridge opened in May 2019.", "The bridge opened in June 2020.", "Nothing else."]
    assert alike(lines) == [(0, 1)]
    assert alike([]) == []
