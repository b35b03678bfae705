import json

import pytest

from app.ingest.converters.child import convert_here
from app.ingest.converters.converted import FileRejected


def csv_text(text: str, encoding: str = "utf-8") -> str:
    return convert_here(".csv", text.encode(encoding)).text


def html(markup: str, encoding: str = "utf-8") -> str:
    return convert_here(".html", markup.encode(encoding)).text


def records(*lines: object) -> str:
    text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
    return convert_here(".jsonl", text.encode()).text


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_any_usual_delimiter_and_encoding_gives_the_same_table(
    delimiter: str, encoding: str
) -> None:
    rows = [["设备", "说明", "数值"], ["真空泵", "备用，可投", "3.5"], ["循环水泵", "运行", "12"]]
    text = "\r\n".join(delimiter.join(row) for row in rows)
    assert csv_text(text, encoding) == (
        "| 设备 | 说明 | 数值 |\n| --- | --- | --- |\n"
        "| 真空泵 | 备用，可投 | 3.5 |\n| 循环水泵 | 运行 | 12 |\n"
    )


def test_quoted_fields_may_hold_delimiters_line_ends_and_bars() -> None:
    assert csv_text('a,b\n"x, y","two\nlines | one"\n') == (
        "| a | b |\n| --- | --- |\n| x, y | two lines \\| one |\n"
    )


def test_csv_without_column_names_keeps_its_first_row() -> None:
    assert "| 1 | 2 |\n| --- | --- |\n| 11 | 12 |\n| 13 | 14 |" in csv_text("11,12\n13,14\n")


def test_excel_s_line_that_names_the_delimiter_is_no_row() -> None:
    assert csv_text("sep=;\na;b\n1;2\n").startswith("| a | b |")


def test_csv_with_long_texts_becomes_a_section_a_row() -> None:
    body = "Long answer text. " * 60
    text = csv_text(f'id,question,answer\n7,How?,"{body}"\n8,Why?,"{body}"\n')
    assert text.startswith("## How?\n\n- id: 7\n\nanswer:\n\nLong answer text.")
    assert text.count("## ") == 2


def test_web_page_is_read_without_navigation_scripts_and_hidden_parts() -> None:
    page = (
        '<html><head><title>Leave | ACME</title><meta property="article:modified_time" '
        'content="2024-06-03T10:00:00Z"><style>p{}</style></head><body><nav>Home</nav>'
        "<header>ACME</header><main><h1>Leave</h1><p>Each year <b>30</b> days.<br>Paid.</p>"
        "<p hidden>old</p><div style='display: none'>draft</div><script>var x</script>"
        "<ul><li>one<ul><li>two</li></ul></li></ul><ol><li>first</li><li>second</li></ol>"
        "<pre>code  here</pre></main><footer>imprint</footer></body></html>"
    )
    converted = convert_here(".html", page.encode())
    assert converted.text == (
        "# Leave\n\nEach year 30 days.\nPaid.\n\n- one\n  - two\n\n1. first\n2. second\n\n"
        "```\ncode  here\n```\n"
    )
    assert (converted.title, converted.date) == ("Leave | ACME", "2024-06-03")


def test_web_table_with_merged_cells_and_a_caption_is_laid_out() -> None:
    table = (
        "<table><caption>定值表</caption><tr><th rowspan=2>保护</th><th colspan=2>定值</th></tr>"
        "<tr><th>报警</th><th>跳闸</th></tr><tr><td rowspan=2>真空</td><td>-85</td><td>-81</td></tr>"
        "<tr><td>-86</td><td>-82</td></tr></table>"
    )
    assert html(table) == (
        "定值表\n\n| 保护 | 定值 报警 | 定值 跳闸 |\n| --- | --- | --- |\n"
        "| 真空 | -85 | -81 |\n| 真空 | -86 | -82 |\n"
    )


def test_web_layout_tables_are_no_tables() -> None:
    page = "<table><tr><td><h2>甲</h2><p>正文。</p></td><td><p>旁注。</p></td></tr></table>"
    assert html(page) == "## 甲\n\n正文。\n\n旁注。\n"


def test_web_page_says_its_encoding() -> None:
    assert html('<meta charset="gb2312"><p>凝汽器真空</p>', "gb18030") == "凝汽器真空\n"


@pytest.mark.parametrize("span", ["²", "٣", "-1", "0", "many", ""])
def test_web_table_with_an_odd_span_is_read(span: str) -> None:
    page = f"<table><tr><td colspan='{span}'>Pump</td><td>On</td></tr><tr><td>Fan</td><td>Off</td></tr></table>"
    text = html(page)
    assert "Pump" in text
    assert "Off" in text


@pytest.mark.parametrize(
    "charset", ["undefined", "unicode_escape", "punycode", "idna", "utf-7", "utf-16", "rot13", "xx"]
)
def test_web_page_that_says_an_encoding_of_no_page_is_read_by_its_bytes(charset: str) -> None:
    page = f"<meta charset='{charset}'><p>{'凝汽器真空下降时先检查循环水泵。' * 3}</p>"
    assert "凝汽器真空下降" in html(page, "gb18030")


@pytest.mark.parametrize("text", [",,,\n,,\n", ";;;", "sep=;\n;;\n", "\t,\t"])
def test_csv_of_delimiters_alone_is_empty_and_not_damaged(text: str) -> None:
    with pytest.raises(FileRejected) as caught:
        csv_text(text)
    assert caught.value.code == "empty_file"


def test_flat_records_become_one_table() -> None:
    assert records({"编号": "A1", "数量": 3}, {"编号": "A2", "数量": None, "备注": "缓|急"}) == (
        "| 编号 | 数量 | 备注 |\n| --- | --- | --- |\n| A1 | 3 |  |\n| A2 |  | 缓\\|急 |\n"
    )


def test_long_records_become_a_section_each() -> None:
    body = "第一段内容。" * 40
    text = records(
        {"id": "D1", "title": "真空泵", "meta": {"date": "2024-01-02", "tags": ["泵", "真空"]},
         "text": f"{body}\n\n# 不是标题"},
        {"id": "D2", "title": "", "text": body},
    )  # fmt: skip
    assert text == (
        f"## 真空泵\n\n- id: D1\n- meta.date: 2024-01-02\n- meta.tags: 泵、真空\n\n{body}\n\n"
        f"    # 不是标题\n\n## D2\n\n{body}\n"
    )


def test_json_arrays_and_wrapped_lists_are_records_too() -> None:
    rows = [{"a": 1, "b": 2}, {"a": 3, "b": 4}]
    table = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n"
    for content in (rows, {"count": 2, "items": rows}):
        assert convert_here(".json", json.dumps(content).encode()).text == table


def test_line_that_is_no_json_is_named() -> None:
    with pytest.raises(FileRejected) as caught:
        convert_here(".jsonl", b'{"a": 1}\n\nnot json\n')
    assert "line 3" in caught.value.message
