"""Extraction: an answer from exact sentences, rows and list items, in their order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphs.ask.records import Facet, Language, Statement
from graphs.evidence.blocks import Row, cells, header_line, header_of, plain, row_at, rows
from graphs.evidence.citations import modality, quote_of
from graphs.evidence.messages import say
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.scorer import FieldReading, SentenceScore
from graphs.evidence.text import fold

_LEAD = re.compile(r"[：:]\s*(?:\*\*)?\s*$")
_NEARLY = 0.85
"""A second sentence is taken when it ranks nearly as high as the best one."""
_SHORT_PARAGRAPH = 260
"""A procedure that is one paragraph of at most this many characters is quoted whole."""
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
                _drop_parts_of(statement, statements)
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


def _drop_parts_of(statement: Statement, others: list[Statement]) -> None:
    """Drop statements that a fuller one repeats; it takes over the facets that they answer."""
    text = fold(statement["text"])
    for other in [o for o in others if fold(o["text"]) in text]:
        others.remove(other)
        statement["facets"].extend(f for f in other["facets"] if f not in statement["facets"])


def _spans(facet: Facet, item: Reads, plural: bool) -> list[tuple[int, int]]:
    """Return the spans of one passage that answer a facet, in places of the passage's text."""
    text = item.evidence.passage.text
    layout = rows(text)
    ranked = [
        (score, row)
        for score in sorted(item.reading.sentences, key=lambda s: (-s.rank, s.start))
        if (row := row_at(layout, score.start)) and row.kind in ("text", "item", "row")
    ]
    if not ranked:
        return []
    best, row = ranked[0]
    field = facet["field"]
    if field == "label" or (plural and row.kind == "text"):
        return _whole_line(layout, row, text)
    if field in _MANY and best.cue and not plural and (block := _list_of(layout, row, text)):
        return block
    if field == "procedure" and row.kind == "text" and row.end - row.start <= _SHORT_PARAGRAPH:
        return _whole_line(layout, row, text)
    count = 2 if field in ("cause", "effect", *_MANY) else 1
    spans: list[tuple[int, int]] = []
    for score, place in ranked[:count]:
        if score.rank >= _NEARLY * best.rank:
            spans.extend(_widened(layout, place, score, text))
    return list(dict.fromkeys(spans))


def _whole_line(layout: list[Row], row: Row, text: str) -> list[tuple[int, int]]:
    """Return a line, with the list or table that it leads to."""
    spans = [(row.start, row.end)]
    following = layout[layout.index(row) + 1 :]
    leads = row.kind == "text" and _LEAD.search(text[row.start : row.end])
    if leads and following and following[0].kind in ("item", "header"):
        block = following[0].block
        below = [
            (r.start, r.end) for r in following if r.block == block and r.kind in ("item", "row")
        ]
        spans.extend(_joined(below, text))
    return spans


def _widened(layout: list[Row], row: Row, score: SentenceScore, text: str) -> list[tuple[int, int]]:
    """Widen a sentence to its list item or row, or to the full stop that ends it."""
    if row.kind != "text":
        return [(row.start, row.end)]
    if _LEAD.search(text[score.start : score.end]):
        return _whole_line(layout, row, text)
    before = text.rfind("。", row.start, score.start) + 1 or row.start
    after = text.find("。", score.start, row.end)
    if "。" not in text[row.start : row.end]:
        return [(score.start, score.end)]
    return [(max(before, row.start), after + 1 if after >= 0 else row.end)]


def _list_of(layout: list[Row], row: Row, text: str) -> list[tuple[int, int]]:
    """Return all items of the list that a line stands in or leads to, else nothing."""
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
        names = cells(header_line(layout, row, passage.text, passage.lead))
        values = cells(quote)
        if len(names) == len(values):
            text = say("row", language).join(
                f"{name}{say('colon', language)}{value}"
                for name, value in zip(names, values, strict=True)
                if value
            )
            if header is not None:  # one that stands in an earlier passage is read, not quoted
                citations.append(quote_of(passage, header.start, header.end))
    if not any(char.isalnum() for char in text):
        return None
    return Statement(
        text=text, citations=citations, modality=modality(text), facets=[facet["id"]],
        sub_question=facet["sub_question"], heading=heading_of(passage, layout, start),
    )  # fmt: skip


def heading_of(passage: Passage, layout: Sequence[Row], start: int) -> str:
    """Return the heading over a place: one inside the passage, else its section, else its title."""
    inside = [row for row in layout if row.kind == "heading" and row.end <= start]
    if inside:
        return plain(passage.text[inside[-1].start : inside[-1].end])
    return passage.section[-1] if passage.section else passage.title
