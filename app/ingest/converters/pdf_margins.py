"""Page headers, footers and page numbers of a PDF: lines that repeat in the margins."""

import re
from collections import defaultdict
from collections.abc import Sequence

from app.ingest.converters.pdf_lines import Line
from graphs.evidence.text import fold

_HEAD, _FOOT = 0.88, 0.12
"""Share of the page's height above and below which a line may be a page header or footer."""
_DIGITS = re.compile(r"\d+|[ivxlc]+(?=\W*$)")
_NUMBER = re.compile(
    r"[\W_]*(?:第|page|p\.?)?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*(?:页|頁)?"
    r"\s*(?:(?:/|of|,|，|共)\s*(?:共)?\s*\d{1,4}\s*(?:页|頁)?)?[\W_]*",
    re.IGNORECASE,
)
_MOVES = 0.02
"""Share of the page's height by which a repeated line may move."""


def without_margins(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the pages without page numbers and without what repeats at the top or bottom.

    A line repeats if it stands at the same height, apart from its numbers, on at least three pages
    and a third of them. It is kept where it comes first: it may name the document. In the middle of
    a page nothing is taken away.
    """
    places: dict[str, list[Line]] = defaultdict(list)
    for line in (line for page in pages for line in page if _is_margin(line)):
        places[_key(line)].append(line)
    repeated: set[int] = set()
    for found in places.values():
        alike = [
            line for line in found
            if sum(abs(line.height - other.height) <= _MOVES for other in found) >= 3
        ]  # fmt: skip
        if len({line.page for line in alike}) * 3 >= max(len(pages), 9):
            repeated |= {id(line) for line in alike[1:]}
    return [
        [line for line in page if id(line) not in repeated and not _is_number(line, pages)]
        for page in pages
    ]


def _is_margin(line: Line) -> bool:
    return line.height > _HEAD or line.height < _FOOT


def _key(line: Line) -> str:
    return _DIGITS.sub("#", fold(line.text))


def _is_number(line: Line, pages: Sequence[Sequence[Line]]) -> bool:
    """Tell a page number: nothing else in the line, and the outermost line of its page."""
    if not _is_margin(line) or not _NUMBER.fullmatch(line.text):
        return False
    heights = [other.height for other in pages[line.page]]
    return line.height in (max(heights), min(heights)) and len(heights) > 1
