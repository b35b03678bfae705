from hypothesis import given
from hypothesis import strategies as st

from app.ingest.atoms import SplitLimits
from app.ingest.splitting import split

LINES = st.sampled_from(
    [
        "", "  ", "# 标题", "## 二级", "### 三级", "#### d", "---", "===", "***", "- 项", "  - 子项",
        "1. 第一步", "   续行", "| a | b |", "|---|---|", "| 1 | 2 |", "```", "~~~", "a | b",
        "正文一句。第二句；第三句！", "English sentence. Another one.", "第一章 总则", "一、范围",
        "2.1 Detail", "说明如下：", "> quote", "\ttab", "\x0bvertical", "\u3000全角", "\u2028", "x" * 90,
        "长" * 130, "title: x", "单位：万元", "Table 3 Pressure",
    ]
)  # fmt: skip
DOCUMENTS = st.one_of(
    st.lists(LINES, max_size=60).map("\n".join),
    st.text(max_size=400),
    st.lists(st.one_of(LINES, st.text(max_size=30)), max_size=40).map("\n".join),
)
LIMITS = st.sampled_from([SplitLimits(), SplitLimits(60, 10, 150), SplitLimits(120, 40, 120)])


@given(DOCUMENTS, st.booleans(), LIMITS)
def test_any_text_is_covered_exactly_once_in_order(
    text: str, markdown: bool, limits: SplitLimits
) -> None:
    pieces = split(text, markdown, limits).pieces
    at = 0
    for piece in pieces:
        assert at <= piece.start < piece.end <= len(text)
        assert not text[at : piece.start].strip()
        assert text[piece.start : piece.end].strip()
        at = piece.end
    assert not text[at:].strip()


@given(DOCUMENTS, st.booleans(), LIMITS)
def test_any_text_is_split_the_same_twice(text: str, markdown: bool, limits: SplitLimits) -> None:
    assert split(text, markdown, limits) == split(text, markdown, limits)


@given(DOCUMENTS, st.booleans(), LIMITS)
def test_no_piece_outgrows_its_largest_block(
    text: str, markdown: bool, limits: SplitLimits
) -> None:
    allowed = limits.whole + 3 * limits.maximum
    assert all(piece.end - piece.start <= allowed for piece in split(text, markdown, limits).pieces)


@given(st.text(min_size=1, max_size=3_000).map(lambda text: text.replace("\n", " ")))
def test_a_line_is_cut_to_the_maximum(line: str) -> None:
    limits = SplitLimits(100, 20, 200)
    pieces = split("正文" + line, False, limits).pieces
    assert all(piece.end - piece.start <= limits.leaf for piece in pieces)
