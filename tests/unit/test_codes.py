import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.evidence.codes import code_spans, codes, without_codes
from graphs.evidence.text import index_terms, query_terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("QX-2025-094 的处理措施", ["QX-2025-094"]),
        ("ＱＸ－２０２５－０９４", ["QX-2025-094"]),
        ("ｑｘ－２０２５－０９４", ["QX-2025-094"]),
        ("QX–2025–094", ["QX-2025-094"]),
        ("QX—2025—094", ["QX-2025-094"]),
        ("QX‑2025‑094", ["QX-2025-094"]),
        ("QX−2025−094", ["QX-2025-094"]),
        ("QX - 2025 - 094", ["QX-2025-094"]),
        ("QX – 2025 – 094 号", ["QX-2025-094"]),
        ("QX　－　2025 －094", ["QX-2025-094"]),
        ("qx-2025-094呢？", ["QX-2025-094"]),
        ("pol-2024-07", ["POL-2024-07"]),
        ("POL-2024-07 和 POL–2024–07", ["POL-2024-07"]),
        ("按GB50229执行", ["GB50229"]),
        ("Straße 5, siehe QX-2025-094", ["QX-2025-094"]),
        ("第五百六十三条", ["第五百六十三条"]),
        ("第563条", ["第五百六十三条"]),
        ("第５６３条", ["第五百六十三条"]),
        ("第 563 條", ["第五百六十三条"]),
        ("第五百六十三條", ["第五百六十三条"]),
        ("第五六三条", ["第五百六十三条"]),
        ("第10条之一", ["第十条之一"]),
        ("第十条之1", ["第十条之一"]),
        ("第二編第三章", ["第二编", "第三章"]),
        ("第两百零五条", ["第二百零五条"]),
        ("第1260条", ["第一千二百六十条"]),
        ("第20章、第二十章", ["第二十章"]),
        ("第3.2条", []),
        ("563条", []),
        ("since mid-2024", []),
        ("covid-19 rules", []),
        ("may - 2023 - 12", []),
        ("PART A - 2 items", []),
        ("well-known state-of-the-art", []),
        ("A/B 测试", []),
        ("XQX-2025-0944", ["XQX-2025-0944"]),
        ("", []),
    ],
)
def test_codes_are_found_in_one_form(text: str, expected: list[str]) -> None:
    assert codes(text) == expected


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "零"), (7, "七"), (10, "十"), (15, "十五"), (20, "二十"), (100, "一百"), (101, "一百零一"),
        (110, "一百一十"), (563, "五百六十三"), (1001, "一千零一"), (1010, "一千零一十"),
        (10005, "一万零五"), (12000, "一万二千"),
    ],
)  # fmt: skip
def test_article_in_digits_is_the_article_in_numerals(number: int, written: str) -> None:
    assert codes(f"第{number}条") == codes(f"第{written}条") == [f"第{written}条"]


@given(st.integers(0, 99_999))
def test_article_keeps_its_code_when_the_code_is_read_again(number: int) -> None:
    (code,) = codes(f"第{number}条")
    assert codes(code) == [code]


@given(st.text(alphabet="QXqx第条條編ＱＸ０９0123456789-－—_/ 一二百千ß\ufb01", max_size=40))
def test_places_of_codes_lie_in_the_text_and_apart(text: str) -> None:
    last = 0
    for start, end, code in code_spans(text):
        assert last <= start < end <= len(text)
        assert codes(text[start:end])[:1] == [code] or len(text[start:end]) > len(code)
        last = end


def test_text_without_its_codes_keeps_the_rest() -> None:
    assert without_codes("看ＱＸ－２０２５－０９４的滤网和第 563 條") == "看 的滤网和 "


@pytest.mark.parametrize(
    "asked",
    ["QX-2025-094", "ＱＸ－２０２５－０９４", "qx–2025–094", "QX - 2025 - 094", "qx-2025-094"],
)
def test_code_in_any_writing_searches_for_the_indexed_code(asked: str) -> None:
    assert "qx-2025-094" in set(query_terms(asked)) & set(index_terms("缺陷 QX—2025—094"))


def test_article_in_digits_searches_for_the_article_in_numerals() -> None:
    assert set(query_terms("第563条")) & set(index_terms("第五百六十三条　有下列情形之一的"))
