import random

import pytest

from app.ingest.loading import FileRejected, clean_name, convert

CHINESE = "凝汽器真空下降时，应优先检查循环水系统。\n备用真空泵投入后观察十分钟。\n"
TRADITIONAL = "凝汽器真空下降時，應優先檢查循環水系統。\n備用真空泵投入後觀察十分鐘。\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "utf-8"),
        (CHINESE, "utf-8-sig"),
        (CHINESE, "gb18030"),
        (CHINESE, "utf-16"),
        (CHINESE, "utf-32"),
        (TRADITIONAL, "big5"),
        (TRADITIONAL, "utf-8"),
        ("真空泵", "gb18030"),
        ("The traveller’s costs – up to €40 – are reimbursed.\n", "cp1252"),
        ("Line one.\nLine two.\n", "ascii"),
        ("English with one 词 in it, and then only plain words.\n", "gb18030"),
    ],
)
def test_usual_encodings_give_the_same_text(text: str, encoding: str) -> None:
    assert convert("a.md", text.encode(encoding)).text == text


def test_line_ends_become_line_feeds_and_nothing_else_changes() -> None:
    assert convert("a.txt", "甲\r\n 乙\t\r丙\u3000".encode()).text == "甲\n 乙\t\n丙\u3000"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.md", b"", "empty_file"),
        ("a.md", b" \n\t\r\n", "empty_file"),
        ("a.md", b"\xef\xbb\xbf", "empty_file"),
        ("a.md", b"text\x00more", "binary_file"),
        ("a.md", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary_file"),
        ("a.md", b"\x01\x02\x03abc", "binary_file"),
        ("a.pdf", b"%PDF-1.7", "corrupt"),
        ("noending", b"text", "unsupported_type"),
        ("a.txt", b"x" * 101, "too_large"),
    ],
)
def test_file_that_is_no_text_is_refused_with_a_reason(name: str, data: bytes, code: str) -> None:
    with pytest.raises(FileRejected) as caught:
        convert(name, data, max_bytes=100)
    assert caught.value.code == code
    assert caught.value.message
    assert caught.value.hint


def test_random_bytes_are_refused() -> None:
    noise = random.Random(7)
    for size in (200, 2_000, 20_000):
        data = bytes(noise.randrange(1, 256) for _ in range(size))
        with pytest.raises(FileRejected):
            convert("a.md", data)


def test_lone_surrogates_become_replacement_characters() -> None:
    data = (CHINESE + "\ud800" + CHINESE).encode("utf-8", "surrogatepass")
    assert convert("a.md", data).text == f"{CHINESE}\ufffd{CHINESE}"
    wide = (CHINESE + "\ud800").encode("utf-16", "surrogatepass")
    assert convert("a.md", wide).text == f"{CHINESE}\ufffd"


def test_text_cut_inside_a_character_keeps_the_rest() -> None:
    text = CHINESE * 20
    assert convert("a.md", text.encode()[:-2]).text == text[:-2] + "\ufffd"


def test_odd_utf_16_is_read_as_far_as_it_goes() -> None:
    assert convert("a.md", CHINESE.encode("utf-16") + b"a").text.startswith(CHINESE)


@pytest.mark.parametrize("name", ["", "  ", "a\x00.md", "a\n.md", "x" * 401])
def test_impossible_file_name_is_refused(name: str) -> None:
    with pytest.raises(FileRejected):
        clean_name(name)


def test_undecodable_file_name_is_made_storable() -> None:
    clean_name("\udcb9.md").encode()


def test_both_spellings_of_an_accent_are_one_name() -> None:
    assert clean_name("cafe\u0301.md") == clean_name("caf\u00e9.md") == "caf\u00e9.md"
