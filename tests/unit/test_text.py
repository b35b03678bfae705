import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import snowballstemmer
from hypothesis import given
from hypothesis import strategies as st

from graphs.evidence.script import aligned, half_width, simplified
from graphs.evidence.text import (
    codes,
    fold,
    index_terms,
    is_cjk,
    jaccard,
    language,
    latin_terms,
    normalise,
    query_terms,
    sentences,
    spoken,
    stem,
    trigrams,
    words,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("一句。二句！三句？", ["一句。", "二句！", "三句？"]),
        ("先停泵；再关阀", ["先停泵；", "再关阀"]),
        ("他说“停机。”然后离开。", ["他说“停机。”", "然后离开。"]),
        ("Version 1.5 is out. It works.", ["Version 1.5 is out.", "It works."]),
        ("- 一\n- 二", ["- 一", "- 二"]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("。。。\n---\n", []),
        ("  缩进。  ", ["缩进。"]),
        ("", []),
    ],
)
def test_text_is_divided_into_sentences_items_and_rows(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(st.text())
def test_sentences_lie_in_order_apart_and_lose_no_letter(text: str) -> None:
    spans = sentences(text)
    last = 0
    for start, end in spans:
        assert last <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        last = end
    kept = {place for start, end in spans for place in range(start, end)}
    assert all(place in kept for place, char in enumerate(text) if char.isalnum())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("凝汽器真空", "zh"),
        ("hotel cost", "en"),
        ("QX-2025-094 的处理措施", "zh"),
        ("The pump 泵 is running in the plant today", "en"),
        ("12345", "en"),
    ],
)
def test_language_is_told_by_the_letters(text: str, expected: str) -> None:
    assert language(text) == expected


@pytest.mark.parametrize(
    ("left", "right"), [("ＡＢＣ", "abc"), ("a  b\nc", "A B C"), ("①", "1"), ("ﬁlter", "filter")]
)
def test_search_copy_is_the_same_for_what_reads_the_same(left: str, right: str) -> None:
    assert normalise(left) == normalise(right)


@pytest.mark.parametrize(
    ("traditional", "simple"),
    [
        ("凝汽器真空過低如何處理", "凝汽器真空过低如何处理"),
        ("員工差旅費報銷標準", "员工差旅费报销标准"),
        ("當事人可以解除合同的情形", "当事人可以解除合同的情形"),
        ("裏面和裡面", "里面和里面"),
        ("發電機啟動後", "发电机启动后"),
    ],
)
def test_traditional_and_simplified_characters_are_alike(traditional: str, simple: str) -> None:
    assert normalise(traditional) == normalise(simple)
    assert fold(traditional) == fold(simple)
    assert query_terms(traditional) == query_terms(simple)
    assert index_terms(traditional) == index_terms(simple)
    assert words(traditional) == words(simple)
    assert trigrams(traditional) == trigrams(simple)


def test_stop_words_are_dropped_in_traditional_characters_too() -> None:
    assert words("請問濾網的壓差應該是多少？") == ["滤网", "压差"]


@given(st.text(alphabet=st.characters(min_codepoint=0x3000, max_codepoint=0xFFFF)))
def test_folding_characters_keeps_every_place_and_is_done_once(text: str) -> None:
    for form in (simplified, half_width, aligned):
        assert len(form(text)) == len(text)
        assert form(form(text)) == form(text)


def test_words_are_spoken_as_the_text_writes_them() -> None:
    assert spoken("濾網的壓差 Reimbursed", ["滤网", "压差", stem("reimbursed")]) == [
        "濾網", "壓差", "reimbursed",
    ]  # fmt: skip
    assert spoken("", ["滤网"]) == ["滤网"]


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)
    assert not any(char.isspace() for char in fold(text))


def test_index_holds_words_and_character_pairs_and_whole_codes() -> None:
    terms = index_terms("QX-2025-094 循环水旋转滤网")
    assert {"qx-2025-094", "循环", "滤网", "水旋", "2025"} <= set(terms)


@given(st.text(alphabet="滤网压差 QX-2025.094abcdeßé/%第三条"))
def test_latin_terms_are_the_index_terms_without_ideographs(text: str) -> None:
    marked = [code.lower() for code in codes(text)]
    others = [term for term in index_terms(text)[len(marked) :] if not is_cjk(term)]
    assert latin_terms(text) == marked + others


def test_query_drops_stop_words_and_finds_what_the_index_holds() -> None:
    terms = query_terms("请问循环水旋转滤网的压差是多少？")
    assert not {"请问", "的", "多少", "是"} & set(terms)
    assert {"循环", "滤网", "压差"} <= set(terms)
    assert set(query_terms("reimbursed hotels")) == {stem("reimbursed"), stem("hotels")}
    assert set(query_terms("reimbursed hotels")) <= set(index_terms("Hotels are reimbursed."))


@pytest.mark.parametrize(
    ("asked", "held"),
    [
        ("研究生命的起源", "关于生命起源的研究"),
        ("长江大桥", "南京市长江大桥"),
        ("启主泵的条件", "主泵启动条件"),
        ("閥位偏差", "调节阀位置"),
        ("厂用电", "电厂用电率"),
        ("为何给煤停了", "给煤机跳闸"),
    ],
)
def test_what_segmentation_divides_differently_is_found(asked: str, held: str) -> None:
    common = set(query_terms(asked)) & set(index_terms(held))
    assert any(len(term) > 1 for term in common)


def test_characters_of_two_long_words_make_no_term() -> None:
    assert "查系" not in query_terms("检查系统")


@given(st.lists(st.sampled_from(["滤网", "压差", "hotel", "costs", "QX-2025-094", "真空"])))
def test_terms_of_a_query_are_terms_of_a_text_that_holds_it(parts: list[str]) -> None:
    text = " ".join(parts)
    assert set(query_terms(text)) <= set(index_terms(text))


def test_content_words_leave_out_codes_and_stop_words() -> None:
    assert words("QX-2025-094 的滤网在哪里？") == ["滤网"]
    assert words("The cost of the hotels") == ["cost", "hotel"]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("ab", "ab", 1.0), ("ab", "cd", 0.0), ("abc", "bcd", 0.5), ("", "", 0.0), ("a", "", 0.0)],
)
def test_jaccard_is_the_share_of_common_elements(left: str, right: str, expected: float) -> None:
    assert jaccard(left, right) == expected


@pytest.mark.parametrize(
    ("text", "count"), [("", 0), ("一", 1), ("a b", 1), ("a b c", 1), ("a b c d", 2)]
)
def test_trigrams_of_short_texts_are_one_shorter_gram(text: str, count: int) -> None:
    assert len(trigrams(text)) == count


def test_words_are_stemmed_alike_in_several_threads() -> None:
    words = [f"{start}{end}" for start in _STARTS for end in ("ations", "ingly", "ed", "fulness")]
    alone = snowballstemmer.stemmer("english")
    expected = [alone.stemWord(word) for word in words]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(lambda _: [stem.__wrapped__(w) for w in words], range(8)))
    finally:
        sys.setswitchinterval(before)
    assert found == [expected] * 8


_STARTS = [a + b + c for a in "bcdfg" for b in "aeiou" for c in "lmnrt"]
