"""Matters: which thing, and which attribute of it, a sentence, table row or record line speaks of."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphs.evidence.blocks import Row, cells, plain, row_at, rows, section_at
from graphs.evidence.names import numbered_names
from graphs.evidence.numbers import Claim, blanked, claims
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes, fold, sentences, tagged, words

_LABELLED = re.compile(r"^\s*(?:[-*+•]\s+|\d{1,3}[.)、．]\s*)?([^：:|\n]{1,30}?)\s*[：:]\s*(\S.*)$")
"""A line of a record: its label, its value."""
_CLAUSE_MARK = re.compile(r"[。，,；;！!？?]")
_STATES = frozenset("may must can shall should not allow permit forbid forbidden prohibit".split())
"""English words that say what holds, not what it holds of."""
_NAMING = ("n", "j", "eng", "x")
_UNIT = re.compile(r"[a-z]+|[\u3400-\u9fff]")
_COMMON = 0.4
"""Two facts share this much of their characters (Chinese) and words (English) where they share most of
their content: what shares less need not be split into words."""


@dataclass(frozen=True, slots=True)
class Matter:
    """What one fact is about. `key` names the row or the label of the line; "" for a sentence."""

    said: str
    """The text without its values: how a date is written says nothing of the subject."""
    units: frozenset[str]
    """Characters (Chinese) and words (English) of `said`."""
    values: tuple[Claim, ...]
    text: str
    kind: str
    """"row", "line" (of a record) or "sentence"."""
    key: str
    section: tuple[str, ...]
    things: frozenset[str]
    """Codes and numbered names of the sentence: QX-2025-094, part 5, 3号机."""

    @property
    def content(self) -> frozenset[str]:
        """The words of `said`; empty where they are too few to tell a subject."""
        found = _content(self.said)
        return found if len(found) >= (1 if self.kind == "line" else 3) else frozenset()


@lru_cache(maxsize=8192)
def _content(said: str) -> frozenset[str]:
    return frozenset(words(said))


def near(a: Matter, b: Matter) -> bool:
    """Tell whether two facts may share most of their content; cheap, and rarely wrong about a no."""
    mine, other = len(a.units), len(b.units)
    least = mine if mine < other else other
    return least > 0 and len(a.units & b.units) >= _COMMON * least


@lru_cache(maxsize=2048)
def matters(passage: Passage) -> tuple[Matter, ...]:
    """Return what each sentence, row and record line of a passage is about."""
    layout = rows(passage.text)
    headings = [row.start for row in layout if row.kind == "heading"]
    sections: dict[int, tuple[str, ...]] = {}  # by the number of headings above
    found: list[Matter] = []
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        values = tuple(claims(text))
        said = blanked(text, values)
        row = row_at(layout, start)
        if row and row.kind in ("heading", "header", "rule"):
            continue
        kind, key = _kind(passage.text, row, text)
        if kind == "row":
            # What names the row is no value of it: B1 is the same in both, their stock is not.
            named = text.find("|", text.find("|") + 1)
            values = tuple(claim for claim in values if claim.start > named)
        above = bisect_right(headings, start)
        if above not in sections:
            sections[above] = section_at(passage, start)
        things = frozenset((*codes(text), *numbered_names(text)))
        units = frozenset(_UNIT.findall(said.lower()))
        found.append(Matter(said, units, values, text, kind, key, sections[above], things))
    return tuple(found)


def _kind(text: str, row: Row | None, sentence: str) -> tuple[str, str]:
    if row and row.kind == "row":
        return "row", fold(plain(cells(text[row.start : row.end])[0]))
    label = _LABELLED.match(sentence)
    if label and not _CLAUSE_MARK.search(label[1]):
        return "line", fold(plain(label[1]))
    return "sentence", ""


def same_matter(left: Passage, a: Matter, right: Passage, b: Matter) -> bool:
    """Tell whether two facts speak of the same attribute of the same thing, as far as words tell.

    Rows need the same first cell, lines of records the same label under the same name. Within one
    document a heading divides subjects, and neither rows nor labels say the same twice.
    """
    if a.kind != b.kind or a.key != b.key or divided(left, a, right, b):
        return False
    if a.kind == "line":
        return _record(left, a) == _record(right, b) and not _other_record(left, right)
    return not _other_things(a.text, a.values, b.text, b.values)


def divided(left: Passage, a: Matter, right: Passage, b: Matter) -> bool:
    """Tell whether headings, codes or numbered names tell the subjects of two facts apart."""
    within = left.document_id == right.document_id
    if within and (a.kind != "sentence" or a.section != b.section):
        return True
    return _apart(a.things, b.things) or _apart(_named(left, a), _named(right, b))


def _apart(left: frozenset[str], right: frozenset[str]) -> bool:
    return bool(left and right) and not left & right


def _named(passage: Passage, matter: Matter) -> frozenset[str]:
    """Return the codes and numbered names of the headings that a fact stands under."""
    return _names_of("\n".join((passage.title, *matter.section)))


@lru_cache(maxsize=2048)
def _names_of(headings: str) -> frozenset[str]:
    return frozenset((*codes(headings), *numbered_names(headings)))


def _record(passage: Passage, matter: Matter) -> str:
    """Return the name of the record that a line belongs to: its nearest heading."""
    return fold(matter.section[-1] if matter.section else passage.title)


def _other_record(left: Passage, right: Passage) -> bool:
    """Tell whether a label without a measured value (name, supplier) has another value in each."""
    a, b = _labels(left), _labels(right)
    return any(not a[label] & b[label] for label in a.keys() & b.keys())


@lru_cache(maxsize=2048)
def _labels(passage: Passage) -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in passage.text.split("\n"):
        match = _LABELLED.match(line)
        if match and not any(c.kind in ("number", "percent") for c in claims(match[2])):
            label = fold(plain(match[1]))
            found[label] = found.get(label, frozenset()) | {fold(plain(match[2]))}
    return found


def _other_things(
    left: str, left_values: Sequence[Claim], right: str, right_values: Sequence[Claim]
) -> bool:
    """Tell whether each of two sentences names a thing that the other does not."""
    a, b = _names(left, tuple(left_values)), _names(right, tuple(right_values))
    return bool(a - b) and bool(b - a)


@lru_cache(maxsize=4096)
def _names(text: str, values: tuple[Claim, ...]) -> frozenset[str]:
    kept = blanked(text, values)
    named: Iterable[str] = (
        word for word, flag in tagged(kept) if flag.startswith(_NAMING) and word.strip()
    )
    content = frozenset(words(" ".join(named)))
    return content - _STATES
