from datetime import datetime, time, timedelta
from typing import Any

import pytest
from office_files import ledger, report, slides, workbook

from app.ingest.converters.child import convert_here
from app.ingest.converters.converted import FileRejected
from app.ingest.converters.number_formats import shown


def test_sheets_are_read_as_people_see_them() -> None:
    assert convert_here(".xlsx", workbook(ledger)).text == (
        "## 设备台账\n\n2024 年设备台账\n\n"
        "| 部门 | 设备 | 数量 | 完好率 | 检修日期 |\n| --- | --- | --- | --- | --- |\n"
        "| 运行 | 真空泵 | 1,200 | 97.5% | 2024年3月1日 |\n"
        "| 运行 | 循环水泵 | 12.5 | 100.0% | 2024-04-15 08:30 |\n\n"
        "| 班组 | 电话 |\n| --- | --- |\n| 一值 | 8001 |\n"
    )


def test_gap_in_a_table_does_not_make_its_next_row_a_header() -> None:
    def build(book: Any) -> None:
        for row in (["姓名", "岗位"], ["甲", "值长"], [None, None], ["乙", "司机"]):
            book.active.append(row)

    assert "| 甲 | 值长 |\n| 乙 | 司机 |" in convert_here(".xlsx", workbook(build)).text


def test_hidden_columns_and_rows_are_left_out_but_filtered_rows_are_not() -> None:
    def build(book: Any) -> None:
        for row in (["名称", "成本", "单位"], ["泵", 7, "台"], ["阀", 9, "只"]):
            book.active.append(row)
        book.active.column_dimensions["B"].hidden = True
        book.active.row_dimensions[3].hidden = True

    def filtered(book: Any) -> None:
        build(book)
        book.active.auto_filter.ref = "A1:C3"
        book.active.auto_filter.add_filter_column(0, ["泵"])

    hidden = convert_here(".xlsx", workbook(build)).text
    assert "| 泵 | 台 |" in hidden
    assert "阀" not in hidden
    assert "成本" not in hidden
    assert "| 阀 | 只 |" in convert_here(".xlsx", workbook(filtered)).text


def test_workbook_without_content_is_refused() -> None:
    with pytest.raises(FileRejected) as caught:
        convert_here(".xlsx", workbook(lambda book: None))
    assert caught.value.code == "empty_file"


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.1234, "0.00%", "12.34%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-5.5, "0.0;(0.0)", "(5.5)"),
        (-1234.5, "#,##0.00;[Red]-#,##0.00", "-1,234.50"),
        (12.5, '"¥"#,##0.00', "¥12.50"),
        (1200, "[$¥-804]#,##0", "¥1,200"),
        (45000.5, "_ * #,##0.00_ ;_ * -#,##0.00_ ", "45,000.50"),
        (5, '0.0 "kPa"', "5.0 kPa"),
        (7, "000", "007"),
        (1.5, "0.##", "1.5"),
        (2, "0.##", "2"),
        (1234567, '0.0,"千"', "1234.6千"),
        (0.1 + 0.2, "General", "0.3"),
        (2.5, "0", "3"),
        (True, "General", "TRUE"),
        (datetime(2024, 3, 1), "yyyy/m/d", "2024-03-01"),
        (datetime(2024, 3, 1), 'yyyy"年"m"月"', "2024年3月"),
        (datetime(2024, 3, 1, 8, 5), "m/d/yy h:mm", "2024-03-01 08:05"),
        (time(6, 30), "h:mm", "06:30"),
        (timedelta(hours=26, minutes=5), "[h]:mm:ss", "26:05:00"),
    ],
)
def test_value_is_written_as_its_format_shows_it(
    value: object, number_format: str, text: str
) -> None:
    assert shown(value, number_format) == text


def test_slides_keep_titles_bullets_tables_charts_and_notes() -> None:
    converted = convert_here(".pptx", slides(report))
    assert converted.text == (
        "# 年度总结\n\n发电部\n\n## 目标\n\n- 降低热耗\n  - 冷端治理\n\n备注：热耗目标见附件。\n\n"
        "## 第 3 页\n\n| 机组 | 电量 |\n| --- | --- |\n| 1 号 | 35 |\n\n"
        "|  | 电量 |\n| --- | --- |\n| 一月 | 1.5 |\n| 二月 | 2.5 |\n"
    )
    starts = [converted.text[start:].split("\n", 1)[0] for start in converted.pages]
    assert starts == ["# 年度总结", "## 目标", "## 第 3 页"]
    assert converted.date == "2024-05-17"
