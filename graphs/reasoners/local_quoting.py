"""Which clauses the embedded reasoner quotes for a facet that a value or a few sentences answer."""

from collections.abc import Sequence
from dataclasses import replace

from graphs.ask.records import Facet
from graphs.evidence.answer_signs import AnswerSpan
from graphs.evidence.answering import answer_spans, pick
from graphs.evidence.candidates import Wanted
from graphs.evidence.extraction import Quote
from graphs.evidence.names import numbered_names
from graphs.evidence.passages import Evidence
from graphs.evidence.scorer import FieldReading
from graphs.ports import Candidate, RerankQuery
from graphs.reasoners.local_reading import Reader

_SUBJECT = 0.3
"""Passages that hold less than this share of what the best one holds of the subject are left out."""
_BESIDE = 0.85
"""A further sentence of the passage that answers must hold nearly as much of what is asked."""
_READING = 1.0
"""Log odds that the reading of a facet's words adds to a sentence of rank 1."""


def quotes_for(reader: Reader, facet: Facet, brief: float) -> list[Quote]:
    """Return the clauses that answer a facet, best first; `brief` as in `pick`.

    Any passage may answer, covering or not: a clause with the value that is asked for is worth more
    than a sentence that only holds the question's words.
    """
    read = {item.passage.id: (item, reading) for item, reading in _fitting(reader, facet)}
    query = _query(reader, facet)
    candidates = [
        Candidate(item.passage, item.dense, item.keyword, reader.matrix(item))
        for item, _ in read.values()
    ]
    ranks = {(id_, score.line): score.rank for id_, (_, r) in read.items() for score in r.sentences}
    spans = [
        replace(span, score=span.score + _READING * rank)
        for span in answer_spans(query, candidates)
        if (rank := ranks.get((span.passage, span.line), -1.0)) >= 0.0
    ]
    chosen = pick(spans, Wanted.of(query.text).asks_value, brief)
    return [
        _quote(read[span.passage][0], span)
        for span in chosen
        if span.passage != chosen[0].passage
        or ranks[span.passage, span.line] >= _BESIDE * ranks[chosen[0].passage, chosen[0].line]
    ]


def _fitting(reader: Reader, facet: Facet) -> list[tuple[Evidence, FieldReading]]:
    """Return the passages about the subject; what a newer version replaces gives way to it."""
    read = reader.fields(facet)
    best = max((reading.subject for _, reading in read), default=0.0)
    dated = reader.times.matter or any(f["kind"] in ("code", "time") for f in reader.case.facets)
    documents = {item.passage.document_id for item, _ in read}
    read = _holding_numbers(reader, facet, read)
    return [
        (item, reading)
        for item, reading in read
        if reading.subject >= _SUBJECT * best
        and (dated or item.passage.superseded_by not in documents)
    ]


def _holding_numbers(
    reader: Reader, facet: Facet, read: Sequence[tuple[Evidence, FieldReading]]
) -> list[tuple[Evidence, FieldReading]]:
    """Leave out passages without a code or number that is asked about and another passage holds."""
    kept = list(read)
    for other, _ in reader.subject.scope(facet["sub_question"]):
        named = other["kind"] == "entity" and numbered_names(other["text"]) == [
            other["text"].lower()
        ]
        if named or other["kind"] in ("code", "number"):
            holding = [
                (item, reading)
                for item, reading in kept
                if reader.subject.constraint(other, item.passage, reader.matrix(item)) >= 1.0
            ]
            kept = holding or kept
    return kept


def _query(reader: Reader, facet: Facet) -> RerankQuery:
    """Return what a facet asks for as a question: the whole one where it has no other part."""
    required: Sequence[Facet] = [f for f in reader.case.facets if f["required"]]
    vector = reader.scorer.vector(facet["id"])
    if len(required) < 2 or vector is None:
        return reader.query
    named = [
        other["text"]
        for other, _ in reader.subject.scope(facet["sub_question"])
        if other["kind"] != "field" and other["text"] not in facet["text"]
    ]
    return replace(reader.query, text=" ".join([*named, facet["text"]]), vector=vector)


def _quote(item: Evidence, span: AnswerSpan) -> Quote:
    return Quote(item.passage, span.start, span.end)
