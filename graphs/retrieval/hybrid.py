"""Hybrid search: dense and keyword in parallel, fused, reranked, calibrated, collapsed."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from graphs.evidence.dedupe import collapse
from graphs.evidence.noise import without_noise
from graphs.evidence.passages import Evidence, Hit
from graphs.evidence.ranker import Ranker
from graphs.evidence.text import codes, query_terms
from graphs.meter import Meter
from graphs.policy import Policy, Profile
from graphs.ports import (
    Candidate,
    Embedder,
    KnowledgeBase,
    ListwiseReranker,
    Reranker,
    Vector,
)
from graphs.retrieval.candidates import Gatherer, Pool, Query, Scored
from graphs.retrieval.learning import confirmed
from graphs.retrieval.ordering import Order, meaning_of, ordered
from graphs.retrieval.reranking import reordered, request_of, scored_by
from graphs.retrieval.trace import Trace, traced


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked evidence, best first. `ranked` is the whole list before thresholds, for widening."""

    evidence: list[Evidence]
    ranked: list[Evidence]
    dense_available: bool = True
    trace: Trace = field(default_factory=Trace)


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """Searches one knowledge base. Holds no state."""

    embedder: Embedder
    reranker: Reranker | None
    policy: Policy
    standby: Reranker | None = None
    """Scores where the reranker fails."""
    listwise: ListwiseReranker | None = None
    ranker: Ranker | None = None
    """Orders what the reranker scores; without it the score orders."""
    keeps_fused_order: bool = False
    """Whether scores only judge: passages then stay in the order that both doors gave them."""

    async def search(
        self,
        kb: KnowledgeBase,
        text: str,
        profile: Profile,
        round_: int = 0,
        exclude: Collection[str] = (),
        seen: Collection[str] = (),
        meter: Meter | None = None,
    ) -> Found:
        """Return the passages for one query; `exclude` are documents, `seen` passages to leave out.

        An unreachable vector index or embedder leaves keyword search alone (`dense_available` is
        false). The listwise reranker works only where a meter gives it a budget.
        """
        pool = await self.gather(kb, text, profile, exclude, seen)
        ranked = await self.rank(kb, pool.query, pool.scored, profile, round_, meter)
        evidence = self.select(ranked, profile)
        fused = [Hit(each.passage.id, each.fused) for each in pool.scored]
        trace = traced(pool.dense or (), pool.keyword, fused, ranked, evidence, profile)
        return Found(evidence, ranked, pool.dense is not None, trace)

    async def gather(
        self,
        kb: KnowledgeBase,
        text: str,
        profile: Profile,
        exclude: Collection[str] = (),
        seen: Collection[str] = (),
    ) -> Pool:
        """Return the candidates of a query, before anything reranks them."""
        embedding = asyncio.ensure_future(self._embedded(text))
        return await self.gatherer.gather(kb, text, embedding, profile, exclude, seen)

    @property
    def gatherer(self) -> Gatherer:
        """What gathers the candidates."""
        return Gatherer(self.policy.candidates, links=self.ranker is not None)

    async def query(self, text: str) -> Query:
        """Embed and tokenise a query."""
        vector = await self._embedded(text)
        return Query(text, vector, tuple(query_terms(text)), tuple(codes(text)))

    async def _embedded(self, text: str) -> Vector:
        vector: Vector = (await asyncio.to_thread(self.embedder.embed, [text]))[0]
        return vector

    def select(
        self,
        ranked: Sequence[Evidence],
        profile: Profile,
        threshold: float | None = None,
        duplicate_limit: float | None = None,
        clean: bool = True,
    ) -> list[Evidence]:
        """Keep what passes the threshold, collapse near-duplicates, remove noise; at most `top_n`.

        What somebody confirmed for this very question passes with whatever score it has.
        """
        limit = self.policy.near_duplicate if duplicate_limit is None else duplicate_limit
        floor = profile.threshold if threshold is None else threshold
        passing = [item for item in ranked if item.score >= floor or item.confirmed]
        single = collapse(passing, limit)
        if self.ranker is not None and profile.rerank and clean:
            single = without_noise(single, self.ranker.margin)
        return single[: profile.top_n]

    async def read(self, kb: KnowledgeBase, candidates: Sequence[Scored]) -> list[Candidate]:
        """Return candidates with what a reranker reads of them."""
        vectors = await kb.sentence_vectors([c.passage.id for c in candidates])
        empty = np.zeros((0, self.embedder.dimension), dtype=np.float32)
        return [
            Candidate(
                c.passage, c.dense, c.keyword, vectors.get(c.passage.id, empty), c.named, c.linked
            )
            for c in candidates
        ]

    async def rank(
        self,
        kb: KnowledgeBase,
        query: Query,
        candidates: Sequence[Scored],
        profile: Profile,
        round_: int,
        meter: Meter | None = None,
    ) -> list[Evidence]:
        """Score and calibrate candidates, best first.

        Where nothing reranks, the fused score orders and the cheapest calibrated one is the score,
        since gates compare it with fixed limits; without any reranker the fused one is both.
        """
        if not candidates:
            return []
        if self.reranker is None:
            found = [_evidence(c, min(1.0, c.fused), round_) for c in candidates]
            return sorted(found, key=lambda item: (-item.score, item.passage.id))
        kept = self.keeps_fused_order or not profile.rerank
        reranker = (self.standby or self.reranker) if kept else self.reranker
        pairs = await self.read(kb, candidates)
        request = await request_of(kb, query.text, query.vector)
        scores = await scored_by(reranker, self.standby, kb, request, pairs, meter)
        if kept:
            order = [Order(0.0, c.fused) for c in candidates]
        elif self.ranker is not None:
            order = await ordered(self.ranker, kb, request, pairs)
        else:
            order = [Order(score, score) for score in scores]
        found = [
            replace(_evidence(c, score, round_), order=place.score, meaning=meaning_of(pair))
            for c, score, place, pair in zip(candidates, scores, order, pairs, strict=True)
        ]
        keys = {item.passage.id: place.key for item, place in zip(found, order, strict=True)}
        ranked = sorted(found, key=lambda item: (-keys[item.passage.id], item.passage.id))
        if kept:
            return ranked
        if self.ranker is not None:
            ranked = await confirmed(kb, query.text, query.vector, ranked)
        if self.listwise is None or meter is None:
            return ranked
        return await reordered(self.listwise, query.text, ranked, meter)


def _evidence(candidate: Scored, score: float, round_: int) -> Evidence:
    return Evidence(
        candidate.passage, round(score, 3), round(candidate.dense, 3),
        round(candidate.keyword, 3), round_,
    )  # fmt: skip
