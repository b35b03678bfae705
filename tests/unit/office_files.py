"""Office files made by the libraries that the converters read them with."""

import io
from collections.abc import Callable
from datetime import datetime
from typing import Any

import docx
import openpyxl
import pptx
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from openpyxl.styles import Font
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

SAVED = datetime(2024, 5, 17, 9, 30)


def word(build: Callable[[Any], None], title: str = "") -> bytes:
    document = docx.Document()
    document.core_properties.modified = SAVED
    document.core_properties.title = title
    build(document)
    return _saved(document)


def workbook(build: Callable[[Any], None]) -> bytes:
    book = openpyxl.Workbook()
    build(book)
    return _saved(book)


def slides(build: Callable[[Any], None]) -> bytes:
    presentation = pptx.Presentation()
    presentation.core_properties.modified = SAVED
    build(presentation)
    return _saved(presentation)


def _saved(file: Any) -> bytes:
    target = io.BytesIO()
    file.save(target)
    return target.getvalue()


def number_style(document: Any, style: str, levels: list[tuple[str, str]]) -> None:
    """Number the paragraphs of `style` and its followers: a number format and a text a level."""
    root = document.part.numbering_part.element
    rules = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for at, (kind, text) in enumerate(levels)
    )
    root.insert(
        0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90">{rules}</w:abstractNum>')
    )
    root.append(
        parse_xml(f'<w:num {nsdecls("w")} w:numId="90"><w:abstractNumId w:val="90"/></w:num>')
    )
    for at in range(len(levels)):
        name = style.format(at + 1)
        properties = document.styles[name].element.get_or_add_pPr()
        properties.append(parse_xml(
            f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{at}"/><w:numId w:val="90"/></w:numPr>'
        ))  # fmt: skip


def add_raw(document: Any, xml: str) -> Any:
    """Append a paragraph's inner XML and return the paragraph."""
    paragraph = parse_xml(
        f'<w:p {nsdecls("w")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
        f' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape">{xml}</w:p>'
    )
    document.element.body.insert(-1, paragraph)
    return paragraph


def merged_table(document: Any) -> None:
    """Add a table with a two-row head and a cell that spans two rows."""
    rows = [
        ["设备", "一季度", "", "备注"],
        ["", "计划", "完成", ""],
        ["真空泵", "3", "2|3", "缓"],
        ["", "5", "5", ""],
    ]
    table = document.add_table(len(rows), 4)
    for at, row in enumerate(rows):
        for column, value in enumerate(row):
            table.cell(at, column).text = value
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 3).merge(table.cell(1, 3))
    table.cell(2, 0).merge(table.cell(3, 0))


def ledger(book: Any) -> None:
    """Fill a workbook with what people do: a title over the table, gaps, formats, a hidden sheet."""
    sheet = book.active
    sheet.title = "设备台账"
    sheet["B2"] = "2024 年设备台账"
    sheet.merge_cells("B2:F2")
    for row in (
        ["部门", "设备", "数量", "完好率", "检修日期"],
        ["运行", "真空泵", 1200, 0.975, datetime(2024, 3, 1)],
        [None, "循环水泵", 12.5, 1, datetime(2024, 4, 15, 8, 30)],
    ):
        sheet.append([None, *row])
    sheet.merge_cells("B4:B5")
    sheet["D4"].number_format = "#,##0"
    sheet["E4"].number_format = sheet["E5"].number_format = "0.0%"
    sheet["F4"].number_format = 'yyyy"年"m"月"d"日"'
    sheet["F5"].number_format = "yyyy-mm-dd hh:mm"
    sheet["B9"], sheet["C9"] = "班组", "电话"
    sheet["B9"].font = Font(bold=True)
    sheet["B10"], sheet["C10"] = "一值", "8001"
    sheet["XFD1048576"].font = Font(bold=True)
    secret = book.create_sheet("底稿")
    secret["A1"] = "不给人看"
    secret.sheet_state = "hidden"
    book.create_sheet("空表")


def report(presentation: Any) -> None:
    """Add a title slide, a slide with bullets and notes, one without a title, a hidden one."""
    opening = presentation.slides.add_slide(presentation.slide_layouts[0])
    opening.shapes.title.text = "年度总结"
    opening.placeholders[1].text = "发电部"
    goals = presentation.slides.add_slide(presentation.slide_layouts[1])
    goals.shapes.title.text = "目标"
    frame = goals.placeholders[1].text_frame
    frame.text = "降低热耗"
    below = frame.add_paragraph()
    below.text, below.level = "冷端治理", 1
    goals.notes_slide.notes_text_frame.text = "热耗目标见附件。"
    numbers = presentation.slides.add_slide(presentation.slide_layouts[6])
    table = numbers.shapes.add_table(2, 2, 0, 0, Inches(3), Inches(1)).table
    for at, value in enumerate(("机组", "电量", "1 号", "35")):
        table.cell(at // 2, at % 2).text = value
    data = CategoryChartData()
    data.categories = ["一月", "二月"]
    data.add_series("电量", (1.5, 2.5))
    numbers.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, 0, Inches(3), Inches(3), Inches(3), data
    )
    draft = presentation.slides.add_slide(presentation.slide_layouts[1])
    draft.shapes.title.text = "草稿页"
    draft._element.set("show", "0")
