import io
import random
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from office_files import ledger, merged_table, report, slides, word, workbook
from pdf_files import chinese, pdf, ruled

from app.ingest.converters import child
from app.ingest.converters.archive import MAX_UNPACKED
from app.ingest.converters.formats import FORMATS
from app.ingest.converters.pool import ConverterPool
from app.ingest.loading import SUPPORTED, FileRejected, convert, converter

OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


@pytest.fixture
def broken() -> Iterator[ConverterPool]:
    pool = ConverterPool(size=2, seconds=20, module="broken_child")
    yield pool
    pool.close()


def refusal(name: str, data: bytes) -> FileRejected:
    with pytest.raises(FileRejected) as caught:
        convert(name, data)
    assert caught.value.message
    assert caught.value.hint
    return caught.value


def zipped(**parts: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/"), content)
    return target.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.docx", word(merged_table), "| 真空泵 | 5 | 5 |"),
        ("a.PPTX", slides(report), "## 目标"),
        ("a.xlsx", workbook(ledger), "| 运行 | 真空泵 | 1,200 |"),
        ("a.pdf", pdf([chinese("真空下降时检查循环水。")]), "真空下降时检查循环水。"),
        ("a.csv", "姓名;部门\n甲;运行\n".encode("gb18030"), "| 甲 | 运行 |"),
        ("a.html", "<h1>制度</h1><p>正文。</p>".encode(), "# 制度\n\n正文。"),
        ("a.jsonl", b'{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n', "| 3 | 4 |"),
        ("a.json", b'[{"title": "One", "text": "Body."}]', "## One"),
        ("a.md", b"# One\r\n\r\nBody.", "# One\n\nBody."),
        ("a.txt", "正文".encode("utf-16"), "正文"),
    ],
)
def test_every_format_is_read(name: str, data: bytes, words: str) -> None:
    assert words in convert(name, data).text


def test_each_ending_has_a_converter_version() -> None:
    assert len(set(SUPPORTED)) == len(SUPPORTED)
    assert all(converter(f"a{ending}") for ending in SUPPORTED)
    assert converter("a.pdf") != converter("a.docx") != converter("a.md")


@pytest.mark.parametrize("ending", sorted(FORMATS))
def test_damaged_file_is_refused_with_a_reason(ending: str) -> None:
    assert refusal(f"a{ending}", b"\x00\x01\x02 no such file \xff\xfe" * 40).code in {
        "wrong_type", "corrupt", "binary_file", "empty_file",
    }  # fmt: skip
    assert refusal(f"a{ending}", b"").code == "empty_file"


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("a.docx", OLD, "old_format"),
        ("a.docx", OLD + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
        ("a.xlsx", workbook(ledger)[:-300], "corrupt"),
        ("a.xlsx", word(merged_table), "wrong_type"),
        ("a.docx", zipped(notes__txt=b"x"), "wrong_type"),
        ("a.docx", b"# just text", "wrong_type"),
        ("a.pdf", b"<html>not a PDF</html>", "wrong_type"),
        ("a.docx", zipped(word__document=bytes(MAX_UNPACKED + 1)), "too_large"),
        ("a.docx", zipped(word__document=b"<w:document"), "corrupt"),
        ("a.doc", OLD, "unsupported_type"),
        ("a.xls", OLD, "unsupported_type"),
        ("a.exe", b"MZ", "unsupported_type"),
        ("a.jsonl", b'{"a": 1}\n{"a": \n', "corrupt"),
    ],
)
def test_file_that_is_not_what_it_says_is_refused(name: str, data: bytes, code: str) -> None:
    assert refusal(name, data).code == code


def test_old_word_file_is_told_how_to_mend() -> None:
    assert "save it as .docx" in refusal("规程.doc", OLD).hint


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"crash", "crashed"),
        (b"eat", "too_complex"),
        (b"nest", "too_complex"),
        (b"raise", "corrupt"),
    ],
)
def test_file_that_breaks_its_converter_is_refused_and_the_next_is_read(
    broken: ConverterPool, data: bytes, code: str
) -> None:
    with pytest.raises(FileRejected) as caught:
        broken.convert(".pdf", data)
    assert caught.value.code == code
    assert broken.convert(".pdf", b"sound").text == ".pdf: sound"


def test_file_that_hangs_is_given_up_and_the_next_is_read() -> None:
    pool = ConverterPool(size=1, seconds=3, module="broken_child")
    try:
        assert pool.convert(".pdf", b"first").text == ".pdf: first"
        with pytest.raises(FileRejected) as caught:
            pool.convert(".pdf", b"hang")
        assert caught.value.code == "too_slow"
        assert pool.convert(".pdf", b"sound").pages == (0, 3)
    finally:
        pool.close()


def test_what_a_library_prints_does_not_disturb_replies(broken: ConverterPool) -> None:
    assert broken.convert(".pdf", b"print").text == ".pdf: print"


def test_several_threads_get_their_own_replies(broken: ConverterPool) -> None:
    files = [f"file {number}".encode() for number in range(12)]
    with ThreadPoolExecutor(6) as threads:
        found = list(threads.map(lambda data: broken.convert(".pdf", data).text, files))
    assert found == [f".pdf: {data.decode()}" for data in files]


@pytest.mark.parametrize("ending", [".docx", ".xlsx", ".pptx", ".pdf", ".html", ".csv", ".jsonl"])
def test_any_damage_gives_a_text_or_a_reason(ending: str) -> None:
    sound = {
        ".docx": word(merged_table), ".xlsx": workbook(ledger), ".pptx": slides(report),
        ".pdf": pdf([chinese("真空下降时检查循环水。"), ruled([["a", "b"], ["1", "2"]], (90, 90))]),
        ".html": b"<h1>a</h1><table><tr><td>1<td>2</table>", ".csv": b"a,b\n1,2\n",
        ".jsonl": b'{"a": 1, "b": [1, {"c": 2}]}\n',
    }[ending]  # fmt: skip
    damage = random.Random(ending)
    refusals: list[FileRejected] = []
    for _ in range(25):
        data = bytearray(sound)
        if damage.random() < 0.3:
            data = data[: damage.randrange(1, len(data))]
        for _ in range(damage.choice([1, 3, 20])):
            data[damage.randrange(len(data))] = damage.randrange(256)
        try:
            assert convert(f"a{ending}", bytes(data)).text.strip()
        except FileRejected as refused:
            refusals.append(refused)
    assert all(refused.hint for refused in refusals)
    assert not {refused.code for refused in refusals} & {"crashed", "too_slow"}


@pytest.mark.parametrize("data", [b"leave", b"grow"])
def test_child_that_left_or_grew_is_replaced_without_a_refusal(
    broken: ConverterPool, data: bytes
) -> None:
    for _ in range(3):
        assert broken.convert(".pdf", data).text == f".pdf: {data.decode()}"
    assert broken.convert(".pdf", b"sound").text == ".pdf: sound"


def test_child_of_a_large_process_is_kept_for_the_next_file(broken: ConverterPool) -> None:
    large = bytearray(b"\x01") * (child._GROWN + 100 * 1024**2)
    assert broken.convert(".pdf", b"first").text == ".pdf: first"
    assert broken.convert(".pdf", b"second").text == ".pdf: second"
    assert large
    assert [kept.served for kept in broken._idle] == [2]


def test_request_that_meets_a_leaving_child_goes_to_the_next(
    broken: ConverterPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert broken.convert(".pdf", b"leave").text == ".pdf: leave"
    monkeypatch.setattr("app.ingest.converters.pool._Child.alive", True)
    assert broken.convert(".pdf", b"sound").text == ".pdf: sound"
