"""The lines of a PDF page with their places and fonts, in the order of the page's content."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.ingest.converters.paragraphs import one_line
from app.ingest.converters.pdf_chars import HYPHEN, Box, Char, PageText
from graphs.evidence.text import is_cjk

_HYPHENS = "-\u2010\u00ad\u0002\ufffe"


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


def lines_of(page: PageText, number: int) -> list[Line]:
    """Return the lines of a page; blanks that only spread Chinese characters are left out."""
    return [
        _line(row, number, page.size[1])
        for row in _rows(page.chars)
        if any(char.text.strip() for char in row)
    ]


def text_in(chars: Iterable[Char], box: Box) -> str:
    """Return what stands inside a box, in one line; Chinese goes on without a blank."""
    inside = [char for char in chars if char.text not in "\r\n" and _is_inside(char.box, box)]
    text = ""
    for row in _rows(inside):
        if not (line := _words(row, row[0].font()[0])):
            continue
        if text.endswith(HYPHEN):
            text = text[:-1] + "-"
        close = not text or text[-1] == "-" or (is_cjk(text[-1]) and is_cjk(line[0]))
        text += line if close else f" {line}"
    return text.replace(HYPHEN, "-")


def _is_inside(box: Box, outer: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return outer[0] <= x <= outer[2] and outer[1] <= y <= outer[3]


def _rows(chars: Iterable[Char]) -> Iterator[list[Char]]:
    """Divide characters where the text says so, goes back to the left or leaves its row."""
    row: list[Char] = []
    around: Box | None = None
    for char in chars:
        blank = not char.text.strip()
        if row and (char.text in "\r\n" or (around and not blank and _elsewhere(around, char.box))):
            yield row
            row, around = [], None
        if char.text not in "\r\n":
            row.append(char)
            around = around if blank else _grown(around, char.box)
    if row:
        yield row


def _grown(around: Box | None, box: Box) -> Box:
    """Return how high a row reaches, with the place of its last character."""
    if around is None:
        return box
    return box[0], min(around[1], box[1]), box[2], max(around[3], box[3])


def _elsewhere(around: Box, box: Box) -> bool:
    """Tell whether a character stands far to the left of the last one, or above or below its row."""
    height = max(around[3] - around[1], box[3] - box[1], 1.0)
    apart = min(around[3], box[3]) - max(around[1], box[1])
    return box[2] < around[0] - 0.5 * height or apart < -0.3 * height


def _line(row: Sequence[Char], number: int, height: float) -> Line:
    solid = [char for char in row if char.text.strip()]
    box = (
        min(char.box[0] for char in solid),
        min(char.box[1] for char in solid),
        max(char.box[2] for char in solid),
        max(char.box[3] for char in solid),
    )
    fonts = Counter(char.font() for char in solid[:: max(1, len(solid) // 4)])
    size, bold = fonts.most_common(1)[0][0]
    middle = (box[1] + box[3]) / 2 / max(height, 1.0)
    return Line(_words(row, size), box, size, bold, middle, number)


def _words(row: Sequence[Char], size: float) -> str:
    """Return the characters of a row, without the reader's blanks where Chinese is only spread."""
    parts: list[str] = []
    for at, char in enumerate(row):
        before = row[at - 1] if at else None
        if char.added and before is not None and at + 1 < len(row):
            narrow = row[at + 1].box[0] - before.box[2] < 0.6 * size
            if narrow and is_cjk(before.text) and is_cjk(row[at + 1].text):
                continue
        parts.append(char.text)
    text = "".join(parts).rstrip()
    return one_line(text.rstrip(_HYPHENS)) + (HYPHEN if text and text[-1] in _HYPHENS else "")
