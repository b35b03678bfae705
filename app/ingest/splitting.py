"""Text to pieces: whole sections where they fit, else paragraphs, list items, sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile

from app.ingest.blocks import Block, blocks
from graphs.evidence.text import sentences

SPLITTER = "sections-1"
"""Goes into a document's fingerprint: raise it when pieces change."""

_NO_HEADING = 99
_LEAD_IN = 120
"""Longest paragraph ending in a colon that stays with what it introduces."""
_SOFT = "，,、；; \t\n"

Span = tuple[int, int]


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
class Piece:
    """One piece of a text. `scopes`: own text of the sections it stands in, deepest first."""

    start: int
    end: int
    section: tuple[str, ...]
    kind: str = "text"
    scopes: tuple[Span, ...] = ()
    level: int = _NO_HEADING
    """Highest heading it begins with."""
    closed: bool = False
    """It ends with a rule: nothing is merged into it."""


@dataclass(frozen=True, slots=True)
class Split:
    """`title` is the first level-1 heading or empty; `head` ends at the first sub-heading."""

    title: str
    head: int
    pieces: list[Piece]


@dataclass(slots=True)
class _Section:
    level: int
    path: tuple[str, ...]
    start: int
    blocks: list[Block] = field(default_factory=list)
    children: list["_Section"] = field(default_factory=list)
    scopes: tuple[Span, ...] = ()

    def everything(self) -> Iterator[Block]:
        yield from self.blocks
        for child in self.children:
            yield from child.everything()

    @property
    def own_end(self) -> int:
        return self.blocks[-1].end if self.blocks else self.start


@dataclass(frozen=True, slots=True)
class _Atom:
    start: int
    end: int
    glued: bool = False
    """It must not end a piece: a heading, or words that introduce a list or table."""
    closes: bool = False


def split(text: str, markdown: bool, limits: SplitLimits | None = None) -> Split:
    """Divide `text`; every character but white space lies in exactly one piece, in order."""
    limits = limits or SplitLimits()
    found = blocks(text, markdown)
    root = _tree(found)
    pieces = _merge(list(_Divider(text, limits).pieces(root, [])), limits)
    kinds = [
        replace(piece, kind=kind) for piece, kind in zip(pieces, _kinds(pieces, found), strict=True)
    ]
    headings = [block for block in found if block.kind == "heading"]
    title = next((block.heading for block in headings if block.level == 1), "")
    below = next((block.start for block in headings if block.level > 1), None)
    head = below if below is not None else (pieces[0].end if pieces else 0)
    return Split(title, head, kinds)


def _tree(found: Sequence[Block]) -> _Section:
    root = _Section(0, (), 0)
    stack = [root]
    for block in found:
        if block.kind == "heading":
            while stack[-1].level >= block.level:
                stack.pop()
            path = (*stack[-1].path, block.heading) if block.heading else stack[-1].path
            section = _Section(block.level, path, block.start)
            stack[-1].children.append(section)
            stack.append(section)
        stack[-1].blocks.append(block)
    _set_scopes(root, ())
    return root


def _set_scopes(section: _Section, above: tuple[Span, ...]) -> None:
    own = (section.start, section.own_end)
    section.scopes = (own, *above) if section.level >= 2 else ()
    for child in section.children:
        _set_scopes(child, section.scopes)


class _Divider:
    """Turns a tree of sections into pieces."""

    def __init__(self, text: str, limits: SplitLimits) -> None:
        self._text = text
        self._limits = limits

    def pieces(self, section: _Section, lead: list[Block]) -> Iterator[Piece]:
        """Yield the pieces of a section; `lead` are blocks before it that go with its first piece."""
        own = [*lead, *section.blocks]
        children = section.children
        if own and self._is_one(section, lead):
            last = [*own, *(block for child in children for block in child.everything())][-1]
            yield self._piece(section, own, own[0].start, last.end, last.kind == "rule")
            return
        passes = children and all(block.kind in {"heading", "front", "rule"} for block in own)
        if section.level == 0 and children:
            short = bool(own) and own[-1].end - own[0].start < self._limits.minimum
            passes = passes or short or children[0].level == 1
        if not passes:
            yield from self._pack(section, own)
        for position, child in enumerate(children):
            yield from self.pieces(child, own if passes and position == 0 else [])

    def _is_one(self, section: _Section, lead: list[Block]) -> bool:
        """Tell whether the section with its sub-sections fits into one piece."""
        inside = list(section.everything())
        if any(child.level <= 2 for child in section.children):
            return False
        if section.level == 0 and section.children:
            return False
        begin = (lead or inside)[0].start
        ruled = any(block.kind == "rule" for block in inside[:-1])
        limit = self._limits.maximum if section.children else self._limits.leaf
        return not ruled and inside[-1].end - begin <= limit

    def _piece(
        self, section: _Section, own: Sequence[Block], start: int, end: int, closed: bool
    ) -> Piece:
        leading = takewhile(lambda block: block.kind in {"heading", "front", "rule"},
                            (block for block in own if block.end > start))  # fmt: skip
        level = min((block.level for block in leading if block.level), default=_NO_HEADING)
        return Piece(start, end, section.path, scopes=section.scopes, level=level, closed=closed)

    def _pack(self, section: _Section, own: Sequence[Block]) -> Iterator[Piece]:
        """Fill pieces of about equal size with atoms, never beyond the maximum where avoidable."""
        for run in _runs(list(self._atoms(own))):
            total = run[-1].end - run[0].start
            target = total / -(-total // self._limits.maximum)
            current: list[_Atom] = []
            for atom in run:
                full = current and atom.end - current[0].start > self._limits.maximum
                done = current and current[-1].end - current[0].start >= target
                if (full or done) and not current[-1].glued:
                    yield self._closed(section, own, current)
                    current = []
                current.append(atom)
            yield self._closed(section, own, current)

    def _closed(self, section: _Section, own: Sequence[Block], atoms: Sequence[_Atom]) -> Piece:
        start, end = atoms[0].start, atoms[-1].end
        return self._piece(section, own, start, end, atoms[-1].closes)

    def _atoms(self, own: Sequence[Block]) -> Iterator[_Atom]:
        lead: int | None = None
        """Where the headings or introducing words before the next block begin."""
        for position, block in enumerate(own):
            size = block.end - block.start
            begin = block.start if lead is None else lead
            whole = self._limits.maximum if block.kind in {"text", "front"} else self._limits.whole
            last = position + 1 == len(own)
            if block.kind == "rule":
                yield _Atom(block.start, block.end, closes=True)
                lead = None
            elif block.kind == "heading" or (
                not last and size <= _LEAD_IN and self._introduces(block)
            ):
                yield _Atom(block.start, block.end, glued=not last)
                lead = begin
            elif block.end - begin <= whole or (
                block.kind not in {"text", "front"} and size <= whole
            ):
                yield _Atom(block.start, block.end)
                lead = None
            else:
                yield from self._cut(block, block.start - begin)
                lead = None

    def _introduces(self, block: Block) -> bool:
        return block.kind == "text" and self._text[block.end - 1] in "：:"

    def _cut(self, block: Block, used: int) -> Iterator[_Atom]:
        """Cut a block that is too large at lines, else sentences, else hard.

        `used` code points are already taken by what the first part is glued to.
        """
        room = max(self._limits.maximum - used, self._limits.maximum // 2)
        for start, end in self._lines_or_sentences(block):
            while end - start > room:
                stop = self._soft_end(start, start + room)
                yield from _trimmed(self._text, start, stop)
                start, room = stop, self._limits.maximum
            yield from _trimmed(self._text, start, end)
            room = self._limits.maximum

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


def _between(starts: Sequence[int], part: str, offset: int) -> Iterator[Span]:
    """Yield the spans that begin at `starts` and together fill `part`."""
    edges = [0, *(start for start in starts if start > 0), len(part)]
    for begin, end in pairwise(edges):
        if end > begin:
            yield offset + begin, offset + end


def _trimmed(text: str, start: int, end: int) -> Iterator[_Atom]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        yield _Atom(start, end)


def _runs(atoms: Sequence[_Atom]) -> Iterator[list[_Atom]]:
    """Yield the atoms between rules; a rule goes with what stands before it."""
    run: list[_Atom] = []
    for atom in atoms:
        run.append(atom)
        if atom.closes and any(not other.closes for other in run):
            yield run
            run = []
    if run:
        yield run


def _merge(pieces: Sequence[Piece], limits: SplitLimits) -> list[Piece]:
    """Join tiny neighbours, never across a heading of level 1 or 2 or a rule."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if last is None or not _joins(last, piece, limits):
            merged.append(piece)
            continue
        common = [a for a, b in takewhile(lambda pair: pair[0] == pair[1],
                                          zip(last.section, piece.section, strict=False))]  # fmt: skip
        merged[-1] = replace(
            last,
            end=piece.end,
            section=tuple(common),
            scopes=tuple(scope for scope in last.scopes if scope in piece.scopes),
            closed=piece.closed,
        )
    return merged


def _joins(last: Piece, piece: Piece, limits: SplitLimits) -> bool:
    tiny = min(last.end - last.start, piece.end - piece.start) < limits.minimum
    fits = piece.end - last.start <= limits.maximum
    return tiny and fits and piece.level > 2 and not last.closed


def _kinds(pieces: Sequence[Piece], found: Sequence[Block]) -> Iterator[str]:
    """Yield for each piece what most of its text is."""
    first = 0
    for piece in pieces:
        sizes = {"table": 0, "list": 0}
        while first < len(found) and found[first].end <= piece.start:
            first += 1
        at = first
        while at < len(found) and found[at].start < piece.end:
            covered = min(piece.end, found[at].end) - max(piece.start, found[at].start)
            if found[at].kind in {"table", "item"}:
                sizes["table" if found[at].kind == "table" else "list"] += covered
            at += 1
        largest = max(sizes, key=sizes.__getitem__)
        yield largest if sizes[largest] * 2 > piece.end - piece.start else "text"
