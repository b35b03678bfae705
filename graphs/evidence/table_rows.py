"""Rows of a table that are about something else than what a question names."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence.lines import Line, line_of, presence, take_apart
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes

NEAR = 0.6
"""A row is about something else if it holds less than this share of what the best row holds."""


@dataclass(frozen=True, slots=True)
class Key:
    """What may name a row: a code, the beginning of an ISO date, or a word or number."""

    kind: str
    text: str
    weight: float


def strangers(passage: Passage, keys: Sequence[Key]) -> frozenset[int]:
    """Return the numbers of the lines that are rows and lack what another row of the passage holds.

    What stands over all rows (headings, the table's header) names no row and does not count. Where
    no row holds a key, none is a stranger: then the passage as a whole must answer for it.
    """
    text = take_apart(passage)
    numbers = [i for i, line in enumerate(text.lines) if line.kind == "row"]
    if len(numbers) < 2 or not keys:
        return frozenset()
    # not the codes of the document: those of a list of records are its rows'
    headings = line_of(" ".join((passage.title, *passage.section)), 0, 0)
    over = [headings, *([text.lead] if text.lead else [])]
    held = np.zeros(len(numbers))
    for key in keys:
        if any(_holds(key, line) for line in over):
            continue
        rows = np.array([_own(key, text.lines[i]) for i in numbers])
        held += key.weight * rows
    best = float(held.max())
    if best <= 0.0:
        return frozenset()
    return frozenset(i for i, share in zip(numbers, held, strict=True) if share < NEAR * best)


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
