"""Blocks to atoms: the smallest parts that a piece is packed from."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from app.ingest.blocks import Block
from app.ingest.marks import is_delimiter
from app.ingest.sections import Span
from graphs.evidence.text import sentences

SPLITTER = "sections-3"
"""Goes into a document's fingerprint: raise it when pieces change."""
_LEAD_IN = 120
"""Longest paragraph ending in a colon that stays with what it introduces."""
_LEAD = 2_000
"""Longest header of a table that goes with its later rows."""
_BAR = re.compile(r"(?<!\\)\|")
_SOFT = "，,、；; \t\n"


@dataclass(frozen=True, slots=True)
class SplitLimits:
    """Sizes in code points. `whole`: a table, list item or fence up to this size stays one.

    A section without sub-sections that is over `maximum` by less than a sixth stays one as well:
    halves of a list or of a record answer worse than one piece that is slightly too large.
    """

    maximum: int = 600
    minimum: int = 80
    whole: int = 2_000

    @property
    def leaf(self) -> int:
        """Largest section without sub-sections that stays one piece."""
        return self.maximum + self.maximum // 6

    @property
    def fingerprint(self) -> str:
        """Name of the splitter with these limits."""
        return f"{SPLITTER}-{self.maximum}-{self.minimum}-{self.whole}"


@dataclass(frozen=True, slots=True)
class Atom:
    """A part that is never divided again."""

    start: int
    end: int
    glued: bool = False
    """It must not end a piece: a heading, or words that introduce a list or table."""
    closes: bool = False
    lead: str = ""
    """Caption and header of the table whose later rows it is."""


class Cutter:
    """Cuts the blocks of one text into atoms."""

    def __init__(self, text: str, limits: SplitLimits) -> None:
        self._text = text
        self._limits = limits

    def atoms(self, own: Sequence[Block]) -> Iterator[Atom]:
        """Yield the atoms of consecutive blocks; a block that is too large gives several."""
        lead: int | None = None
        """Where the headings or introducing words before the next block begin."""
        caption: Block | None = None
        for position, block in enumerate(own):
            size = block.end - block.start
            begin = block.start if lead is None else lead
            whole = self._limits.maximum if block.kind in {"text", "front"} else self._limits.whole
            last = position + 1 == len(own)
            if block.kind == "rule":
                yield Atom(block.start, block.end, closes=True)
                lead = None
            elif block.kind == "caption" and not last:
                caption, lead = block, begin
            elif block.kind == "heading" or (
                not last and size <= _LEAD_IN and self._introduces(block)
            ):
                yield Atom(block.start, block.end, glued=not last)
                lead = begin
            elif block.end - begin <= whole or (
                block.kind not in {"text", "front"} and size <= whole
            ):
                yield Atom(caption.start if caption else block.start, block.end)
                lead = caption = None
            else:
                yield from self._cut(block, block.start - begin, caption)
                lead = caption = None

    def _introduces(self, block: Block) -> bool:
        return block.kind == "text" and self._text[block.end - 1] in "：:"

    def _cut(self, block: Block, used: int, caption: Block | None) -> Iterator[Atom]:
        """Cut a block that is too large at lines, else sentences, else hard.

        `used` code points are already taken by what the first part is glued to. Caption and header
        of a table are glued to its first row and go as `lead` with all later rows.
        """
        head = self._head_end(block)
        lead = _shortened(self._text[block.start : head].rstrip("\n")) if head else ""
        if caption is not None:
            yield Atom(caption.start, caption.end, glued=True)
            said = self._text[caption.start : caption.end].split("\n")
            lead = "\n".join((*filter(str.strip, said), lead or "\n"))
        if head - block.start > self._limits.whole:
            head = block.start  # too wide to stay in one piece with its first row
        room = max(self._limits.maximum - used, self._limits.maximum // 2)
        for start, end in self._lines_or_sentences(block):
            while end - start > room:
                stop = self._soft_end(start, start + room)
                yield from self._part(start, stop, head, lead)
                start, room = stop, self._limits.maximum
            yield from self._part(start, end, head, lead)
            room = self._limits.maximum

    def _part(self, start: int, end: int, head: int, lead: str) -> Iterator[Atom]:
        for atom in _trimmed(self._text, start, end):
            in_head = start < head
            yield replace(atom, glued=in_head, lead="" if in_head else lead)

    def _head_end(self, block: Block) -> int:
        """Return where the rows of a table begin below its header; 0 where it has none."""
        if block.kind != "table":
            return 0
        lines = self._text[block.start : block.end].split("\n", 2)
        if len(lines) < 3 or not is_delimiter(lines[1]):
            return 0
        return block.start + len(lines[0]) + len(lines[1]) + 2

    def _lines_or_sentences(self, block: Block) -> Iterator[Span]:
        part = self._text[block.start : block.end]
        if block.kind == "text":
            yield from _between([start for start, _ in sentences(part)], part, block.start)
            return
        starts = [0, *(at + 1 for at, ch in enumerate(part) if ch == "\n")]
        for begin, end in _between(starts, part, block.start):
            if end - begin <= self._limits.maximum:
                yield begin, end
            else:
                line = self._text[begin:end]
                yield from _between([start for start, _ in sentences(line)], line, begin)

    def _soft_end(self, start: int, stop: int) -> int:
        """Return a place behind punctuation in the last fifth before `stop`, else `stop`."""
        for at in range(stop, stop - (stop - start) // 5, -1):
            if self._text[at - 1] in _SOFT:
                return at
        return stop


def _shortened(lead: str) -> str:
    """Return the header of a table, without its last columns where it is absurdly wide."""
    if len(lead) <= _LEAD:
        return lead
    names = lead.partition("\n")[0]
    bars = [bar.start() for bar in _BAR.finditer(names, 0, _LEAD // 2)]
    kept = names[: bars[-1] if len(bars) > 1 else _LEAD // 2].rstrip()
    columns = max(len(bars) - kept.startswith("|"), 1)
    return f"{kept} |\n|{'---|' * columns}"


def _between(starts: Sequence[int], part: str, offset: int) -> Iterator[Span]:
    """Yield the spans that begin at `starts` and together fill `part`."""
    edges = [0, *(start for start in starts if start > 0), len(part)]
    for begin, end in pairwise(edges):
        if end > begin:
            yield offset + begin, offset + end


def _trimmed(text: str, start: int, end: int) -> Iterator[Atom]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        yield Atom(start, end)


def runs(atoms: Sequence[Atom]) -> Iterator[list[Atom]]:
    """Yield the atoms between rules; a rule goes with what stands before it."""
    run: list[Atom] = []
    for atom in atoms:
        run.append(atom)
        if atom.closes and any(not other.closes for other in run):
            yield run
            run = []
    if run:
        yield run
