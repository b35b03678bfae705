from hypothesis import given
from hypothesis import strategies as st

from app.adapters.keyword_sqlite import encode, searchable
from app.adapters.rerank_bge import _text
from app.ingest.atoms import SplitLimits
from app.ingest.converters.converted import Converted
from app.ingest.preparing import embedded_text, prepare
from app.ingest.splitting import split
from graphs.evidence.blocks import section_at
from graphs.evidence.citations import unsupported
from graphs.evidence.extraction import make_statement
from graphs.evidence.lines import take_apart
from graphs.evidence.passages import Passage
from graphs.reasoners.llm_text import fence

HEAD = "| 编号 | 设备 | 跳闸定值 |\n| --- | --- | --- |"
ROWS = [f"| E-{n:03} | 真空泵{n}号 | -{n}.5 kPa |" for n in range(200)]
TABLE = f"# 定值单\n\n## 真空保护\n\n{HEAD}\n" + "\n".join(ROWS) + "\n\n以上定值每年核对一次。\n"
FACET = {
    "id": "f1",
    "text": "跳闸定值",
    "kind": "field",
    "field": "value",
    "required": True,
    "sub_question": 0,
}


def passages(text: str, pages: tuple[int, ...] = (), markdown: bool = True) -> list[Passage]:
    converted = Converted(text, markdown, pages)
    return prepare("kb", "a.md", converted, SplitLimits(), "test").passages


def later_rows() -> Passage:
    return next(passage for passage in passages(TABLE) if "E-150" in passage.text)


def test_long_table_is_cut_between_rows_and_every_later_piece_has_the_header() -> None:
    found = passages(TABLE)
    assert len(found) > 5
    for passage in found:
        assert TABLE[passage.start : passage.end] == passage.text
        assert passage.text.count("E-") == sum(row in passage.text for row in ROWS)
        holds_head = HEAD in passage.text
        assert holds_head != (passage.lead == HEAD)
        assert passage.section == ("定值单", "真空保护")
    assert found[0].lead == ""
    assert "E-000" in found[0].text


def test_table_that_fits_stays_whole_without_a_lead() -> None:
    found = passages(f"# 单\n\n说明。\n\n{HEAD}\n" + "\n".join(ROWS[:20]) + "\n")
    assert any("E-000" in passage.text and "E-019" in passage.text for passage in found)
    assert not any(passage.lead for passage in found)


def test_table_without_a_header_line_is_cut_without_a_lead() -> None:
    assert not any(passage.lead for passage in passages("\n".join(ROWS)))


def test_equal_rows_under_other_headers_are_two_passages() -> None:
    other = HEAD.replace("跳闸定值", "报警定值")
    rows = "\n".join(ROWS)
    found = passages(f"# 单\n\n{HEAD}\n{rows}\n\n上表为跳闸。\n\n{other}\n{rows}\n")
    assert [sum("E-150" in passage.text and head == passage.lead for passage in found)
            for head in (HEAD, other)] == [1, 1]  # fmt: skip


def test_header_of_later_rows_is_embedded_searched_judged_and_shown_but_never_quoted() -> None:
    passage = later_rows()
    row = HEAD.split("\n")[0]
    assert passage.heading_row == row
    assert row in embedded_text(passage.title, passage.section, passage.text, passage.lead)
    indexed = searchable(passage.title, passage.section, passage.text, passage.heading_row)
    assert encode("编号") in indexed.terms
    assert row in _text(passage)
    assert 'columns="| 编号 | 设备 | 跳闸定值 |"' in fence(1, passage, passage.text)
    lines = [line for line in take_apart(passage).lines if "E-150" in line.text]
    assert [line.above for line in lines] == [row]


def test_row_under_a_lead_is_answered_with_its_column_names() -> None:
    passage = later_rows()
    start = passage.text.index("| E-150")
    end = start + len(ROWS[150])
    statement = make_statement(passage, start, end, FACET, "zh")  # type: ignore[arg-type]
    assert statement is not None
    assert "跳闸定值：-150.5 kPa" in statement["text"]
    quotes = [TABLE[c["start"] : c["end"]] for c in statement["citations"]]
    assert quotes == [ROWS[150]]
    assert unsupported(statement, {passage.id: passage}, "E-150 的跳闸定值是多少？") is None


def test_text_after_the_table_does_not_stand_under_its_header() -> None:
    last = next(passage for passage in passages(TABLE) if "每年核对" in passage.text)
    lines = [line for line in take_apart(last).lines if "每年核对" in line.text]
    assert all("跳闸定值" not in line.above for line in lines)


@given(
    st.lists(st.lists(st.text("甲乙ab1 。", max_size=30), min_size=2, max_size=4), max_size=60),
    st.booleans(),
)
def test_any_table_keeps_every_character_once_and_its_header(
    rows: list[list[str]], markdown: bool
) -> None:
    text = "\n".join([HEAD, *("| " + " | ".join(row) + " |" for row in rows)])
    at = 0
    for piece in split(text, markdown, SplitLimits(120, 20, 200)).pieces:
        assert not text[at : piece.start].strip()
        at = piece.end
        if piece.start > 0:
            assert piece.lead == HEAD
    assert not text[at:].strip()


def test_passages_know_the_page_they_begin_on_and_the_page_of_each_place() -> None:
    parts = [f"第{name}页。" + "说明文字在此。" * 30 for name in "甲乙丙"]
    text = "\n\n".join(parts) + "\n"
    pages = tuple(text.index(part) for part in parts)
    for passage in passages(text, pages):
        for name, number in zip("甲乙丙", (1, 2, 3), strict=True):
            place = passage.text.find(f"第{name}页")
            if place >= 0:
                assert passage.page_at(place) == number
        assert passage.page == sum(start <= passage.start for start in pages)


def test_passage_over_a_page_break_gives_both_pages() -> None:
    text = "前一页的话，" * 10 + "后一页的话。" * 10
    (passage,) = passages(text, (0, 60))
    assert (passage.page, passage.turns) == (1, (60,))
    assert (passage.page_at(59), passage.page_at(60)) == (1, 2)


def test_format_without_pages_has_none() -> None:
    (passage,) = passages("正文一句。")
    assert (passage.page, passage.page_at(0)) == (None, None)


def test_metadata_give_title_and_date_only_where_the_text_says_nothing() -> None:
    bare = Converted("正文一句。\n", True, title="元数据标题", date="2024-05-17")
    document = prepare("kb", "a.docx", bare, SplitLimits(), "test").document
    assert (document.title, document.date) == ("元数据标题", "2024-05-17")
    named = prepare("kb", "规程-2023-04-01.docx", bare, SplitLimits(), "test").document
    assert named.date == "2023-04-01"
    said = Converted("# 规程\n\n发布日期：2022年3月1日\n", True, title="旧模板", date="2024-05-17")
    document = prepare("kb", "a.docx", said, SplitLimits(), "test").document
    assert (document.title, document.date) == ("规程", "2022-03-01")


def test_quote_in_a_small_subsection_is_cited_with_that_subsection() -> None:
    text = "# 规程\n\n## QX-1 滤网\n\n### 现象\n压差升高。\n\n### 处理\n人工清理。\n\n## 下一节\n别的内容。\n"
    passage = next(each for each in passages(text) if "人工清理" in each.text)
    assert passage.section == ("规程", "QX-1 滤网")
    assert section_at(passage, passage.text.index("压差")) == ("规程", "QX-1 滤网", "现象")
    assert section_at(passage, passage.text.index("人工")) == ("规程", "QX-1 滤网", "处理")
    assert section_at(passage, 0) == ("规程", "QX-1 滤网")


def test_merged_neighbours_are_cited_with_their_own_sections() -> None:
    big = "循环水泵出口压力正常。" * 60
    text = f"## 甲\n\n### 一\n{big}\n\n### 二\n短。\n\n### 三 `备用`\n也短。\n"
    passage = next(each for each in passages(text) if "也短" in each.text)
    assert passage.section == ("甲",)
    assert section_at(passage, passage.text.index("短。")) == ("甲", "二")
    assert section_at(passage, passage.text.index("也短")) == ("甲", "三 备用")
