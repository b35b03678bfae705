from itertools import pairwise
from typing import Any

import pytest
from pdf_files import BREAK, chinese, drawn, english, heading, pdf, ruled, scan, two_columns
from reportlab.pdfgen.canvas import Canvas

from app.ingest.converters.child import convert_here
from app.ingest.converters.converted import Converted, FileRejected

ZH = (
    "凝汽器真空下降时，运行人员应优先检查循环水系统、真空泵系统与轴封系统，并记录各点参数。"
    "备用真空泵投入后观察十分钟，真空仍下降时应按规程减负荷。"
)
EN = (
    "If a flight is cancelled because of weather, the company reimburses the hotel costs that arise "
    "until the next available flight, for a maximum of three nights. Employees keep all receipts."
)


def read(data: bytes) -> Converted:
    return convert_here(".pdf", data)


def page_of(converted: Converted, words: str) -> int:
    place = converted.text.index(words)
    return sum(start <= place for start in converted.pages)


def test_wrapped_lines_become_whole_paragraphs_in_both_languages() -> None:
    text = read(pdf([chinese(ZH * 2), chinese(ZH), english(EN * 2), english(EN)])).text
    assert text.split("\n\n")[0] == ZH * 2
    assert text.split("\n\n")[1] == ZH
    assert EN in text.replace("\n\n", " ")


def test_larger_and_numbered_lines_become_headings() -> None:
    story = [heading(1, "检修规程"), heading(2, "第一章 总则"), heading(3, "1.1 适用范围"), chinese(ZH),
             heading(2, "第二章 运行"), chinese(ZH)]  # fmt: skip
    converted = read(pdf(story, title="检修规程（试行）"))
    assert [line for line in converted.text.split("\n") if line.startswith("#")] == [
        "# 检修规程", "## 第一章 总则", "### 1.1 适用范围", "## 第二章 运行",
    ]  # fmt: skip
    assert converted.title == "检修规程（试行）"
    assert converted.date is not None


def test_every_word_has_its_page() -> None:
    story = [chinese(f"第{name}页的内容在这里。") for name in "甲乙丙"]
    converted = read(pdf([story[0], BREAK, story[1], BREAK, story[2]]))
    assert len(converted.pages) == 3
    assert [page_of(converted, f"第{name}页") for name in "甲乙丙"] == [1, 2, 3]


def test_page_without_text_begins_where_the_next_one_does() -> None:
    def draw(canvas: Canvas) -> None:
        for text in ("The first page has text.", "", "The third page has text."):
            canvas.drawString(72, 500, text)
            canvas.showPage()

    converted = read(drawn(draw))
    assert len(converted.pages) == 3
    assert page_of(converted, "third") == 3


def test_paragraph_over_two_pages_stays_one_and_keeps_both_pages() -> None:
    story = [heading(1, "规程"), *(chinese(f"机组{number}：{ZH * 3}") for number in range(11))]
    converted = read(pdf(story, running="检修规程 QX-2025-001"))
    assert converted.text.count(ZH) == 33
    assert converted.text.count("QX-2025-001") == 1
    assert len(converted.pages) == 2
    assert converted.text[converted.pages[1] - 1] != "\n"


def test_page_headers_stand_once_and_page_numbers_not_at_all() -> None:
    story = [part for name in "甲乙丙丁" for part in (chinese(f"{name}。{ZH}"), BREAK)]
    text = read(pdf(story, running="检修规程 QX-2025-001")).text
    assert text.count("QX-2025-001") == 1
    assert not any(f"第 {number} 页" in text for number in range(1, 5))


def running(text: str, *first: Any, title: str = "") -> str:
    story = [part for name in "甲乙丙" for part in (chinese(f"{name}。{ZH}"), BREAK)]
    return read(pdf([*first, *story], running=text, title=title)).text


def test_page_header_is_left_out_on_the_first_page_too() -> None:
    text = running("海滨公司 内部资料", heading(1, "空压站运行规程"))
    assert text.startswith("# 空压站运行规程")
    assert "内部资料" not in text
    assert "内部资料" not in running("海滨公司 内部资料", title="空压站运行规程")


def test_page_header_that_names_the_document_stands_once() -> None:
    title = heading(1, "空压站运行规程")
    assert running("空压站运行规程", title).count("空压站运行规程") == 1
    assert running("空压站运行规程", title="空压站运行规程").count("空压站运行规程") == 1
    assert running("空压站运行规程").count("空压站运行规程") == 1
    assert running("内部资料 HB-OPS-2024-011", title).count("HB-OPS-2024-011") == 1
    coded = chinese("文件编号：HB-OPS-2024-011")
    assert running("内部资料 HB-OPS-2024-011", title, coded).count("HB-OPS-2024-011") == 1
    assert "内部资料" not in running("内部资料 HB-OPS-2024-011", title, coded)


def test_line_that_repeats_in_the_middle_of_pages_stays() -> None:
    story = [part for _ in range(4) for part in (chinese(ZH), chinese("检查人签字"), BREAK)]
    assert read(pdf(story)).text.count("检查人签字") == 4


def test_table_over_pages_is_one_table_with_one_header() -> None:
    rows = [["编号", "设备", "数值"], *([f"E-{n:03}", "真空泵", f"{n}.5 kPa"] for n in range(80))]
    converted = read(pdf([chinese(ZH), ruled(rows, (80, 120, 100)), chinese("以上为定值。")]))
    lines = [line for line in converted.text.split("\n") if line.startswith("|")]
    assert len(lines) == 82
    assert lines[0] == "| 编号 | 设备 | 数值 |"
    assert lines[2] == "| E-000 | 真空泵 | 0.5 kPa |"
    assert page_of(converted, "E-001") == 1
    assert page_of(converted, "E-079") == len(converted.pages)
    assert all(converted.text[start] in "凝|" for start in converted.pages)


def test_hyphens_of_wrapped_words_go_and_those_of_compounds_stay() -> None:
    lines = ("The non-return valve of the con-", "denser stays closed, and the non-",
             "return valve is checked before the start of the pump in winter.")  # fmt: skip

    def draw(canvas: Canvas) -> None:
        for at, line in enumerate(lines):
            canvas.drawString(72, 700 - 14 * at, line)

    text = read(drawn(draw)).text
    assert "of the condenser stays closed, and the non-return valve is checked" in text


def lines_drawn(*lines: str, left: int = 72) -> str:
    def draw(canvas: Canvas) -> None:
        for at, line in enumerate(lines):
            canvas.drawString(left, 700 - 14 * at, line)

    return read(drawn(draw)).text.strip()


@pytest.mark.parametrize("number", ["100. The", "24 hours. The", "1. The", "2.1 MPa. The"])
def test_number_of_a_sentence_at_the_start_of_a_line_cuts_nothing(number: str) -> None:
    above = "A supplier is approved with a score of at least 75 points or out of"
    text = lines_drawn(above, f"{number} team keeps its records in the shared drive for a year.")
    assert text == f"{above} {number} team keeps its records in the shared drive for a year."


@pytest.mark.parametrize("marks", [("1.", "2.", "3."), ("(1)", "(2)", "(3)"), ("9.", "10.", "11.")])
def test_items_that_count_stand_apart_even_where_they_fill_their_lines(
    marks: tuple[str, ...],
) -> None:
    wide = [f"{mark} valve is to be closed before work begins at the pump" for mark in marks]
    text = lines_drawn("Before work begins at the pump, the crew does this, all", *wide)
    assert [line for line in text.split("\n") if line][1:] == wide


def test_numbered_line_after_a_sentence_or_a_short_line_begins_an_item() -> None:
    text = lines_drawn("The crew closes every valve of the pump before the work.", "7. Lock the fan.",
                       "Afterwards", "5. tell the control room that the pump is closed")  # fmt: skip
    assert "work.\n" in text
    assert "\n5. tell the control room" in text


def test_columns_are_read_one_after_the_other() -> None:
    story = [english(f"Entry {number}. {EN}") for number in range(1, 30)]
    text = read(two_columns(story)).text
    places = [text.index(f"Entry {number}.") for number in range(1, 25)]
    assert all(before < after for before, after in pairwise(places))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (scan(3), "no_text_layer"),
        (pdf([chinese(ZH)], password="geheim"), "encrypted"),
        (pdf([chinese(ZH)])[:900], "corrupt"),
        (b"%PDF-1.7\nnonsense", "corrupt"),
        (drawn(lambda canvas: canvas.showPage()), "empty_file"),
    ],
)
def test_pdf_that_can_not_be_read_is_refused_with_a_way_out(data: bytes, code: str) -> None:
    with pytest.raises(FileRejected) as caught:
        read(data)
    assert caught.value.code == code
    assert caught.value.message
    assert caught.value.hint


def test_contents_and_running_chapter_names_are_left_out() -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "1 Start . . . . . . . . . . . . . . . . . 2")
        canvas.drawString(72, 680, "This manual tells how the pump is started and stopped.")
        canvas.showPage()
        for page, chapter in enumerate(("Start", "Start", "Stop", "Care"), 2):
            canvas.drawString(72, 805, f"Chapter: {chapter}")
            canvas.drawRightString(520, 805, str(page))
            canvas.drawString(72, 700, f"Text number {page - 1} of the manual stands on this page.")
            canvas.showPage()

    text = read(drawn(draw)).text
    assert ". . ." not in text
    assert all(f"Text number {number} of" in text for number in range(1, 5))
    assert text.count("Chapter: Start") <= 1


def test_words_in_another_font_stay_in_their_sentence() -> None:
    def draw(canvas: Canvas) -> None:
        place = 72.0
        for font, words in (("Helvetica", "The word "), ("Times-Bold", '"MUST"'), ("Courier", ", as in RFC 2119,"),
                            ("Helvetica", " is binding.")):  # fmt: skip
            canvas.setFont(font, 11)
            canvas.drawString(place, 600, words)
            place += canvas.stringWidth(words, font, 11)

    assert 'The word "MUST", as in RFC 2119, is binding.' in read(drawn(draw)).text


def test_short_pdf_without_pictures_is_no_scan() -> None:
    assert read(pdf([chinese("停机。")])).text == "停机。\n"
