"""Extraction: an answer from exact sentences, rows and list items, in their order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphs.ask.state import Facet, Language, Statement
from graphs.evidence.blocks import Row, cells, header_of, plain, row_at, rows
from graphs.evidence.citations import modality, quote_of
from graphs.evidence.messages import say
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.scorer import FieldReading, SentenceScore
from graphs.evidence.text import fold

_LEAD = re.compile(r"[：:]\s*(?:\*\*)?\s*$")
_MANY = ("list", "procedure", "fact")
"""Fields whose answer may be a whole list, kept in order with all its items."""


@dataclass(frozen=True, slots=True)
class Reads:
    """A passage with how it answers one facet."""

    evidence: Evidence
    reading: FieldReading


def extract(
    facets: Sequence[Facet],
    reads: Mapping[str, Sequence[Reads]],
    language: Language,
    plural: bool,
) -> list[Statement]:
    """Return the statements that answer the required facets, direct answer first.

    `reads`: facet id to the passages that cover it, best first. `plural`: the question asks for
    several records, so each covering passage contributes its best sentence.
    """
    statements: list[Statement] = []
    places: dict[tuple[str, int, int], Statement] = {}
    for facet in facets:
        if not facet["required"]:
            continue
        for item in reads.get(facet["id"], ()):
            for start, end in _spans(facet, item, plural):
                passage = item.evidence.passage
                place = (passage.id, start, end)
                if place in places:
                    places[place]["facets"].append(facet["id"])
                    continue
                statement = make_statement(passage, start, end, facet, language)
                if statement is None or _repeats(statement, statements):
                    continue
                places[place] = statement
                statements.append(statement)
    return _grouped(statements)


def _grouped(statements: Sequence[Statement]) -> list[Statement]:
    """Bring statements of one heading together, in order of the heading's first statement."""
    order: dict[str, list[Statement]] = {}
    for statement in statements:
        order.setdefault(statement["heading"], []).append(statement)
    return [
        statement
        for group in order.values()
        for statement in sorted(group, key=lambda s: s["citations"][0]["start"])
    ]


def _repeats(statement: Statement, others: Sequence[Statement]) -> bool:
    text = fold(statement["text"])
    return any(text in fold(other["text"]) for other in others)


def _spans(facet: Facet, item: Reads, plural: bool) -> list[tuple[int, int]]:
    """Return the spans of one passage that answer a facet, in places of the passage's text."""
    text = item.evidence.passage.text
    layout = rows(text)
    ranked = sorted(item.reading.sentences, key=lambda s: (-s.strength, s.start))
    ranked = [
        s
        for s in ranked
        if (row := row_at(layout, s.start)) and row.kind in ("text", "item", "row")
    ]
    if not ranked:
        return []
    best = ranked[0]
    if facet["field"] in _MANY and not plural:
        block = _list_of(layout, best, text)
        if block:
            return block
    if facet["field"] == "label":
        return _whole_line(layout, best, text)
    count = 3 if plural else 2 if facet["field"] in ("cause", "effect", *_MANY) else 1
    chosen = [s for s in ranked[:count] if s.strength >= 0.75 * best.strength]
    spans: list[tuple[int, int]] = []
    for score in chosen:
        spans.extend(_with_list(layout, score, text))
    return list(dict.fromkeys(spans))


def _whole_line(layout: list[Row], score: SentenceScore, text: str) -> list[tuple[int, int]]:
    """Return the line that a label stands in, with the list that it leads to."""
    row = row_at(layout, score.start)
    if row is None:
        return []
    return _with_list(layout, SentenceScore(score.line, row.start, row.end, 0, 0, 0, True), text)


def _full_sentence(row: Row, score: SentenceScore, text: str) -> tuple[int, int]:
    """Widen a part that ends with a semicolon to the sentence that it belongs to."""
    before = text.rfind("。", row.start, score.start) + 1 or row.start
    after = text.find("。", score.start, row.end)
    return max(before, row.start), (after + 1 if after >= 0 else row.end)


def _list_of(layout: list[Row], score: SentenceScore, text: str) -> list[tuple[int, int]]:
    """Return the lead line and all items of the list that a sentence stands in or leads to."""
    row = row_at(layout, score.start)
    if row is None:
        return []
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


def _with_list(layout: list[Row], score: SentenceScore, text: str) -> list[tuple[int, int]]:
    """Return a sentence, widened to its list item or row, with the list that it leads to."""
    row = row_at(layout, score.start)
    if row is None or row.kind == "text":
        lead = _LEAD.search(text[score.start : score.end])
        if row and lead:
            index = layout.index(row)
            following = layout[index + 1 :]
            if following and following[0].kind in ("item", "row", "header"):
                block = following[0].block
                items = [
                    (r.start, r.end)
                    for r in following
                    if r.block == block and r.kind in ("item", "row")
                ]
                return [(score.start, score.end), *_joined(items, text)]
        return [_full_sentence(row, score, text) if row else (score.start, score.end)]
    return [(row.start, row.end)]


def make_statement(
    passage: Passage, start: int, end: int, facet: Facet, language: Language
) -> Statement | None:
    """Return a statement that quotes `passage.text[start:end]`, or None where nothing is left.

    A table row is read with its header: both are cited.
    """
    while start < end and passage.text[start].isspace():
        start += 1
    while end > start and passage.text[end - 1].isspace():
        end -= 1
    quote = passage.text[start:end]
    citations = [quote_of(passage, start, end)]
    text = plain(quote)
    layout = rows(passage.text)
    row = row_at(layout, start)
    if row and row.kind == "row":
        header = header_of(layout, row)
        names = cells(passage.text[header.start : header.end]) if header else []
        values = cells(quote)
        if header and len(names) == len(values):
            text = say("row", language).join(
                f"{name}{say('colon', language)}{value}"
                for name, value in zip(names, values, strict=True)
                if value
            )
            citations.append(quote_of(passage, header.start, header.end))
    if not any(char.isalnum() for char in text):
        return None
    return Statement(
        text=text, citations=citations, modality=modality(text), facets=[facet["id"]],
        sub_question=facet["sub_question"], heading=heading_of(passage),
    )  # fmt: skip


def heading_of(passage: Passage) -> str:
    """Return the heading under which a passage's statements stand: its section, else its title."""
    return passage.section[-1] if passage.section else passage.title
