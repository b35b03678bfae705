"""The lines of a PDF page with their places and fonts, in the order of the page's content."""

import ctypes
import math
from collections import Counter
from dataclasses import dataclass

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from app.ingest.converters.paragraphs import one_line
from graphs.evidence.text import is_cjk

_HYPHENS = "-\u2010\u00ad\u0002\ufffe"
HYPHEN = "\u00ad"
"""Ends a line whose last word goes on in the next one."""
_BOLD = 600
_BOLD_NAMES = ("bold", "black", "heavy", "simhei", "heiti", "黑体")
_NAME = 128
Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points; the origin is the lower left corner of the page."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text; `size` is the size of its font in points."""

    text: str
    box: Box
    size: float
    bold: bool
    height: float
    """Where its middle lies on the page, 0 at the bottom, 1 at the top."""
    page: int


@dataclass(frozen=True, slots=True)
class _Char:
    text: str
    box: Box
    index: int
    added: bool
    """A blank that stands in no text: the reader concluded it from a gap."""


def lines_of(page: pdfium.PdfPage, number: int) -> list[Line]:
    """Return the lines of a page; blanks that only spread Chinese characters are left out."""
    _, bottom, _, top = page.get_bbox()
    text_page = page.get_textpage()
    try:
        found: list[Line] = []
        row: list[_Char] = []
        for index in range(text_page.count_chars()):
            char = _char(text_page, index)
            if char.text in "\r\n" or (row and _elsewhere(row[-1], char)):
                found += _line(text_page, row, number, (bottom, top))
                row = []
            if char.text not in "\r\n":
                row.append(char)
        return found + _line(text_page, row, number, (bottom, top))
    finally:
        text_page.close()


def _char(text_page: pdfium.PdfTextPage, index: int) -> _Char:
    code = raw.FPDFText_GetUnicode(text_page, index)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
    text = HYPHEN if raw.FPDFText_IsHyphen(text_page, index) == 1 else _letter(code)
    box = (left.value, bottom.value, right.value, top.value)
    return _Char(text, box, index, raw.FPDFText_IsGenerated(text_page, index) == 1)


def _letter(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF or code == 0:
        return "\ufffd"
    return chr(code)


def _elsewhere(last: _Char, char: _Char) -> bool:
    """Tell whether a character stands far to the left or in another row than the one before it."""
    if not last.text.strip() or not char.text.strip():
        return False
    height = max(last.box[3] - last.box[1], char.box[3] - char.box[1], 1.0)
    return char.box[2] < last.box[0] - 2 * height or abs(char.box[1] - last.box[1]) > 2 * height


def _line(
    text_page: pdfium.PdfTextPage, row: list[_Char], number: int, page: tuple[float, float]
) -> list[Line]:
    """Return the line of some characters, or nothing where they are blank."""
    solid = [char for char in row if char.text.strip()]
    if not solid:
        return []
    box = (
        min(char.box[0] for char in solid),
        min(char.box[1] for char in solid),
        max(char.box[2] for char in solid),
        max(char.box[3] for char in solid),
    )
    fonts = [_font(text_page, char.index) for char in solid[:: max(1, len(solid) // 4)]]
    size, bold = Counter(fonts).most_common(1)[0][0]
    height = ((box[1] + box[3]) / 2 - page[0]) / max(page[1] - page[0], 1.0)
    return [Line(_words(row, size), box, size, bold, height, number)]


def _font(text_page: pdfium.PdfTextPage, index: int) -> tuple[float, bool]:
    """Return the size of a character as it appears, and whether its font is a bold one."""
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(text_page, index, matrix)
    scale = math.hypot(matrix.c, matrix.d) or 1.0
    size = raw.FPDFText_GetFontSize(text_page, index) * scale
    name = ctypes.create_string_buffer(_NAME)
    raw.FPDFText_GetFontInfo(text_page, index, name, _NAME, ctypes.c_int())
    named = name.value.decode("utf-8", "replace").lower()
    bold = raw.FPDFText_GetFontWeight(text_page, index) >= _BOLD
    return round(size * 2) / 2, bold or any(word in named for word in _BOLD_NAMES)


def _words(row: list[_Char], size: float) -> str:
    """Return the characters of a line, without narrow blanks between Chinese characters."""
    parts: list[str] = []
    for at, char in enumerate(row):
        if not char.text.strip() and 0 < at < len(row) - 1:
            before, after = row[at - 1], row[at + 1]
            narrow = after.box[0] - before.box[2] < 0.6 * size
            if narrow and char.added and is_cjk(before.text) and is_cjk(after.text):
                continue
        parts.append(char.text)
    text = "".join(parts).rstrip()
    return one_line(text.rstrip(_HYPHENS)) + (HYPHEN if text[-1] in _HYPHENS else "")
