"""Lines to blocks: headings, rules, tables with captions, list items, fences, paragraphs, with offsets."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from app.ingest.captions import caption_lines
from app.ingest.marks import (
    ITEM,
    atx,
    indent_of,
    is_delimiter,
    is_rule,
    plain,
    underline,
)
from app.ingest.plain_headings import SENTENCE_TAIL, Line, PlainHeadings, near

BlockKind = Literal["front", "heading", "rule", "caption", "table", "item", "fence", "text"]

_MAX_HEADING = 300
_FRONT_LINES = 60
_ABOVE = 700
"""Code points above a table that are looked at for its caption."""
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines that belong together; `end` leaves out the last line end."""

    kind: BlockKind
    start: int
    end: int
    level: int = 0
    """1 to 6 for a heading, 0 for anything else."""
    heading: str = ""


def blocks(text: str, markdown: bool, lonely: bool = True) -> list[Block]:
    """Return the blocks of `text` in order; together they hold every character but white space.

    `lonely`: in plain text a short line that stands alone above a paragraph is a heading.
    """
    found: list[Block] = []
    for block in _Reader(_lines(text), markdown, lonely).read():
        if block.kind == "table":
            _set_caption(text, found, block.start)
        found.append(block)
    return found


def _set_caption(text: str, found: list[Block], table: int) -> None:
    """Make the last lines of `found` a block of their own where they are the caption of a table."""
    first = len(found)
    while first and found[first - 1].kind == "text" and found[first - 1].end > table - _ABOVE:
        first -= 1
    if first == len(found):
        return
    lines = text[max(found[first].start, table - _ABOVE) : table].removesuffix("\n").split("\n")
    taken = caption_lines(lines)
    start = table - sum(len(line) + 1 for line in lines[len(lines) - taken :])
    if not taken or (start and text[start - 1] != "\n"):
        return
    end = found[-1].end
    while found and found[-1].kind == "text" and found[-1].start >= start:
        found.pop()
    if found and found[-1].end > start:
        above = text[found[-1].start : start].rstrip()
        found[-1] = replace(found[-1], end=found[-1].start + len(above))
    found.append(Block("caption", start, end))


def _lines(text: str) -> list[Line]:
    lines: list[Line] = []
    start = 0
    for part in text.split("\n"):
        lines.append(Line(start, part))
        start += len(part) + 1
    return lines


class _Reader:
    """Reads block after block; every `_read_*` returns None where its kind does not begin."""

    def __init__(self, lines: Sequence[Line], markdown: bool, lonely: bool) -> None:
        self._lines = lines
        self._markdown = markdown
        self._plain = PlainHeadings(lines, lonely)
        self._unclosed: dict[str, int] = {}
        """Fence character to the shortest fence that is known to stay open."""

    def read(self) -> list[Block]:
        found: list[Block] = []
        at = 0
        while at < len(self._lines):
            if self._lines[at].blank:
                at += 1
                continue
            block, at = self._next(at, first=not found)
            found.append(block)
        return found

    def _next(self, at: int, first: bool) -> tuple[Block, int]:
        line = self._lines[at]
        if first and (end := self._front_matter(at)):
            return self._block("front", at, end), end
        heading = self._heading(at, first)
        if heading is not None:
            level, title = heading
            return Block("heading", line.start, line.end, level, title), at + 1
        if is_rule(line.text):
            return self._block("rule", at, at + 1), at + 1
        if end := self._fence(at):
            return self._block("fence", at, end), end
        if end := self._table(at):
            return self._block("table", at, end), end
        if item := ITEM.match(line.text):
            end = self._item(at, len(item.group(1)))
            return self._block("item", at, end), end
        return self._paragraph(at)

    def _block(self, kind: BlockKind, begin: int, end: int) -> Block:
        last = end - 1
        while last > begin and self._lines[last].blank:
            last -= 1
        return Block(kind, self._lines[begin].start, self._lines[last].end)

    def _front_matter(self, at: int) -> int:
        """Return the line after a YAML head, 0 if there is none."""
        if at != 0 or not self._markdown or self._lines[0].text.strip() != "---":
            return 0
        for end in range(1, min(len(self._lines), _FRONT_LINES)):
            line = self._lines[end].text
            if line.strip() in {"---", "..."}:
                return end + 1 if end > 1 else 0
            if not (re.match(r"\s*(?:[\w-]+\s*:|-\s|#|$)", line)):
                return 0
        return 0

    def _heading(self, at: int, first: bool) -> tuple[int, str] | None:
        line = self._lines[at].text
        if len(line) > _MAX_HEADING:
            return None
        if self._markdown:
            return atx(line)
        return self._plain.heading(at, first)

    def _fence(self, at: int) -> int:
        """Return the line after a fenced block, 0 if none begins or it never closes."""
        opening = _FENCE.match(self._lines[at].text) if self._markdown else None
        if opening is None:
            return 0
        mark = opening.group(1)
        if len(mark) >= self._unclosed.get(mark[0], len(mark) + 1):
            return 0
        for end in range(at + 1, len(self._lines)):
            tail = self._lines[end].text.strip()
            if len(tail) >= len(mark) and not tail.strip(mark[0]):
                return end + 1
        self._unclosed[mark[0]] = len(mark)
        return 0

    def _table(self, at: int) -> int:
        """Return the line after a pipe table, 0 if none begins."""
        line = self._lines[at].text
        opens = line.lstrip().startswith("|") and line.count("|") > 1
        below = self._lines[at + 1].text if at + 1 < len(self._lines) else ""
        if not opens and not ("|" in line and is_delimiter(below)):
            return 0
        end = at + 1
        while end < len(self._lines) and "|" in self._lines[end].text:
            end += 1
        return end

    def _item(self, at: int, indent: int) -> int:
        """Return the line after a list item with its nested items and continuation lines."""
        end = at + 1
        while end < len(self._lines):
            line = self._lines[end]
            if line.blank:
                following = near(self._lines, end, 1)
                if not self._is_below(following, indent):
                    return end
                end = following
            elif self._ends_item(end, indent):
                return end
            end += 1
        return end

    def _is_below(self, at: int, indent: int) -> bool:
        """Tell whether a line after blank ones is indented enough to belong to the item."""
        return at < len(self._lines) and indent_of(self._lines[at].text) >= indent + 2

    def _ends_item(self, at: int, indent: int) -> bool:
        text = self._lines[at].text
        item = ITEM.match(text)
        if item is not None:
            return len(item.group(1)) <= indent
        return indent_of(text) <= indent and self._interrupts(at)

    def _interrupts(self, at: int) -> bool:
        """Tell whether a block other than a paragraph begins here."""
        line = self._lines[at].text
        return (
            is_rule(line)
            or (self._markdown and len(line) <= _MAX_HEADING and atx(line) is not None)
            or bool(self._fence(at))
            or bool(self._table(at))
        )

    def _paragraph(self, at: int) -> tuple[Block, int]:
        end = at + 1
        while end < len(self._lines) and not self._lines[end].blank:
            line = self._lines[end].text
            level = underline(line) if self._markdown and end == at + 1 else 0
            title = self._lines[at].text.strip()
            if level and len(title) <= _MAX_HEADING and title[-1] not in SENTENCE_TAIL:
                return Block("heading", self._lines[at].start, self._lines[end].end, level,
                             plain(title)), end + 1  # fmt: skip
            if ITEM.match(line) or self._interrupts(end):
                break
            end += 1
        return self._block("text", at, end), end
