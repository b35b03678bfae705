"""Quotes widened to what a reader needs: whole lines, lists, and what a line leads to."""

import re

from graphs.evidence.blocks import Row, row_at, rows
from graphs.evidence.clauses import binds

_LONGEST = 200
_END = re.compile(r"[。！!？?]|\.(?=\s|$)")
_EXCEPTION = re.compile(
    r"\s*(?:(?:但是?|不过|然而|除外|例外|仅限|只限|只有)[^。！!？?\n]*|[^。！!？?，,\n]{0,16}(?:不适用|除外|例外)[^。！!？?\n]*"
    r"|(?:but|however|except|unless|only|provided|this does not|these do not|it does not|exceptions?)\b(?:[^.!?\n]|\.(?=\S))*)"
    r"[。.！!？?]?",
    re.IGNORECASE,
)
"""A sentence that limits the one before it: 但…, …不适用, However …, This does not apply …"""
LEAD = re.compile(r"[：:]\s*(?:\*\*)?\s*$")
_POINTS = re.compile(
    r"如下|下列|[见如]下[表列]|\b(?:as follows|the following|(?:table|list|steps) below)\b",
    re.IGNORECASE,
)


def as_shown(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Widen a quote to its list item or row; one that only leads on is shown with what follows."""
    layout = rows(text)
    row = row_at(layout, start)
    if row is None:
        return [(start, end)]
    if row.kind != "text":
        return [(row.start, row.end)]
    following = layout[layout.index(row) + 1 :][:1]
    if _leads(text[start:end]) and following and following[0].kind in ("item", "header"):
        return whole_line(layout, row, text)
    return [_with_exception(text, row, *_with_what_binds(text, row, start, end))]


def _leads(quote: str) -> bool:
    return bool(LEAD.search(quote) or _POINTS.search(quote))


def _with_what_binds(text: str, row: Row, start: int, end: int) -> tuple[int, int]:
    """Widen a part of a Chinese sentence in "；" to all of it where that holds a condition."""
    first = text.rfind("。", row.start, start) + 1 or row.start
    last = text.find("。", max(start, end - 1), row.end)
    last = last + 1 if last >= 0 else row.end
    sentence = text[first:last]
    if "；" in sentence and len(sentence) <= _LONGEST and binds(sentence):
        return first, last
    return start, end


def _with_exception(text: str, row: Row, start: int, end: int) -> tuple[int, int]:
    """Widen a quote to the next sentence of its paragraph where that takes something back from it."""
    closing = _END.search(text, max(start, end - 1), row.end)
    if closing is None:
        return start, end
    exception = _EXCEPTION.match(text, closing.end(), row.end)
    if exception is None or exception.end() - start > 2 * _LONGEST:
        return start, end
    return start, exception.end()


def whole_line(layout: list[Row], row: Row, text: str) -> list[tuple[int, int]]:
    """Return a line, with the list or table that it leads to."""
    spans = [(row.start, row.end)]
    following = layout[layout.index(row) + 1 :]
    leads = row.kind == "text" and _leads(text[row.start : row.end])
    if leads and following and following[0].kind in ("item", "header"):
        block = following[0].block
        below = [
            (r.start, r.end) for r in following if r.block == block and r.kind in ("item", "row")
        ]
        spans.extend(_joined(below, text))
    return spans


def list_of(layout: list[Row], row: Row, text: str) -> list[tuple[int, int]]:
    """Return all items of the list that a line stands in or leads to, else nothing."""
    index = layout.index(row)
    if row.kind == "text" and index + 1 < len(layout) and layout[index + 1].kind == "item":
        row = layout[index + 1]
    if row.kind != "item":
        return []
    items = [(r.start, r.end) for r in layout if r.block == row.block]
    return _joined(items, text) if len(items) > 1 else []


def _joined(items: list[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Join continuation lines to the item that they belong to."""
    joined: list[tuple[int, int]] = []
    for start, end in items:
        if joined and text[start : start + 2].isspace():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined
