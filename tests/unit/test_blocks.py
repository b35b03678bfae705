import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.evidence.blocks import cells, header_of, plain, row_at, rows

TEXT = """## 检查步骤
先看系统：
1. 检查水位

2. 检查端差
   并记录结果
- 完成后汇报

| 设备 | 压力 |
|---|---|
| 一号泵 | 5 kPa |
| 二号泵 | 8 kPa |

| 名称 | 数量 |
| --- | ---: |
| 阀门 | 3 |
结束。"""


def test_lines_are_told_apart_and_belong_to_their_block() -> None:
    found = rows(TEXT)
    assert [(TEXT[row.start : row.end].strip()[:5], row.kind) for row in found] == [
        ("## 检查", "heading"),
        ("先看系统：", "text"),
        ("1. 检查", "item"),
        ("2. 检查", "item"),
        ("并记录结果", "item"),
        ("- 完成后", "item"),
        ("| 设备 ", "header"),
        ("|---|", "rule"),
        ("| 一号泵", "row"),
        ("| 二号泵", "row"),
        ("| 名称 ", "header"),
        ("| ---", "rule"),
        ("| 阀门 ", "row"),
        ("结束。", "text"),
    ]
    assert len({row.block for row in found if row.kind == "item"}) == 1


@pytest.mark.parametrize(
    ("needle", "header"), [("一号泵", "| 设备 | 压力 |"), ("8 kPa", "| 设备 | 压力 |"), ("阀门", "| 名称 | 数量 |")]
)  # fmt: skip
def test_row_finds_the_header_of_its_own_table(needle: str, header: str) -> None:
    found = rows(TEXT)
    row = row_at(found, TEXT.index(needle))
    assert row is not None
    above = header_of(found, row)
    assert above is not None
    assert TEXT[above.start : above.end] == header


def test_place_between_lines_belongs_to_none() -> None:
    assert row_at(rows("一\n\n二"), 1) is None
    assert row_at([], 0) is None


def test_table_without_a_rule_has_no_header() -> None:
    found = rows("| 一号泵 | 5 kPa |\n| 二号泵 | 8 kPa |")
    assert [row.kind for row in found] == ["row", "row"]
    assert header_of(found, found[1]) is None


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("| a | b |", ["a", "b"]),
        ("|a||b|", ["a", "", "b"]),
        ("| 一 |", ["一"]),
        (r"| a \| b | c |", [r"a \| b", "c"]),
        ("| | b |", ["", "b"]),
    ],
)
def test_cells_are_those_between_the_bars(line: str, expected: list[str]) -> None:
    assert cells(line) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **检查**水位", "检查水位"),
        ("3. `阀门` 关闭", "3. 阀门 关闭"),
        ("（2）关闭", "（2）关闭"),
        ("① 关闭", "① 关闭"),
        ("## 标题", "标题"),
        ("> 引文", "引文"),
        ("一\n\n- 二", "一 二"),
        ("1.5 MPa 时停机", "1.5 MPa 时停机"),
        ("2.5倍", "2.5倍"),
        ("snake_case 和 __init__", "snake_case 和 init"),
    ],
)
def test_marks_are_taken_off_and_values_stay(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(st.text(alphabet=st.sampled_from("ab1.| -*#\n\t：一、"), max_size=80))
def test_every_row_is_a_whole_line_and_no_line_is_lost(text: str) -> None:
    found = rows(text)
    lines = [line for line in text.split("\n") if line.strip()]
    assert [text[row.start : row.end] for row in found] == lines
    blocks = [row.block for row in found]
    assert blocks == sorted(blocks)
