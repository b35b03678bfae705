"""Which facts may contradict each other: one thing, one attribute."""

from collections.abc import Sequence

import pytest
from evidence_parts import evidence, passage

from graphs.evidence.consistency import contradictions

TABLE = "| 编号 | 名称 | 供应商 | 库存 |\n|---|---|---|---|\n"


def clash(
    left: str, right: str, sections: Sequence[tuple[str, ...]] = ((), ()), document_id: str = "d2"
) -> bool:
    """Tell whether two passages, of two documents where not given otherwise, contradict."""
    a = passage(left, "a", section=sections[0])
    b = passage(right, "b", section=sections[1], document_id=document_id)
    return bool(contradictions([evidence(a), evidence(b)])[0])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("空气滤芯由检修人员每 500 小时更换一次。", "油过滤器由检修人员每 250 小时更换一次。"),
        (
            "The air filter must be replaced by the technician every 500 hours.",
            "The oil filter must be replaced by the technician every 250 hours.",
        ),
        (
            "The seal of part 5 is tested at a pressure of 3 bar.",
            "The seal of part 6 is tested at a pressure of 4 bar.",
        ),
        ("1号泵出口压力正常值为 0.5 MPa。", "2号泵出口压力正常值为 0.6 MPa。"),
        ("阀门 XV-101 的整定压力为 1.2 MPa。", "阀门 XV-102 的整定压力为 1.3 MPa。"),
        (TABLE + "| B1 | 空气滤芯 | 甲厂 | 3 件 |", TABLE + "| B2 | 空气滤芯 | 甲厂 | 4 件 |"),
        ("供应商：华昌\n质量得分：80 分", "供应商：北辰\n质量得分：85 分"),
        ("Supplier: Acme\nQuality score: 80 points", "Supplier: Borea\nQuality score: 85 points"),
        ("日期：2025-06-01\n滤网压差读数：80 mm", "日期：2025-06-02\n滤网压差读数：90 mm"),
        ("入口压力读数：80 kPa", "出口压力读数：90 kPa"),
    ],
)
def test_facts_of_different_things_or_attributes_do_not_contradict(left: str, right: str) -> None:
    assert not clash(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (TABLE + "| B1 | 空气滤芯 | 甲厂 | 3 件 |", TABLE + "| B1 | 空气滤芯 | 甲厂 | 4 件 |"),
        ("供应商：华昌\n质量得分：80 分", "供应商：华昌\n质量得分：85 分"),
        ("1号泵出口压力正常值为 0.5 MPa。", "1号泵出口压力正常值为 0.6 MPa。"),
        (
            "The air filter must be replaced by the technician every 500 hours.",
            "The air filter must be replaced by a technician every 250 hours.",
        ),
    ],
)
def test_two_documents_with_another_value_of_one_attribute_contradict(
    left: str, right: str
) -> None:
    assert clash(left, right)


@pytest.mark.parametrize("document_id", ["d1", "d2"])
def test_sentences_of_one_section_contradict(document_id: str) -> None:
    left, right = "正常运行时质量得分不低于 80 分。", "正常运行时质量得分不低于 85 分。"
    assert clash(left, right, (("华昌",), ("华昌",)), document_id)


def test_sections_of_one_document_are_different_subjects() -> None:
    left, right = "正常运行时质量得分不低于 80 分。", "正常运行时质量得分不低于 85 分。"
    assert not clash(left, right, (("华昌",), ("北辰",)), "d1")


def test_lines_under_different_names_are_different_records() -> None:
    assert not clash("质量得分：80 分", "质量得分：85 分", (("华昌",), ("北辰",)))
    assert clash("质量得分：80 分", "质量得分：85 分", (("华昌",), ("华昌",)))


def test_rows_of_one_table_never_contradict_across_passages() -> None:
    rows = [f"| B{i} | 空气滤芯 | 甲厂 | {i} 件 |" for i in range(1, 9)]
    items = [
        evidence(passage(TABLE + "\n".join(rows[i : i + 2]), f"p{i}", start=100 * i))
        for i in range(0, 8, 2)
    ]
    assert contradictions(items) == ([], 0)
