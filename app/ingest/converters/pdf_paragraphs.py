"""Lines of a PDF to paragraphs: line wraps and hyphens joined, also across pages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from app.ingest.converters.pdf_chars import HYPHEN
from app.ingest.converters.pdf_lines import Line
from app.ingest.converters.pdf_numbers import begins_with_number, is_counted
from app.ingest.converters.pdf_tables import RuledTable
from app.ingest.marks import ITEM, plain_level
from graphs.evidence.text import is_cjk

_ENDS = '。！？!?；;：:.”"』」'
_ARTICLE = re.compile(
    r"第[零〇一二三四五六七八九十百千两\d]+[条章节编款](?:之[一二三四五六七八九十])?(?:\s|　|[^\s，。、的])"
)
_CLOSE = "，。、；：！？（）《》“”【】"
"""Punctuation that takes no blank beside it."""
_HYPHENATED = re.compile(r"[A-Za-z]{2,}-[A-Za-z]{2,}")
_WORD_BEFORE = re.compile(r"[A-Za-z]{2,}$")
_WORD_AFTER = re.compile(r"[a-z]{2,}")


@dataclass(slots=True)
class Block:
    """A paragraph with its lines, or a table with the page of each of its rows."""

    lines: list[Line] = field(default_factory=list)
    table: RuledTable | None = None
    page: int = 0
    table_pages: list[int] = field(default_factory=list)


Piece = Line | RuledTable


def blocks_of(pages: Sequence[Sequence[Piece]]) -> list[Block]:
    """Divide the lines of all pages into paragraphs and join tables that go on overleaf."""
    found: list[Block] = []
    for number, page in enumerate(pages):
        rights = _Margins([piece for piece in page if isinstance(piece, Line)])
        for at, piece in enumerate(page):
            last = found[-1] if found else None
            if isinstance(piece, RuledTable):
                if at == 0 and last is not None and _goes_on(last, piece, number):
                    _append(last, piece, number)
                else:
                    rows = len(piece.grid.text)
                    found.append(Block(table=piece, page=number, table_pages=[number] * rows))
            elif (
                last is None
                or last.table is not None
                or _is_numbered(last.lines[-1], piece, found, page[at + 1 :], rights)
                or _begins(last.lines, piece, rights)
            ):
                found.append(Block(lines=[piece], page=number))
            else:
                last.lines.append(piece)
    return found


def joined(lines: Sequence[Line], hyphenated: frozenset[str]) -> tuple[str, tuple[int, ...]]:
    """Return the text of a paragraph in one line, and where in it the next pages begin."""
    text, turns = lines[0].text, []
    for before, line in pairwise(lines):
        first, last = line.text[0], text.rstrip(HYPHEN)[-1:]
        if text.endswith(HYPHEN):
            text = _unhyphenated(text[:-1], line.text, hyphenated)
        elif not (
            is_cjk(last + first) or last in _CLOSE or first in _CLOSE or _touches(before, line)
        ):
            text += " "
        if line.page > before.page:
            turns.extend([len(text)] * (line.page - before.page))
        text += line.text
    return text.replace(HYPHEN, "-"), tuple(turns)


def hyphenated_words(pages: Sequence[Sequence[Line]]) -> frozenset[str]:
    """Return the words that are written with a hyphen inside a line."""
    words = (word for page in pages for line in page for word in _HYPHENATED.findall(line.text))
    return frozenset(word.lower() for word in words)


def _unhyphenated(text: str, following: str, hyphenated: frozenset[str]) -> str:
    before, after = _WORD_BEFORE.search(text), _WORD_AFTER.match(following)
    if before and after and f"{before.group()}-{after.group()}".lower() not in hyphenated:
        return text
    return text + "-"


class _Margins:
    """How far to the right the lines of a page reach, column by column."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = lines

    def of(self, line: Line) -> tuple[float, float]:
        """Return the left and right margin of the column that a line stands in."""
        near = [o for o in self._lines if abs(o.box[0] - line.box[0]) <= 4 * max(line.size, 6.0)]
        rights = sorted(other.box[2] for other in near) or [line.box[2]]
        lefts = sorted(other.box[0] for other in near) or [line.box[0]]
        return lefts[len(lefts) // 5], rights[min(len(rights) - 1, len(rights) * 4 // 5)]


def _begins(lines: Sequence[Line], line: Line, margins: _Margins) -> bool:
    """Tell whether a line begins a paragraph after `lines`."""
    last = lines[-1]
    em = max(last.size, 6.0)
    if _is_beside(last, line):
        return False
    if abs(line.size - last.size) > 0.08 * em + 0.3 or (line.bold != last.bold and _is_short(last)):
        return True
    if _is_marked(line) and not begins_with_number(line.text):
        return not _is_continued(last)
    overleaf = line.page != last.page
    if not overleaf and _far(last, line, _spacing(lines)):
        return True
    if last.text.endswith(HYPHEN):
        return False
    left, right = margins.of(last if not overleaf else line)
    ended = last.text[-1] in _ENDS
    if overleaf:
        return ended or _is_title(lines)
    beside = line.box[1] > last.box[3]
    if beside:  # the next column
        return ended
    missing = right - last.box[2]
    if missing > _room(last, line) and (ended or missing > 0.2 * (right - left)):
        return True
    indented = line.box[0] - last.box[0]
    return 1.2 * em < indented < 6 * em and (ended or len(lines) > 1)


def _is_marked(line: Line) -> bool:
    text = line.text
    return bool(ITEM.match(text) or _ARTICLE.match(text) or plain_level(text))


def _is_numbered(
    last: Line, line: Line, found: Sequence[Block], after: Sequence[Piece], margins: _Margins
) -> bool:
    """Tell whether a number begins an item or a heading, and is none of the sentence before it.

    It does where it counts with its neighbours, after a sentence's end, and where it would have
    had room in the line above.
    """
    if not (begins_with_number(line.text) and _is_marked(line)):
        return False
    if _is_beside(last, line) or _is_continued(last):
        return False
    right = margins.of(line if line.page != last.page else last)[1]
    if last.text[-1] in _ENDS or right - last.box[2] > _room(last, line):
        return True
    firsts = [block.lines[0] for block in found if block.lines]
    return is_counted(line, firsts, (piece for piece in after if isinstance(piece, Line)))


def _is_beside(last: Line, line: Line) -> bool:
    """Tell whether a line goes on in the row of the last one, in another font for instance."""
    shared = min(last.box[3], line.box[3]) - max(last.box[1], line.box[1])
    height = min(last.box[3] - last.box[1], line.box[3] - line.box[1])
    gap = line.box[0] - last.box[2]
    return line.page == last.page and shared > 0.3 * height and -last.size < gap < 2 * last.size


def _touches(last: Line, line: Line) -> bool:
    return _is_beside(last, line) and line.box[0] - last.box[2] < 0.15 * last.size


def _room(last: Line, line: Line) -> float:
    """Return what the next line's first word takes: with more room left, the break is meant.

    Chinese breaks anywhere but before punctuation, so two characters are enough.
    """
    if is_cjk(line.text[0]) or is_cjk(last.text[-1]):
        return 2.2 * max(last.size, 6.0)
    word = line.text.split(" ", 1)[0]
    return 1.1 * (len(word) + 1) * (last.box[2] - last.box[0]) / len(last.text)


def _is_short(line: Line) -> bool:
    return len(line.text) <= 60


def _is_title(lines: Sequence[Line]) -> bool:
    return len(lines) == 1 and plain_level(lines[0].text) > 0 and _is_short(lines[0])


def _is_continued(last: Line) -> bool:
    """Tell whether a line visibly goes on, so that a number at the next one's start is no marker."""
    return last.text[-1] in "，,、（(" or last.text.endswith(HYPHEN)


def _spacing(lines: Sequence[Line]) -> float:
    """Return the distance of lines in a paragraph, 0 while only one is known."""
    return lines[-2].box[3] - lines[-1].box[3] if len(lines) > 1 else 0.0


def _far(last: Line, line: Line, spacing: float) -> bool:
    """Tell whether the gap above a line is larger than between lines of one paragraph."""
    step = last.box[3] - line.box[3]
    limit = 1.35 * spacing if spacing > 0 else 2.4 * max(last.size, 6.0)
    return step > max(limit, 1.2 * last.size)


def _goes_on(last: Block, table: RuledTable, number: int) -> bool:
    """Tell whether a table at the top of a page continues the last one of the page before."""
    if last.table is None or last.table_pages[-1] != number - 1:
        return False
    edges = last.table.edges
    return len(edges) == len(table.edges) and all(
        abs(a - b) <= 6.0 for a, b in zip(edges, table.edges, strict=True)
    )


def _append(block: Block, table: RuledTable, number: int) -> None:
    """Add the rows of a continued table, without the header if it is repeated."""
    assert block.table is not None
    own = block.table.grid
    skip = 1 if table.grid.text[0] == own.text[0] else 0
    shift = 1 + max((mark for row in own.origin for mark in row), default=0)
    own.text.extend(table.grid.text[skip:])
    own.origin.extend(
        [mark + shift if mark else 0 for mark in row] for row in table.grid.origin[skip:]
    )
    block.table_pages.extend([number] * (len(table.grid.text) - skip))
