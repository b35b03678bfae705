"""Lines of a passage as a reader sees them: list items in their list, rows with their header."""

import re
from dataclasses import dataclass

from graphs.evidence.passages import Passage

_ITEM = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)、．](?!\d)\s*|[（(]\d{1,3}[)）]\s*|[①-⑳]\s*)")
_BULLET = re.compile(r"^\s*[-*+•]\s+")
_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE_ROW = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_HEADING = re.compile(r"^\s*#{1,6}\s+")
_MARKUP = re.compile(r"\*\*|__|`|^\s*(?:#{1,6}\s+|>\s*)")


@dataclass(frozen=True, slots=True)
class Row:
    """One text line. `start` and `end` count within the passage's text; `kind` is item, row,
    header, rule, heading or text; `block` numbers runs of the same list or table."""

    start: int
    end: int
    kind: str
    block: int


def rows(text: str) -> list[Row]:
    """Return the non-empty lines of `text`; a blank line between items does not end a list."""
    found: list[Row] = []
    place = block = 0
    previous = ""
    for line in text.split("\n"):
        start, end = place, place + len(line)
        place = end + 1
        if not line.strip():
            continue
        kind = _kind(line, previous)
        if kind == "rule" and found and found[-1].kind == "row":
            # The row above a rule opens a table, also where a blank line alone divides two.
            head, block = found[-1], block + 1
            found[-1] = Row(head.start, head.end, "header", block)
        if kind != previous and not (kind in ("rule", "row") and previous in ("row", "rule")):
            block += 1
        found.append(Row(start, end, kind, block))
        previous = kind
    return found


def _kind(line: str, previous: str) -> str:
    if _RULE_ROW.match(line) and "|" in line:
        return "rule"
    if _ROW.match(line):
        return "row"
    if _HEADING.match(line):
        return "heading"
    if _ITEM.match(line):
        return "item"
    if previous == "item" and line[:2].isspace():
        return "item"
    return "text"


def row_at(found: list[Row], place: int) -> Row | None:
    """Return the line that holds a place of the text."""
    return next((row for row in found if row.start <= place < row.end), None)


def header_of(found: list[Row], row: Row) -> Row | None:
    """Return the header line of the table that `row` belongs to."""
    return next((r for r in found if r.kind == "header" and r.block == row.block), None)


def header_line(found: list[Row], row: Row, text: str, lead: str) -> str:
    """Return the header of a row's table: of `text`, or of `lead` for the rows it goes on with.

    `lead` is the header of a table that began in an earlier passage; it belongs to the rows before
    the first other line.
    """
    header = header_of(found, row)
    if header is not None:
        return text[header.start : header.end]
    # a caption may stand over the names of the columns
    return lead.split("\n")[-2:][0] if lead and row.block == found[0].block else ""


def cells(line: str) -> list[str]:
    """Return the cells of a Markdown table row."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip() for cell in _BAR.split(inner)]


def plain(text: str) -> str:
    """Return a quote without Markdown's marks: bullets and emphasis; the numbers of steps stay."""
    lines = (_MARKUP.sub("", _BULLET.sub("", line)).strip() for line in text.split("\n"))
    return " ".join(line for line in lines if line)


def section_at(passage: Passage, place: int) -> tuple[str, ...]:
    """Return the section that holds a place of a passage's text.

    It is the passage's own, with the headings inside the passage that stand over the place: small
    sub-sections share a passage.
    """
    below: list[tuple[int, str]] = []
    for row in rows(passage.text):
        if row.start > place:
            break
        if row.kind != "heading":
            continue
        line = passage.text[row.start : row.end].strip()
        title = line.lstrip("#")
        level, name = len(line) - len(title), _MARKUP.sub("", title.strip().rstrip("#")).strip()
        if not below and name in passage.section:
            continue
        while below and below[-1][0] >= level:
            below.pop()
        if name:
            below.append((level, name))
    return (*passage.section, *(name for _, name in below))
