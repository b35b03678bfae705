"""Numbers at the start of lines: those that count a list or headings, and those of a sentence."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from app.ingest.converters.pdf_lines import Line

_BEGINS = re.compile(r"[（(]?\d")
_MARKER = re.compile(r"([（(]?)(\d{1,3}(?:\.\d{1,2})*)(?:([.)）、．])(?!\d)|(?=\s))")
_LOOKED_BACK = 60
"""Paragraphs before a line among which the number before its own is looked for."""


class _Marker(NamedTuple):
    """A number, the signs around it, and where its line stands."""

    numbers: tuple[int, ...]
    style: str
    line: Line


def begins_with_number(text: str) -> bool:
    """Tell whether a line begins with digits, in brackets or without."""
    return _BEGINS.match(text) is not None


def is_counted(line: Line, before: Sequence[Line], after: Iterable[Line]) -> bool:
    """Tell whether a line's number goes on from one before it, or is followed by the next one.

    `before` are the first lines of the paragraphs above, `after` the lines that follow on the page.
    """
    own = _marker(line)
    if own is None:
        return False
    found = (_marker(each) for each in reversed(before[-_LOOKED_BACK:]))
    if any(_follows(own, each) for each in found if each):
        return True
    return any(_follows(each, own) for each in map(_marker, after) if each)


def _marker(line: Line) -> _Marker | None:
    found = _MARKER.match(line.text)
    if found is None:
        return None
    numbers = tuple(int(part) for part in found[2].split("."))
    return _Marker(numbers, found[1] + (found[3] or ""), line)


def _follows(later: _Marker, earlier: _Marker) -> bool:
    """Tell 2. after 1., 2.2 after 2.1, and 2.1 after 2, however that is written."""
    if later.numbers == (*earlier.numbers, 1):
        return True
    *chapter, last = later.numbers
    counted = (*chapter, last - 1) == earlier.numbers and later.style == earlier.style
    return counted and _is_aligned(later.line, earlier.line)


def _is_aligned(one: Line, other: Line) -> bool:
    return one.page != other.page or abs(one.box[0] - other.box[0]) <= max(one.size, 6.0)
