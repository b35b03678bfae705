"""Why a search missed a document: its true place in every stage, and the gate that dropped it."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from app.adapters.documents_sqlite import DocumentInfo
from app.adapters.knowledge_base import Stores
from app.index_ranks import Ranks, positions, ranks_of
from app.search_resources import (
    ExpectedDocumentOut,
    ExpectedPassageOut,
    Fate,
    PlaceOut,
    RankOut,
    RanksOut,
    WhyNotOut,
    WordOut,
)
from app.searching import Place, Placed, placed
from app.services import Services
from app.why_not_advice import Facts, sentences_for
from app.why_not_words import Wording, wording
from graphs.ask.records import Language
from graphs.evidence.passages import Hit, Passage
from graphs.evidence.text import language
from graphs.retrieval.hybrid import Found, HybridSearch

_SHOWN = 3
_ORDER: tuple[Fate, ...] = ("found", "top_n", "noise", "duplicate", "threshold", "not_candidate")
"""How far a passage came, the furthest first."""


@dataclass(frozen=True, slots=True)
class _Way:
    """One passage of the document, with how far it came; `place` is its place in the evidence."""

    passage: Passage
    fate: Fate
    placed: Placed | None
    place: int | None

    @property
    def reranked(self) -> int | None:
        """Its position after reranking."""
        stage = self.placed.stages.reranked if self.placed else None
        return stage.position if stage else None


async def explain(
    services: Services,
    kb_name: str,
    question: str,
    document: DocumentInfo,
    exclude: Collection[str],
) -> WhyNotOut:
    """Follow a document's passages through the first retrieval of a question."""
    stores, searcher = services.library.stores, services.searcher
    search = searcher.search_with
    kb = await services.library.open(kb_name)
    own = await asyncio.to_thread(_passages, stores, document.id)
    others = [id_ for id_ in exclude if id_ != document.id]
    found = await searcher.find(kb, question, others)
    ranks = await ranks_of(kb, await search.query(question), own, others)
    ways = _ways(own, found, ranks)
    words = await wording(kb, question, document.title, own)
    newer = await _title(services, kb_name, document.superseded_by)
    facts = _facts(question, document, ways, ranks, words, found, search, newer)
    if document.id in exclude:
        facts = Facts("excluded", facts.language, search.policy, ranks.bound, newer=newer)
    reason, advice = sentences_for(facts)
    return WhyNotOut(
        question=question,
        document=_document(document, len(own)),
        fate=facts.fate,
        position=facts.position,
        reason=reason,
        advice=advice,
        words=[
            WordOut(word=word, in_document=word in words.held, passages=words.frequency[word])
            for word in words.asked
        ],
        passages=[_passage(way, ranks, words) for way in ways[:_SHOWN]],
    )


def _passages(stores: Stores, document_id: str) -> list[Passage]:
    with stores.database.read() as connection:
        ids = stores.chunks.numbers(connection, document_id)
    return stores.chunks.passages(list(ids))


def _ways(own: Sequence[Passage], found: Found, ranks: Ranks) -> list[_Way]:
    """Return how far each passage came, the furthest first, then the nearest in both indexes."""
    ranked = {one.evidence.passage.id: one for one in placed(found)}
    variants = {v: one for one in ranked.values() for v in one.evidence.variants}
    places = positions([Hit(item.passage.id, item.score) for item in found.evidence])
    ways = []
    for passage in own:
        one = ranked.get(passage.id)
        fate: Fate = "not_candidate"
        if passage.id in places:
            fate = "found"
        elif one is not None and one.dropped_by is not None:
            fate = one.dropped_by
        elif passage.id in variants:
            fate = "duplicate"
        ways.append(_Way(passage, fate, one, places.get(passage.id)))
    best = max(ranks.keyword_scores.values(), default=0.0) or 1.0

    def nearness(way: _Way) -> tuple[int, int, float]:
        id_ = way.passage.id
        near = ranks.dense_scores.get(id_, 0.0) + ranks.keyword_scores.get(id_, 0.0) / best
        return _ORDER.index(way.fate), way.reranked or ranks.bound, -near

    return sorted(ways, key=nearness)


def _facts(
    question: str,
    document: DocumentInfo,
    ways: Sequence[_Way],
    ranks: Ranks,
    words: Wording,
    found: Found,
    search: HybridSearch,
    newer: str,
) -> Facts:
    tongue: Language = "zh" if language(question) == "zh" else "en"
    if not ways:
        return Facts("empty", tongue, search.policy, ranks.bound, newer=newer)
    way, ids = ways[0], [each.passage.id for each in ways]
    titles = {item.passage.id: item.passage.title for item in found.ranked}
    leader = way.placed.duplicate_of if way.placed else None
    return Facts(
        way.fate,
        tongue,
        search.policy,
        ranks.bound,
        position=way.place,
        reranked=way.reranked,
        score=way.placed.evidence.score if way.placed else 0.0,
        dense=min((ranks.dense[i] for i in ids if i in ranks.dense), default=None),
        keyword=min((ranks.keyword[i] for i in ids if i in ranks.keyword), default=None),
        matches=bool(ranks.keyword_scores),
        dense_available=found.dense_available,
        leader=titles.get(leader or "", ""),
        newer=newer,
        lacking=[word for word in words.asked if word not in words.held],
        translated=[word for word in words.asked if word in words.translated],
        scattered=not any(words.in_passage[i] >= {*words.asked} for i in ids),
        other_language=document.language != language(question),
        names=[name for name in (document.title or document.name, *document.codes) if name],
    )


def _passage(way: _Way, ranks: Ranks, words: Wording) -> ExpectedPassageOut:
    passage, stages = way.passage, way.placed.stages if way.placed else None
    held = words.in_passage[passage.id]
    return ExpectedPassageOut(
        passage=passage.id,
        section=list(passage.section),
        text=passage.text,
        start=passage.start,
        end=passage.end,
        stages=RanksOut(
            dense=_rank(passage.id, ranks.dense, ranks.dense_scores, ranks.bound),
            keyword=_rank(passage.id, ranks.keyword, ranks.keyword_scores, ranks.bound),
            fused=_place(stages.fused if stages else None),
            reranked=_place(stages.reranked if stages else None),
        ),
        fate=way.fate,
        duplicate_of=way.placed.duplicate_of if way.placed else None,
        holds=[word for word in words.asked if word in held],
        lacks=[word for word in words.asked if word not in held],
    )


def _rank(
    id_: str, positions: Mapping[str, int], scores: Mapping[str, float], bound: int
) -> RankOut:
    score = scores.get(id_)
    rounded = None if score is None else round(score, 3)
    return RankOut(position=positions.get(id_), score=rounded, beyond=bound)


def _place(place: Place | None) -> PlaceOut | None:
    return PlaceOut(position=place.position, score=round(place.score, 3)) if place else None


def _document(info: DocumentInfo, passages: int) -> ExpectedDocumentOut:
    return ExpectedDocumentOut(
        id=info.id,
        name=info.name,
        title=info.title,
        passages=passages,
        superseded_by=info.superseded_by,
    )


async def _title(services: Services, kb: str, document_id: str | None) -> str:
    info = await services.library.document(kb, document_id) if document_id else None
    return (info.title or info.name) if info else ""
