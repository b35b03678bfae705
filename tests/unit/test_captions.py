"""A table's number, title and unit stay with every piece of it, whatever format it comes from."""

import io
from collections.abc import Callable

import pytest
from docx import Document
from openpyxl import Workbook

from app.ingest.atoms import SplitLimits
from app.ingest.captions import caption_lines
from app.ingest.converters.converted import Converted
from app.ingest.loading import convert
from app.ingest.preparing import embedded_text, prepare
from app.ingest.splitting import Piece, split
from graphs.evidence.blocks import header_line, rows
from graphs.evidence.passages import Passage

HEAD = ["设备", "压力", "温度"]
BODY = [[f"设备{i}", str(3 * i), str(7 * i)] for i in range(240)]
TABLE = "\n".join(f"| {' | '.join(row)} |" for row in [HEAD, ["---"] * 3, *BODY])


def passages(converted: Converted) -> list[Passage]:
    """Return the passages of a text."""
    return prepare("kb", "file", converted, SplitLimits(), "made").passages


def table_pieces(text: str) -> list[Piece]:
    """Return the pieces of a Markdown text that hold rows of the table."""
    return [p for p in split(text, True).pieces if "| 设备" in text[p.start : p.end]]


@pytest.mark.parametrize(
    "caption",
    [
        "单位：万元", "（单位：kPa）", "**单位：人民币元**", "金额单位: 元", "Unit: kPa", "(in millions of USD)",
        "Amounts in EUR thousand", "表 3 各设备的压力", "续表3", "Table 3. Pressures", "表 3 压力\n单位：kPa",
        "表 3 压力\n\n单位：kPa", "各设备的压力\n\n单位：kPa",
    ],
)  # fmt: skip
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_caption_right_above_a_long_table_goes_with_every_piece(caption: str, gap: str) -> None:
    text = f"# 报表\n\n前面是一段说明文字。\n\n{caption}{gap}{TABLE}\n\n后面。\n"
    first, *later = table_pieces(text)
    assert caption in text[first.start : first.end]
    assert len(later) > 3
    lines = [line for line in caption.split("\n") if line]
    assert {piece.lead for piece in later} == {"\n".join([*lines, *TABLE.split("\n")[:2]])}


def test_caption_stays_with_a_table_of_one_piece() -> None:
    table = "\n".join(TABLE.split("\n")[:60])
    text = f"# 报表\n\n{'前面是一段说明文字。' * 40}\n\n单位：万元\n\n{table}\n"
    pieces = split(text, True).pieces
    assert [text[p.start : p.end].startswith("单位") for p in pieces] == [False, True]
    assert text[pieces[1].start : pieces[1].end] == f"单位：万元\n\n{table}"


@pytest.mark.parametrize(
    "line",
    ["表 3 列出了各设备的压力。", "Table 3 shows the pressures of all devices.", "压力见下，单位为 kPa，温度见附录。"],
)  # fmt: skip
def test_sentence_above_a_table_is_no_caption(line: str) -> None:
    assert caption_lines([line]) == 0
    assert {p.lead.count("\n") for p in table_pieces(f"{line}\n\n{TABLE}\n")[1:]} == {1}


def test_only_the_lines_right_above_are_the_caption() -> None:
    assert (
        caption_lines(["单位：元", "", "这一段不属于表格。", "", "表 3 压力", "", "单位：kPa", ""])
        == 4
    )
    assert caption_lines([]) == 0


def test_names_of_columns_are_read_below_the_caption() -> None:
    found = passages(Converted(f"# 报表\n\n单位：万元\n\n{TABLE}\n", True))[-1]
    layout = rows(found.text)
    assert header_line(layout, layout[0], found.text, found.lead) == "| 设备 | 压力 | 温度 |"
    assert found.heading_row == "单位：万元 | 设备 | 压力 | 温度 |"
    shown = embedded_text(found.title, found.section, found.text, found.lead)
    assert shown.startswith("报表 单位：万元 | 设备 | 压力 | 温度 | | 设备")


def test_caption_of_a_table_without_names_gives_no_names() -> None:
    body = "\n".join(TABLE.split("\n")[2:])
    found = passages(Converted(f"# 报表\n\n单位：万元\n\n{body}\n", True))[-1]
    layout = rows(found.text)
    assert header_line(layout, layout[0], found.text, found.lead) == ""
    assert found.heading_row == "单位：万元"


def as_csv() -> tuple[str, bytes]:
    """Return a CSV with title and unit on one line."""
    lines = [["各设备的压力", "", "单位：kPa"], HEAD, *BODY]
    return "a.csv", "\n".join(map(",".join, lines)).encode()


def as_sheet() -> tuple[str, bytes]:
    """Return a sheet with title and unit on one line."""
    book, data = Workbook(), io.BytesIO()
    sheet = book.active
    assert sheet is not None
    for row in [["各设备的压力", None, "单位：kPa"], HEAD, *BODY]:
        sheet.append(row)
    book.save(data)
    return "a.xlsx", data.getvalue()


def as_word() -> tuple[str, bytes]:
    """Return a Word file with title and unit as a paragraph above the table."""
    document, data = Document(), io.BytesIO()
    document.add_paragraph("前面是一段说明文字。")
    document.add_paragraph("各设备的压力 单位：kPa")
    table = document.add_table(0, 3)
    for row in [HEAD, *BODY[:120]]:
        for cell, value in zip(table.add_row().cells, row, strict=True):
            cell.text = value
    document.save(data)
    return "a.docx", data.getvalue()


def as_page() -> tuple[str, bytes]:
    """Return a web page with a caption inside the table."""
    body = "".join(f"<tr><td>{'</td><td>'.join(row)}</td></tr>" for row in [HEAD, *BODY])
    page = (
        f"<p>前面是一段说明文字。</p><table><caption>各设备的压力 单位：kPa</caption>{body}</table>"
    )
    return "a.html", f"<html><body>{page}</body></html>".encode()


@pytest.mark.parametrize("made", [as_csv, as_sheet, as_word, as_page])
def test_caption_of_every_format_goes_with_all_pieces_and_offsets_hold(
    made: Callable[[], tuple[str, bytes]],
) -> None:
    converted = convert(*made())
    found = [p for p in passages(converted) if p.kind == "table"]
    assert len(found) > 3
    for passage in found:
        assert converted.text[passage.start : passage.end] == passage.text
        assert "各设备的压力 单位：kPa" in f"{passage.lead}\n{passage.text}"
        assert "| 设备 | 压力 | 温度 |" in f"{passage.lead}\n{passage.text}"


def test_names_of_columns_that_hold_a_unit_stay_names() -> None:
    text = convert("a.csv", "单位：万元,2023年,2024年\n收入,5,6\n成本,3,4\n".encode()).text
    assert text.startswith("| 单位：万元 | 2023年 | 2024年 |")
