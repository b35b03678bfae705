"""Rows of a table that are about something else than what a question names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence.blocks import cells
from graphs.evidence.lines import Line, line_of, presence, take_apart
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes

NEAR = 0.6
"""A row is about something else if it holds less than this share of what the best row holds."""

_NUMBERED = re.compile(r"([a-z]+) (\d+|[a-z])")
_MARK = re.compile(r"\d+|[a-z]")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Key:
    """What may name a row: a code, the beginning of an ISO date, or a word or number."""

    kind: str
    text: str
    weight: float


def strangers(passage: Passage, keys: Sequence[Key]) -> frozenset[int]:
    """Return the numbers of the lines that are rows and lack what another row of the passage holds.

    What stands over all rows (headings, the table's header) names no row and does not count. Where
    no row holds a key, none is a stranger: then the passage as a whole must answer for it. But a
    label of the kind that the rows bear (class D beside classes A and B, SP-9 beside SP-1 and SP-2)
    names a row that is not there, and all are strangers.
    """
    text = take_apart(passage)
    numbers = [i for i, line in enumerate(text.lines) if line.kind == "row"]
    if len(numbers) < 2 or not keys:
        return frozenset()
    # not the codes of the document: those of a list of records are its rows'
    headings = line_of(" ".join((passage.title, *passage.section)), 0, 0)
    beside = [line for line in text.lines if line.kind != "row"]
    over = [headings, *([text.lead] if text.lead else [])]
    held = np.zeros(len(numbers))
    borne: set[str] = set()
    lacking: set[str] = set()
    for key in keys:
        if any(_holds(key, line) for line in over):
            continue
        label = _label_of(key)
        labels = [_label(label[0], text.lines[i]) for i in numbers] if label else []
        rows = np.array([_own(key, text.lines[i]) for i in numbers])
        if label and sum(map(bool, labels)) > 1:
            rows = np.maximum(rows, [float(label[1] in of_row) for of_row in labels])
            missing = not rows.any() and not any(_holds(key, line) for line in beside)
            (lacking if missing else borne).add(label[0])
        held += key.weight * rows
    if lacking - borne:
        return frozenset(numbers)
    best = float(held.max())
    if best <= 0.0:
        return frozenset()
    return frozenset(i for i, share in zip(numbers, held, strict=True) if share < NEAR * best)


def _label_of(key: Key) -> tuple[str, str] | None:
    """Return what kind of label a key is (class, the shape of a code) and the label; None for others."""
    if key.kind == "code":
        return _DIGITS.sub("0", key.text), key.text
    found = _NUMBERED.fullmatch(key.text) if key.kind == "word" else None
    return (found[1], found[2]) if found else None


def _label(kind: str, row: Line) -> frozenset[str]:
    """Return the labels of a kind that a row bears, in a word or in the column of that name."""
    if not kind.islower():
        return frozenset(code for code in codes(row.text) if _DIGITS.sub("0", code) == kind)
    text = row.text.lower()
    found = set(re.findall(rf"(?<![a-z]){kind}\s+(\d+|[a-z])(?![a-z\d])", text))
    names, values = cells(row.above.rpartition("\n")[2].lower()), cells(text)
    if len(names) == len(values):
        found |= {
            value
            for name, value in zip(names, values, strict=True)
            if name.split()[-1:] == [kind] and _MARK.fullmatch(value)
        }
    return frozenset(found)


def _own(key: Key, line: Line) -> float:
    """Return how far a row holds a key that its table's header does not hold."""
    if line.above and _holds(key, line_of(line.above, 0, 0)):
        return 0.0
    return _holds(key, line)


def _holds(key: Key, line: Line) -> float:
    if key.kind == "code":
        return float(key.text in codes(line.text))
    if key.kind == "time":
        dates = (claim.value for claim in claims(line.text) if claim.kind == "date")
        return float(any(date.startswith(key.text) for date in dates))
    return float(presence(key.text, line) >= 1.0)
