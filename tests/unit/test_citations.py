from typing import Any

import pytest
from evidence_parts import passage, statement

from graphs.evidence.citations import modality, quote_of, quote_text, unsupported
from graphs.evidence.plainness import self_evident


def verdict(text: str, *quotes: str, question: str = "", **more: Any) -> str | None:
    cited = [passage(quote, f"p{n}", **more) for n, quote in enumerate(quotes)]
    return unsupported(statement(text, *cited), {p.id: p for p in cited}, question)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("滤网压差为 5 kPa。", "循环水滤网压差为 5 kPa，需清理。"),
        ("滤网压差为５千帕。", "循环水滤网压差为 5 kPa，需清理。"),
        ("费用为 3 万元。", "检修费用为 30,000 元。"),
        ("缺陷于 2025年6月发现。", "缺陷于 2025-06-12 发现。"),
        ("The hotel cost is paid at 100 %.", "We pay 100 percent of the hotel cost."),
        ("一号泵压力为 5 kPa，二号泵压力为 8 kPa。", "一号泵压力为 5 kPa。二号泵压力为 8 kPa。"),
        ("循环水泵出口压力正常值为 0.2 MPa。", "循环水泵出口压力低。正常值为 0.2 MPa。"),
        ("真空值为 -95 kPa。", "真空值应保持在 -97.0～-93.0 kPa，现为 -95 kPa。"),
        ("可能是滤网堵塞。", "原因可能是滤网堵塞。"),
        ("是滤网堵塞。", "初步怀疑是滤网堵塞。检查确认是滤网堵塞。"),
        ("不得启动备用泵。", "未经批准不得启动备用泵。"),
        ("The rule holds from 2025-05.", "The rule holds from May 2025."),
        ("尽可能提高冲洗水压力。", "应尽可能提高冲洗水压力。"),
        ("1. 先检查水位。\n2. 再检查端差。", "先检查水位。\n再检查端差。"),
    ],
)
def test_statement_that_its_quote_carries_stands(text: str, quote: str) -> None:
    assert verdict(text, quote) is None


@pytest.mark.parametrize(
    ("text", "quote", "why"),
    [
        ("滤网压差为 6 kPa。", "循环水滤网压差为 5 kPa，需清理。", "stands in no quote"),
        ("滤网压差为 5 MPa。", "循环水滤网压差为 5 kPa，需清理。", "stands in no quote"),
        ("温度为 5 ℃。", "温度为 -5 ℃。", "stands in no quote"),
        ("缺陷于 2025年6月12日发现。", "缺陷于 2025年6月发现。", "stands in no quote"),
        ("参见 QX-2025-095。", "参见 QX-2025-094。", "stands in no quote"),
        ("两项费用共 800 元。", "机票费用 500 元，酒店费用 300 元。", "stands in no quote"),
        # The number stands in another sentence than its subject
        ("一号泵压力为 8 kPa。", "一号泵压力为 5 kPa。二号泵压力为 8 kPa。", "stands in no quote"),
        ("凝汽器真空为 12 台。", "凝汽器真空正常。备用风机共 12 台。", "stands in no quote"),
        ("Meals cost 80 USD.", "Meals are paid. Hotels are paid up to 80 USD.", "stands in no quote"),
        # Less certain, or forbidden
        ("是滤网堵塞。", "原因可能是滤网堵塞。", "less certain"),
        ("The pump is broken.", "The pump might be broken.", "less certain"),
        ("可以启动备用泵。", "不得启动备用泵。", "forbids"),
        ("Staff book the flight.", "Staff must not book the flight.", "forbids"),
    ],
)  # fmt: skip
def test_statement_that_says_more_than_its_quote_falls(text: str, quote: str, why: str) -> None:
    assert why in (verdict(text, quote) or "")


def test_number_of_the_question_needs_no_quote() -> None:
    text, quote = "压差达到 8 kPa 时应清理滤网。", "压差升高时应清理滤网。"
    assert verdict(text, quote) is not None
    assert verdict(text, quote, question="压差达到 8 kPa 怎么办？") is None


TABLE = "| 设备 | 额定压力 |\n|---|---|\n| 一号泵 | 5 kPa |\n| 二号泵 | 8 kPa |"


@pytest.mark.parametrize(
    ("text", "lines", "stands"),
    [
        ("一号泵的额定压力为 5 kPa。", (0, 2), True),
        ("一号泵的额定压力为 5 kPa。", (0, 2, 3), True),
        ("一号泵的额定压力为 8 kPa。", (0, 2, 3), False),
        ("额定压力为 5 kPa。", (0, 2), True),
        ("额定压力为 5 kPa。", (2,), False),
        ("排汽温度为 5 kPa。", (0, 2), False),
    ],
)
def test_value_in_a_row_is_read_with_its_quoted_header_and_for_its_own_row_alone(
    text: str, lines: tuple[int, ...], stands: bool
) -> None:
    source = passage(TABLE, "p", start=40)
    parts = TABLE.split("\n")
    said = statement(text)
    for number in lines:
        start = TABLE.index(parts[number])
        said["citations"].append(quote_of(source, start, start + len(parts[number])))
    assert (unsupported(said, {"p": source}, "") is None) is stands


def test_code_or_date_of_the_heading_stands() -> None:
    quote = "滤网局部附着杂物。"
    more = {"section": ("QX-2025-094 滤网",), "date": "2025-06-12"}
    assert verdict("QX-2025-094 的滤网局部附着杂物。", quote, **more) is None
    assert verdict("2025年6月12日滤网局部附着杂物。", quote, **more) is None
    assert verdict("QX-2025-095 的滤网局部附着杂物。", quote, **more) is not None


def test_statement_without_a_quote_falls() -> None:
    assert verdict("滤网压差正常。") == "no quote carries it"


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (0, 0), (3, 2), (0, 99), (12, 20), (100, 103)])
def test_quote_at_a_wrong_place_falls(start: int, end: int) -> None:
    source = passage("滤网压差正常。", "p", start=10)
    said = statement("滤网压差正常。", source)
    said["citations"][0].update(start=start, end=end)
    assert unsupported(said, {"p": source}, "") == "the quote does not stand at its place"


@pytest.mark.parametrize("field", ["passage", "version", "document_id"])
def test_quote_from_another_place_than_it_says_falls(field: str) -> None:
    source = passage("滤网压差正常。", "p")
    said = statement("滤网压差正常。", source)
    said["citations"][0][field] = "other"  # type: ignore[literal-required]
    assert unsupported(said, {"p": source}, "") == "the quote does not stand at its place"


def test_one_bad_quote_among_good_ones_is_not_overlooked() -> None:
    source = passage("滤网压差正常。", "p")
    said = statement("滤网压差正常。", source, source)
    said["citations"][1]["end"] = 999
    assert unsupported(said, {"p": source}, "") is not None


def test_quote_is_the_text_at_its_places_in_the_document() -> None:
    source = passage("前文。滤网压差正常。", "p", start=100)
    cited = quote_of(source, 3, 10)
    assert (cited["start"], cited["end"]) == (103, 110)
    assert quote_text(cited, source) == "滤网压差正常。"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("不得启动。", "forbidden"),
        ("严禁烟火。", "forbidden"),
        ("You may not book.", "forbidden"),
        ("可能堵塞。", "possible"),
        ("It might fail.", "possible"),
        ("valid from May 2025", "certain"),
        ("不可能发生。", "certain"),
        ("必须检查。", "required"),
        ("应检查水位。", "required"),
        ("You must report it.", "required"),
        ("反应正常。", "certain"),
        ("供应充足。", "certain"),
        ("应用软件已装。", "certain"),
        ("检查水位。", "certain"),
    ],
)
def test_modality_is_told_by_the_words(text: str, expected: str) -> None:
    assert modality(text) == expected


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("滤网压差升高。", "旋转滤网压差升高，冲洗水压力不足。", True),
        ("锅炉炉膛负压波动。", "旋转滤网压差升高，冲洗水压力不足。", False),
        ("Hotel costs are reimbursed.", "The hotel cost is reimbursed.", True),
        ("。", "旋转滤网压差升高。", False),
    ],
)
def test_plain_copy_needs_no_model(text: str, quote: str, expected: bool) -> None:
    source = passage(quote, "p")
    assert self_evident(statement(text, source), {"p": source}) is expected


@pytest.mark.parametrize(
    ("quote", "text", "stands"),
    [
        ("延误少于 6 小时的，酒店费用不予报销。", "延误少于 6 小时的，酒店费用予以报销。", False),
        ("Hotel costs are not reimbursed for short delays.", "Hotel costs are reimbursed for short delays.", False),
        ("Hotel costs are reimbursed for long delays.", "Hotel costs are not reimbursed for long delays.", False),
        ("滤网前后压差不大于 100 mm 水柱。", "滤网前后压差最多 100 mm 水柱。", True),
        ("阀门未关闭，应立即手动关闭阀门。", "阀门未关闭时应立即手动关闭阀门。", True),
    ],
)  # fmt: skip
def test_statement_that_turns_its_quote_around_never_stands(
    quote: str, text: str, stands: bool
) -> None:
    assert (verdict(text, quote) is None) is stands
