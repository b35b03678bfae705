"""Disputes: passages that answer what is asked with different values.

Sentences about the question are compared between documents of current versions that treat the same codes,
names and years; `differing` tells whether two of them differ in what is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence.contrast import marks
from graphs.evidence.differing import Question, twins_differ
from graphs.evidence.holding import held_in
from graphs.evidence.lines import take_apart
from graphs.evidence.names import numbered_names
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import codes
from graphs.evidence.twins import Span, alike
from graphs.ports import RerankQuery

_ABOUT = 0.5
"""Share of the question's words that a passage holds to be compared."""
_NEAR = 0.3
"""Share that a sentence, its headings and neighbours hold."""
_LINES = 6
"""Sentences of a passage that are compared."""
_BESIDE = 0.6


@dataclass(frozen=True, slots=True)
class Side:
    """One sentence of a dispute. `start` and `end` count within the passage's text."""

    passage: Passage
    start: int
    end: int
    text: str
    share: float
    """Of the question's words, by weight, in the sentence and its headings."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """Two sentences and where each puts it differently, as places of the sentence.

    `denied`: one denies what the other says; the places then tell nothing.
    """

    left: Side
    right: Side
    at: tuple[Span, Span]
    denied: bool


def disputes(
    query: RerankQuery, evidence: Sequence[Evidence], asked: str = ""
) -> tuple[list[Dispute], int]:
    """Return the disputes, likeliest first, and how many pairs of sentences could be compared.

    `asked` is the part of the question whose value counts, the whole one where it is empty.
    """
    documents = {item.passage.document_id for item in evidence}
    current = [i.passage for i in evidence if i.passage.superseded_by not in documents]
    question = Question.of(query, asked or query.text)
    sides = [side for passage in current for side in _sides(passage, question)]
    found: list[Dispute] = []
    compared = 0
    for i, j in alike([side.text for side in sides]):
        a, b = sides[i], sides[j]
        if not _comparable(a.passage, b.passage, question):
            continue
        said = twins_differ(a.text, b.text, question)
        if said is None:
            continue
        compared += 1
        if said.differ:
            found.append(Dispute(a, b, said.at, said.denied))
    return sorted(found, key=lambda pair: -(pair.left.share + pair.right.share)), compared


def _sides(passage: Passage, question: Question) -> list[Side]:
    text = take_apart(passage)
    if not text.lines or not question.weights:
        return []
    weights = np.array(list(question.weights.values()), dtype=np.float32)
    asked = tuple(question.weights)
    shares = held_in(text, asked).lines
    beside = shares.copy()
    beside[:, 1:] = np.maximum(beside[:, 1:], _BESIDE * shares[:, :-1])
    beside[:, :-1] = np.maximum(beside[:, :-1], _BESIDE * shares[:, 1:])
    total = float(weights.sum()) or 1.0
    if weights @ held_in(text, asked).anywhere < _ABOUT * total:
        return []
    alone, around = weights @ shares / total, weights @ beside / total
    order = sorted(range(len(text.lines)), key=lambda i: (-around[i], i))
    return [
        Side(passage, line.start, line.end, line.text, float(alone[i]))
        for i in order[:_LINES]
        if around[i] >= _NEAR and (line := text.lines[i]).kind in ("text", "item")
    ]


def _comparable(left: Passage, right: Passage, question: Question) -> bool:
    """Tell whether two passages may speak of the same: documents, codes, names, years, asked words."""
    if left.document_id == right.document_id or set(left.codes) != set(right.codes):
        return False
    a, b = _named(left), _named(right)
    if a and b and not a & b:
        return False
    one, other = take_apart(left), take_apart(right)
    asked = tuple(question.weights)
    mine, theirs = held_in(one, asked).anywhere > 0.0, held_in(other, asked).anywhere > 0.0
    return not bool(np.any((mine != theirs) & question.heavy))


def _named(passage: Passage) -> frozenset[str]:
    headings = "\n".join((passage.title, *passage.section))
    return frozenset((*codes(headings), *numbered_names(headings), *marks(headings)))
