"""The characters of PDF pages with their places and fonts: by PDFium, or by pdfminer where that
knows no metrics."""

import ctypes
import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

import pdfplumber
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from pdfminer.layout import LTChar, LTFigure
from pdfplumber.page import Page
from pdfplumber.pdf import PDF
from pdfplumber.utils.exceptions import PdfminerException

HYPHEN = "\u00ad"
"""Ends a line whose last word goes on in the next one."""
_HYPHENS = frozenset({0x02, 0x2D, 0xAD, 0x2010, 0xFFFE})
_BLANK = 0x20
_BOLD = 600
_BOLD_NAMES = ("bold", "black", "heavy", "simhei", "heiti", "黑体")
_NAME = 128
_FLAT = 0.1
"""Height of a character in its font size below which its font has no metrics here."""
Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points; the origin is the lower left corner of the page."""
Font = tuple[float, bool]
"""Size in points as it appears, and whether it is bold."""


@dataclass(frozen=True, slots=True)
class Char:
    """One character. `added` marks a blank that the reader concluded from a gap."""

    text: str
    box: Box
    font: Callable[[], Font]
    added: bool = False


@dataclass(frozen=True, slots=True)
class PageText:
    """The characters of a page in the order of its content; `size` is its width and height."""

    chars: Sequence[Char]
    size: tuple[float, float]


class PdfFile:
    """One PDF, opened by PDFium and, at the first page that needs it, by pdfplumber."""

    def __init__(self, data: bytes) -> None:
        """Raise PdfiumError where it can't be opened."""
        self._data = data
        self.document = pdfium.PdfDocument(data)
        self._plumber: PDF | None = None

    def __len__(self) -> int:
        return len(self.document)

    def text(self, number: int) -> PageText:
        """Return the characters of a page.

        Without metrics (a Chinese font that is neither embedded nor installed) PDFium takes equal
        lines for one that is printed twice, so such a page is read by pdfminer, which is slower
        and brings the metrics of those fonts.
        """
        page = self.document[number]
        left, bottom, right, top = page.get_bbox()
        chars = _by_pdfium(page, left, bottom)
        solid = [char for char in chars[:400] if char.text.strip()]
        flat = sum(c.box[3] - c.box[1] < _FLAT * max(c.font()[0], 1.0) for c in solid[::8])
        if flat * 16 > len(solid):
            chars = self._by_pdfminer(number) or chars
        return PageText(chars, (right - left, top - bottom))

    def _by_pdfminer(self, number: int) -> list[Char]:
        """Return the characters of a page, none where pdfminer fails at what PDFium could read."""
        try:
            return list(_spaced(map(_plumbed, _letters(self.plumbed(number).layout))))
        except PdfminerException:
            return []

    def plumbed(self, number: int) -> Page:
        """Return a page as pdfplumber sees it; reading it raises PdfminerException."""
        if self._plumber is None:
            self._plumber = pdfplumber.open(io.BytesIO(self._data))
        return self._plumber.pages[number]

    def forget(self, number: int) -> None:
        """Release what pdfplumber keeps of a page."""
        if self._plumber is not None:
            self._plumber.pages[number].close()

    def close(self) -> None:
        """Release both readers."""
        if self._plumber is not None:
            self._plumber.close()
        self.document.close()


def _by_pdfium(page: pdfium.PdfPage, left: float, bottom: float) -> list[Char]:
    """Return the characters of a page; asks as little as possible, there are many of them."""
    text_page = page.get_textpage()
    x0, x1, y0, y1 = (ctypes.c_double() for _ in range(4))
    places = tuple(map(ctypes.byref, (x0, x1, y0, y1)))
    chars: list[Char] = []
    for index in range(text_page.count_chars()):
        code = raw.FPDFText_GetUnicode(text_page, index)
        raw.FPDFText_GetCharBox(text_page, index, *places)
        box = (x0.value - left, y0.value - bottom, x1.value - left, y1.value - bottom)
        text = _letter(code)
        if code in _HYPHENS and raw.FPDFText_IsHyphen(text_page, index) == 1:
            text = HYPHEN
        added = code == _BLANK and raw.FPDFText_IsGenerated(text_page, index) == 1
        chars.append(Char(text, box, partial(_font, text_page, index), added))
    return chars


def _letter(code: int) -> str:
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF or code == 0:
        return "\ufffd"
    return chr(code)


def _font(text_page: pdfium.PdfTextPage, index: int) -> Font:
    matrix = raw.FS_MATRIX()
    raw.FPDFText_GetMatrix(text_page, index, matrix)
    scale = math.hypot(matrix.c, matrix.d) or 1.0
    size = raw.FPDFText_GetFontSize(text_page, index) * scale
    name = ctypes.create_string_buffer(_NAME)
    raw.FPDFText_GetFontInfo(text_page, index, name, _NAME, ctypes.c_int())
    heavy = raw.FPDFText_GetFontWeight(text_page, index) >= _BOLD
    return _rounded(size), heavy or _is_bold(name.value.decode("utf-8", "replace"))


def _letters(layout: Iterable[object]) -> Iterator[LTChar]:
    """Yield the characters of a page in the order of its content, also those inside forms."""
    for element in layout:
        if isinstance(element, LTChar):
            yield element
        elif isinstance(element, LTFigure):
            yield from _letters(element)


def _plumbed(found: LTChar) -> Char:
    text = found.get_text()
    font = (_rounded(found.size), _is_bold(found.fontname))
    return Char("\ufffd" if text.startswith("(cid:") else text, found.bbox, lambda: font)


def _spaced(chars: Iterable[Char]) -> Iterator[Char]:
    """Yield characters with a blank in every gap of a row, as PDFium gives them."""
    before: Char | None = None
    for char in chars:
        if before is not None and before.text.strip() and char.text.strip():
            size, gap = char.font()[0], char.box[0] - before.box[2]
            beside = min(char.box[3], before.box[3]) > max(char.box[1], before.box[1])
            if beside and 0.2 * size < gap:
                box = (before.box[2], char.box[1], char.box[0], char.box[3])
                yield Char(" ", box, char.font, added=True)
        yield char
        before = char


def _rounded(size: float) -> float:
    return round(size * 2) / 2


@lru_cache(maxsize=256)
def _is_bold(name: str) -> bool:
    lowered = name.lower()
    return any(word in lowered for word in _BOLD_NAMES)
