"""How the embedded reasoner reads evidence: facets against passages, with all vectors at hand."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphs.ask.records import Facet
from graphs.evidence.extraction import Reads
from graphs.evidence.instructions import sentences_left
from graphs.evidence.lines import Lexicon
from graphs.evidence.passages import Evidence
from graphs.evidence.scorer import COVERED, FieldReading, Scorer
from graphs.evidence.subject import Subject
from graphs.evidence.sufficiency import signals_of
from graphs.evidence.text import words
from graphs.evidence.years import Times
from graphs.ports import Embedder, Matrix, RerankQuery, Vector
from graphs.reasoners.base import Case, Reading
from graphs.reasoners.local_disputes import disagreements

HOLDS_SUBJECT = 0.5
"""A passage holds a subject when it holds this share of it."""
_SUCCESSOR = 0.3
"""A successor stands in for its older version from this strength on."""
_BROAD_FIELDS = ("list", "procedure", "cause", "effect", "label", "fact")
_NEAREST = 0.93
"""As `_NEAR_BEST`, for fields that one value answers (how much, who, when)."""
_NEAR_BEST = 0.85
"""Passages that answer a facet nearly as well as the best one are read beside it."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A scorer with the evidence's sentence vectors. Built once per node.

    `query` is the question with its words' frequencies, as the sentence scorer reads it.
    """

    scorer: Scorer
    subject: Subject
    case: Case
    matrices: Mapping[str, Matrix]
    times: Times
    query: RerankQuery

    def matrix(self, item: Evidence) -> Matrix:
        """Return the sentence vectors of a passage, shape (sentences, d)."""
        return self.matrices.get(item.passage.id, _EMPTY)

    def fields(self, facet: Facet) -> list[tuple[Evidence, FieldReading]]:
        """Return every passage with its reading of a field facet, strongest first."""
        read = [(item, self._field(facet, item)) for item in self.case.evidence]
        return sorted(read, key=lambda pair: (-_standing(pair[1]), -pair[0].score))

    def _field(self, facet: Facet, item: Evidence) -> FieldReading:
        reading = self.scorer.field(facet, item.passage, self.matrix(item))
        return self.times.limit(facet, item.passage, reading)

    def covering(
        self, facet: Facet, fields: Sequence[tuple[Evidence, FieldReading]] | None = None
    ) -> list[Reads]:
        """Return the passages that cover a facet, strongest first; `fields` is as `fields` gives it.

        A superseded version gives way to the same matter in its successor, even where that is worded
        a little farther from the question, unless the question names a code or a date.
        """
        read = self.fields(facet) if fields is None else fields
        bar = _bar(facet, [reading for _, reading in read])
        held = [Reads(item, reading) for item, reading in read if reading.strength >= bar]
        if self.times.matter or any(f["kind"] in ("code", "time") for f in self.case.facets):
            return held
        current: dict[str, Reads] = {}
        for entry in held:
            newest = entry.evidence.passage.superseded_by
            successors = [
                Reads(item, reading)
                for item, reading in read
                if item.passage.document_id == newest and reading.strength >= _SUCCESSOR
            ]
            kept = successors[0] if successors else entry
            current.setdefault(kept.evidence.passage.id, kept)
        return list(current.values())

    def reads(self, facet: Facet) -> list[Reads]:
        """Return the covering passages that answer nearly as well as the best one."""
        covering = self.covering(facet)
        bar = min((read.reading.strength for read in covering), default=COVERED)
        best = max((_standing(read.reading, bar) for read in covering), default=0.0)
        nearly = _NEAR_BEST if facet["field"] in _BROAD_FIELDS else _NEAREST
        return [read for read in covering if _standing(read.reading, bar) >= nearly * best]


def _bar(facet: Facet, readings: Sequence[FieldReading]) -> float:
    """Return the strength from which on a passage covers a facet.

    The further members of a list need not clear it each: nearly as strong as the best one will do.
    """
    best = max((reading.strength for reading in readings), default=0.0)
    if facet["field"] != "list" or best < COVERED:
        return COVERED
    return min(COVERED, _NEAR_BEST * best)


def _standing(reading: FieldReading, bar: float = COVERED) -> float:
    """Return what a reading is ranked by: its best sentence, and how much of the subject it holds."""
    best = max((score.rank for score in reading.sentences), default=0.0)
    return best * (0.4 + 0.6 * reading.subject) * (1.0 if reading.strength >= bar else 0.5)


_EMPTY: Matrix = np.zeros((0, 1), dtype=np.float32)


async def embed_facets(
    embedder: Embedder,
    facets: Sequence[Facet],
    kinds: Sequence[str] = ("entity", "field"),
    question: str = "",
) -> dict[str, Vector]:
    """Return a vector per facet of these kinds; a field is embedded as its asking clause.

    The question's own vector stands under "" where a question is given.
    """
    texts = {facet["id"]: facet["text"] for facet in facets if facet["kind"] in kinds}
    if question:
        texts[""] = question
    vectors = await asyncio.to_thread(embedder.embed, list(texts.values()))
    return {key: vectors[i] for i, key in enumerate(texts)}


async def open_reader(
    embedder: Embedder, case: Case, bindings: Mapping[str, Mapping[str, float]] | None = None
) -> Reader:
    """Read what scoring needs: word frequencies, facet vectors, sentence vectors."""
    facet_terms = {term for facet in case.facets for term in facet["terms"]}
    terms = sorted({*facet_terms, *words(case.question)})
    ids = [item.passage.id for item in case.evidence]
    info, frequency, matrices, vectors = await asyncio.gather(
        case.kb.info(),
        case.kb.document_frequency(terms),
        case.kb.sentence_vectors(ids),
        embed_facets(embedder, case.facets, question=case.question),
    )
    for passage in (item.passage for item in case.evidence if item.passage.orders):
        if (rows := matrices.get(passage.id)) is not None:
            left = [number for number in sentences_left(passage) if number < len(rows)]
            matrices[passage.id] = rows[left]
    lexicon = Lexicon(info.passages, frequency)
    subject = Subject(case.question, case.facets, vectors, lexicon, bindings, case.sub_questions)
    subs = [sub["id"] for sub in case.sub_questions] or [""]
    subject.anchor(subs, [item.passage for item in case.evidence])
    scorer = Scorer(case.question, case.facets, vectors, lexicon, subject)
    times = Times.of(case.question, case.sub_questions, case.evidence)
    query = RerankQuery(case.question, vectors[""], info.passages, frequency)
    return Reader(scorer, subject, case, matrices, times, query)


def read_case(reader: Reader, bindable: bool) -> Reading:
    """Return the embedded reading of a case: coverage, strengths, subject, contradictions."""
    case = reader.case
    covered: dict[str, list[str]] = {}
    strengths: dict[str, float] = {}
    spans: dict[str, tuple[int, int]] = {}
    subjects: list[float] = []
    for facet in case.facets:
        if facet["kind"] != "field":
            strengths[facet["id"]] = max(
                (
                    reader.subject.constraint(facet, i.passage, reader.matrix(i))
                    for i in case.evidence
                ),
                default=0.0,
            )
            continue
        read = reader.fields(facet)
        strengths[facet["id"]] = read[0][1].strength if read else 0.0
        covered[facet["id"]] = [r.evidence.passage.id for r in reader.covering(facet, read)]
        if read:
            subjects.append(read[0][1].subject)
        for item, reading in read:
            _note_span(spans, item, reading)
    shares = _subject_shares(reader)
    pairs, claims = disagreements(reader.query, case)
    return Reading(
        covered=covered,
        relevance=_relevance(case, shares),
        contradictions=pairs,
        claims=claims,
        holds_subject=max(shares.values(), default=0.0) >= HOLDS_SUBJECT,
        bindable=bindable,
        strengths=strengths,
        subject=sum(subjects) / len(subjects) if subjects else 0.0,
        signals=signals_of(reader.query, case.evidence, reader.matrices),
        spans=spans,
    )


def _note_span(spans: dict[str, tuple[int, int]], item: Evidence, reading: FieldReading) -> None:
    best = max(reading.sentences, key=lambda s: s.rank, default=None)
    if best is not None and item.passage.id not in spans:
        start = item.passage.start
        spans[item.passage.id] = (start + best.start, start + best.end)


def _subject_shares(reader: Reader) -> dict[str, float]:
    """Return passage id to the best share of any sub-question's subject that it holds."""
    subs = [sub["id"] for sub in reader.case.sub_questions] or [""]
    return {
        item.passage.id: max(
            reader.subject.share(sub, item.passage, reader.matrix(item)) for sub in subs
        )
        for item in reader.case.evidence
    }


def _relevance(case: Case, shares: Mapping[str, float]) -> dict[str, float]:
    """Judge later rounds by the user's question: their scores were given for rewritten queries."""
    return {
        item.passage.id: round(item.score * min(1.0, shares[item.passage.id] / 0.6), 3)
        for item in case.evidence
        if item.round > 0
    }
