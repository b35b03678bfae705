"""Hybrid search: dense and keyword in parallel, fused, reranked, calibrated, collapsed."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from graphs.evidence.dedupe import collapse
from graphs.evidence.fusion import fuse, keyword_ceiling
from graphs.evidence.passages import Evidence, Hit, Passage
from graphs.evidence.text import codes, query_terms
from graphs.meter import Meter
from graphs.policy import Policy, Profile
from graphs.ports import Candidate, Embedder, KnowledgeBase, ListwiseReranker, Reranker
from graphs.retrieval.doors import cosines_of, open_doors
from graphs.retrieval.reranking import reordered, request_of, scored_by
from graphs.retrieval.trace import Trace, traced


@dataclass(frozen=True, slots=True)
class Query:
    """A query taken apart once: its vector, index terms and codes."""

    text: str
    vector: np.ndarray[tuple[int], np.dtype[np.float32]]
    terms: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage before reranking: cosine, BM25 share of the ceiling, and both fused."""

    passage: Passage
    dense: float
    keyword: float
    fused: float


@dataclass(frozen=True, slots=True)
class Found:
    """Ranked evidence, best first. `ranked` is the whole list before thresholds, for widening."""

    evidence: list[Evidence]
    ranked: list[Evidence]
    dense_available: bool = True
    trace: Trace = field(default_factory=Trace)


@dataclass(frozen=True, slots=True)
class _Pool:
    """Candidates, best fused first; `dense` is None where the vector index can't be read."""

    scored: list[Scored]
    dense: list[Hit] | None
    keyword: list[Hit]


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """Searches one knowledge base. Holds no state."""

    embedder: Embedder
    reranker: Reranker | None
    policy: Policy
    standby: Reranker | None = None
    """Scores where the reranker fails."""
    listwise: ListwiseReranker | None = None

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
        query = await self.query(text)
        pool = await self._candidates(kb, query, profile, exclude, seen)
        ranked = await self.rank(kb, query, pool.scored, profile, round_, meter)
        evidence = self.select(ranked, profile)
        fused = [Hit(each.passage.id, each.fused) for each in pool.scored]
        trace = traced(pool.dense or (), pool.keyword, fused, ranked, evidence, profile.threshold)
        return Found(evidence, ranked, pool.dense is not None, trace)

    async def query(self, text: str) -> Query:
        """Embed and tokenise a query."""
        vector = (await asyncio.to_thread(self.embedder.embed, [text]))[0]
        return Query(text, vector, tuple(query_terms(text)), tuple(codes(text)))

    def select(
        self,
        ranked: Sequence[Evidence],
        profile: Profile,
        threshold: float | None = None,
        duplicate_limit: float | None = None,
    ) -> list[Evidence]:
        """Collapse near-duplicates, then keep what passes the threshold, at most `top_n`."""
        limit = self.policy.near_duplicate if duplicate_limit is None else duplicate_limit
        floor = profile.threshold if threshold is None else threshold
        passing = [item for item in ranked if item.score >= floor]
        return collapse(passing, limit)[: profile.top_n]

    async def _candidates(
        self,
        kb: KnowledgeBase,
        query: Query,
        profile: Profile,
        exclude: Collection[str],
        seen: Collection[str],
    ) -> _Pool:
        """Return the best fused candidates and the two lists they came from."""
        count = self.policy.candidates + len(seen)
        found = await open_doors(kb, query.vector, query.terms, query.codes, count, exclude)
        ids = [id_ for id_ in found.ids if id_ not in set(seen)]
        if found.dense is None:
            profile = replace(profile, dense=0.0, keyword=1.0)
        exact = frozenset(found.exact)
        scored = await self._fuse(
            kb, ids, found.dense_scores, found.keyword_scores, found.ceiling, profile, exact
        )
        return _Pool(scored, found.dense, found.keyword)

    async def score(
        self, kb: KnowledgeBase, query: Query, passages: Sequence[Passage], profile: Profile
    ) -> list[Scored]:
        """Score passages that came by another way than the two indexes, as candidates are scored."""
        ids = [passage.id for passage in passages]
        dense = await cosines_of(kb, query.vector, ids)
        keyword = await kb.keyword_scores(query.terms, ids) if query.terms else {}
        info = await kb.info()
        frequency = await kb.document_frequency(query.terms)
        ceiling = keyword_ceiling(info.passages, frequency.values())
        return await self._fuse(kb, ids, dense, keyword, ceiling, profile, frozenset())

    async def _fuse(
        self,
        kb: KnowledgeBase,
        ids: Sequence[str],
        dense: Mapping[str, float],
        keyword: Mapping[str, float],
        ceiling: float,
        profile: Profile,
        exact: frozenset[str],
    ) -> list[Scored]:
        fused = dict(fuse(ids, dense, keyword, ceiling, profile.dense, profile.keyword, exact))
        read = await kb.passages(list(fused)[: 2 * self.policy.candidates])
        return [
            Scored(
                passage,
                dense.get(passage.id, 0.0),
                min(1.0, keyword.get(passage.id, 0.0) / ceiling) if ceiling else 0.0,
                fused[passage.id],
            )
            for passage in read
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
        """Rerank and calibrate candidates, best first; without a reranker the fused score stands."""
        if not candidates:
            return []
        if self.reranker is None or not profile.rerank:
            scores = [min(1.0, candidate.fused) for candidate in candidates]
        else:
            vectors = await kb.sentence_vectors([c.passage.id for c in candidates])
            empty = np.zeros((0, self.embedder.dimension), dtype=np.float32)
            pairs = [
                Candidate(c.passage, c.dense, c.keyword, vectors.get(c.passage.id, empty))
                for c in candidates
            ]
            request = await request_of(kb, query.text, query.vector)
            scores = await scored_by(self.reranker, self.standby, kb, request, pairs, meter)
        evidence = [
            Evidence(c.passage, round(score, 3), round(c.dense, 3), round(c.keyword, 3), round_)
            for c, score in zip(candidates, scores, strict=True)
        ]
        ranked = sorted(evidence, key=lambda item: (-item.score, item.passage.id))
        if self.listwise is None or meter is None or not profile.rerank:
            return ranked
        return await reordered(self.listwise, query.text, ranked, meter)
