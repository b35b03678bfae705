"""Extraction: an answer from exact sentences, rows and list items, in their order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphs.ask.records import Facet, Language, Statement
from graphs.evidence.blocks import Row, cells, header_line, header_of, plain, row_at, rows
from graphs.evidence.citations import modality, quote_of
from graphs.evidence.messages import say
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.scorer import FieldReading, SentenceScore
from graphs.evidence.text import fold
from graphs.evidence.widening import LEAD, as_shown, list_of, whole_line

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


@dataclass(frozen=True, slots=True)
class Quote:
    """A place of a passage's text that answers a facet."""

    passage: Passage
    start: int
    end: int


def extract(
    facets: Sequence[Facet],
    reads: Mapping[str, Sequence[Reads]],
    quotes: Mapping[str, Sequence[Quote]],
    language: Language,
    plural: bool,
) -> list[Statement]:
    """Return the statements that answer the required facets, direct answer first.

    `reads`: facet id to the passages that cover it, best first. `quotes`: facet id to the clauses
    that answer it, best first; without any, whole sentences and lists are taken from what was read.
    `plural`: the question asks for several records, so each covering passage contributes its best
    sentence.
    """
    statements: list[Statement] = []
    places: dict[tuple[str, int, int], Statement] = {}
    for facet in facets:
        if not facet["required"]:
            continue
        for quote in _quotes(facet, reads.get(facet["id"], ()), quotes, plural):
            place = (quote.passage.id, quote.start, quote.end)
            if place in places:
                places[place]["facets"].append(facet["id"])
                continue
            statement = make_statement(quote.passage, quote.start, quote.end, facet, language)
            if statement is None or _repeats(statement, statements):
                continue
            _drop_parts_of(statement, statements)
            places[place] = statement
            statements.append(statement)
    return _grouped(statements)


def _quotes(
    facet: Facet, reads: Sequence[Reads], quotes: Mapping[str, Sequence[Quote]], plural: bool
) -> list[Quote]:
    chosen = quotes.get(facet["id"])
    if chosen:
        return [
            Quote(quote.passage, start, end)
            for quote in chosen
            for start, end in as_shown(quote.passage.text, quote.start, quote.end)
        ]
    return [
        Quote(item.evidence.passage, start, end)
        for item in reads
        for start, end in sorted(_spans(facet, item, plural))
    ]


def answers_as_block(facet: Facet, reads: Sequence[Reads], plural: bool) -> bool:
    """Tell whether a facet is answered by whole lines: labels, records, lists, tables, procedures."""
    if plural or facet["field"] in ("label", "procedure"):
        return True
    if not reads:
        return False
    best = max(reads[0].reading.sentences, key=lambda s: (s.rank, -s.start), default=None)
    if best is None:
        return False
    text = reads[0].evidence.passage.text
    layout = rows(text)
    row = row_at(layout, best.start)
    if row is None or row.kind != "text":
        return True
    return bool(LEAD.search(text[best.start : best.end]))


def _grouped(statements: Sequence[Statement]) -> list[Statement]:
    """Bring statements of one heading together, in order of the heading's first statement."""
    order: dict[str, list[Statement]] = {}
    for statement in statements:
        order.setdefault(statement["heading"], []).append(statement)
    return [statement for group in order.values() for statement in group]


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
        return whole_line(layout, row, text)
    if field in _MANY and best.cue and not plural and (block := list_of(layout, row, text)):
        return block
    if field == "procedure" and row.kind == "text" and row.end - row.start <= _SHORT_PARAGRAPH:
        return whole_line(layout, row, text)
    count = 2 if field in ("cause", "effect", *_MANY) else 1
    spans: list[tuple[int, int]] = []
    for score, place in ranked[:count]:
        if score.rank >= _NEARLY * best.rank:
            spans.extend(_widened(layout, place, score, text))
    return list(dict.fromkeys(spans))


def _widened(layout: list[Row], row: Row, score: SentenceScore, text: str) -> list[tuple[int, int]]:
    """Widen a sentence to its list item or row, or to the full stop that ends it."""
    if row.kind != "text":
        return [(row.start, row.end)]
    if LEAD.search(text[score.start : score.end]):
        return whole_line(layout, row, text)
    before = text.rfind("。", row.start, score.start) + 1 or row.start
    after = text.find("。", score.start, row.end)
    if "。" not in text[row.start : row.end]:
        return [(score.start, score.end)]
    return [(max(before, row.start), after + 1 if after >= 0 else row.end)]


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
