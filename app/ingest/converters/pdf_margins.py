"""Page headers, footers and page numbers of a PDF: lines that repeat in the margins."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from app.ingest.converters.pdf_lines import Line
from graphs.evidence.text import codes, fold

_HEAD, _FOOT = 0.915, 0.085
"""Share of the page's height above and below which a line may be a page header or footer."""
_DIGITS = re.compile(r"\d{1,9}")
_CONTENTS = re.compile(r"(?:(?:[.．·・]\s?){5,}|…{2,})\s*[\divxlc]{1,6}$")
Key = tuple[str, int]
_NUMBER = re.compile(
    r"[\W_]*(?:第|page|p\.?)?\s*(?:\d{1,4}|[ivxlc]{1,6})\s*(?:页|頁)?"
    r"\s*(?:(?:/|of|,|，|共)\s*(?:共)?\s*\d{1,4}\s*(?:页|頁)?)?[\W_]*",
    re.IGNORECASE,
)
_LARGER = 1.12
"""How much larger than most of the text a title is."""
_TOP = 3
"""Lines at the start of the text among which its title stands."""
_MOVES = 0.02
"""Share of the page's height by which a repeated line may move."""


def without_margins(pages: Sequence[Sequence[Line]], title: str = "") -> list[list[Line]]:
    """Return the pages without page numbers, contents and what repeats at the top or bottom.

    A line repeats if it stands at the same height on at least three pages and a third of them; of
    two pages on both. It may hold the page's number, no other that changes, and a line that begins
    or ends with the page's number may change altogether (the chapter's name). Where it comes first
    it is kept if it names the document: by its title, by a code that stands nowhere else, or as the
    page header of one that begins with no title of its own. In the middle of a page only entries of a table of contents are taken away: words, leading dots, a number.
    """
    places: dict[Key, list[Line]] = defaultdict(list)
    for line in (line for page in pages for line in page if _is_margin(line)):
        for key in _keys(line):
            places[key].append(line)
    needed = max(2, min(len(pages), max(3, -(-len(pages) // 3))))
    body = [line for page in pages for line in page if not _is_margin(line)]
    names = _Names(body, title)
    repeated: set[int] = set()
    for found in places.values():
        alike = [line for line in found if _pages_alike(line, found) >= needed]
        repeated |= {id(line) for line in alike
                     if line.page > alike[0].page or not names.names(line)}  # fmt: skip
    return [
        [
            line for line in page
            if id(line) not in repeated and not _is_number(line, pages)
            and not _CONTENTS.search(line.text)
        ]
        for page in pages
    ]  # fmt: skip


class _Names:
    """Tells which lines of the margins name the document, for want of others that do."""

    def __init__(self, body: Sequence[Line], title: str) -> None:
        self._texts = {fold(line.text) for line in body}
        self._codes = {code for line in body for code in codes(line.text)}
        self._title = fold(title)
        sizes: Counter[float] = Counter()
        for line in body:
            sizes[line.size] += len(line.text)
        usual = sizes.most_common(1)[0][0] if sizes else 0.0
        self._titled = bool(title) or any(line.size > usual * _LARGER for line in body[:_TOP])

    def names(self, line: Line) -> bool:
        """Tell whether nothing but this line says what it says of the document's name."""
        text = fold(line.text)
        if text in self._texts:
            return False
        if text == self._title or not self._codes.issuperset(codes(line.text)):
            return True
        return line.height > _HEAD and not self._titled


def _pages_alike(line: Line, found: Sequence[Line]) -> int:
    """Return on how many pages a line like this one stands at its height."""
    return len({other.page for other in found if abs(line.height - other.height) <= _MOVES})


def _is_margin(line: Line) -> bool:
    return line.height > _HEAD or line.height < _FOOT


def _keys(line: Line) -> set[Key]:
    """Return what lines that repeat share: their text, or all but a number that counts pages."""
    text = fold(line.text)
    numbers = list(_DIGITS.finditer(text))
    keys: set[Key] = {(text, 0)}
    for number in (numbers[0], numbers[-1]) if numbers else ():
        around = f"{text[: number.start()]}#{text[number.end() :]}"
        keys.add((around, int(number.group()) - line.page))
        if not around.strip("#") or around[0] == "#" or around[-1] == "#":
            keys.add(("#" + around[-1], int(number.group()) - line.page))
    return keys


def _is_number(line: Line, pages: Sequence[Sequence[Line]]) -> bool:
    """Tell a page number: nothing else in the line, and the outermost line of its page."""
    return bool(
        len(pages[line.page]) > 1
        and _is_margin(line)
        and _NUMBER.fullmatch(line.text)
        and _is_outermost(line, pages)
    )


def _is_outermost(line: Line, pages: Sequence[Sequence[Line]]) -> bool:
    heights = [other.height for other in pages[line.page]]
    return line.height in (max(heights), min(heights))
