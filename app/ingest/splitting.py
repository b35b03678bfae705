"""Text to pieces: whole sections where they fit, else paragraphs, list items, sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from app.ingest.atoms import Atom, Cutter, SplitLimits, runs
from app.ingest.blocks import Block, blocks
from app.ingest.sections import Section, Span, read_sections

_NO_HEADING = 99


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
    lead: str = ""
    """The header of the table with whose later rows it begins."""


@dataclass(frozen=True, slots=True)
class Split:
    """`title` is the first level-1 heading or empty; `head` ends at the first sub-heading."""

    title: str
    head: int
    pieces: list[Piece]


def split(text: str, markdown: bool, limits: SplitLimits | None = None) -> Split:
    """Divide `text`; every character but white space lies in exactly one piece, in order."""
    limits = limits or SplitLimits()
    found = blocks(text, markdown)
    root = read_sections(found)
    pieces = _merge(list(_Divider(text, limits).pieces(root, [])), limits)
    kinds = [
        replace(piece, kind=kind) for piece, kind in zip(pieces, _kinds(pieces, found), strict=True)
    ]
    headings = [block for block in found if block.kind == "heading"]
    title = next((block.heading for block in headings if block.level == 1), "")
    below = next((block.start for block in headings if block.level > 1), None)
    head = below if below is not None else (pieces[0].end if pieces else 0)
    return Split(title, head, kinds)


class _Divider:
    """Turns a tree of sections into pieces."""

    def __init__(self, text: str, limits: SplitLimits) -> None:
        self._cutter = Cutter(text, limits)
        self._limits = limits

    def pieces(self, section: Section, lead: list[Block]) -> Iterator[Piece]:
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

    def _is_one(self, section: Section, lead: list[Block]) -> bool:
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
        self, section: Section, own: Sequence[Block], start: int, end: int, closed: bool
    ) -> Piece:
        leading = takewhile(lambda block: block.kind in {"heading", "front", "rule"},
                            (block for block in own if block.end > start))  # fmt: skip
        level = min((block.level for block in leading if block.level), default=_NO_HEADING)
        return Piece(start, end, section.path, scopes=section.scopes, level=level, closed=closed)

    def _pack(self, section: Section, own: Sequence[Block]) -> Iterator[Piece]:
        """Fill pieces of about equal size with atoms, never beyond the maximum where avoidable."""
        for run in runs(list(self._cutter.atoms(own))):
            total = run[-1].end - run[0].start
            target = total / -(-total // self._limits.maximum)
            current: list[Atom] = []
            for atom in run:
                full = current and atom.end - current[0].start > self._room(current[0])
                done = current and current[-1].end - current[0].start >= target
                if (full or done) and not current[-1].glued:
                    yield self._closed(section, own, current)
                    current = []
                current.append(atom)
            yield self._closed(section, own, current)

    def _room(self, first: Atom) -> int:
        """Return how long a piece may be: a header that goes with it takes its part."""
        return max(self._limits.maximum - len(first.lead), self._limits.maximum // 2)

    def _closed(self, section: Section, own: Sequence[Block], atoms: Sequence[Atom]) -> Piece:
        start, end = atoms[0].start, atoms[-1].end
        piece = self._piece(section, own, start, end, atoms[-1].closes)
        return replace(piece, lead=atoms[0].lead)


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
