"""Candidates: what both doors find, scored alike and fused, with what titles lead to."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphs.evidence.fusion import fuse, keyword_ceiling
from graphs.evidence.passages import Hit, Passage
from graphs.evidence.text import codes, query_terms
from graphs.policy import Profile
from graphs.ports import KnowledgeBase, Vector
from graphs.retrieval.doors import cosines_of, open_doors, ready
from graphs.retrieval.learning import led_to
from graphs.retrieval.links import links_of


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
    named: float = 0.0
    linked: float = 0.0
    """As in `graphs.ports.Candidate`."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates, best fused first; `dense` is None where the vector index can't be read."""

    query: Query
    scored: list[Scored]
    dense: list[Hit] | None
    keyword: list[Hit]


@dataclass(frozen=True, slots=True)
class Gatherer:
    """Gathers candidates: `count` from each door; `links` adds what titles lead to."""

    count: int
    links: bool

    async def gather(
        self,
        kb: KnowledgeBase,
        text: str,
        embedding: asyncio.Future[Vector],
        profile: Profile,
        exclude: Collection[str],
        seen: Collection[str],
    ) -> Pool:
        """Return the best fused candidates of a query and the two lists they came from.

        `embedding` becomes the vector of `text`; what needs none does not wait for it.
        """
        terms, named = tuple(query_terms(text)), tuple(codes(text))
        leading = self.links and profile.rerank
        led: asyncio.Future[list[str]] = (
            asyncio.ensure_future(led_to(kb, text, embedding, exclude)) if leading else ready([])
        )
        count = self.count + len(seen)
        found = await open_doors(kb, embedding, terms, named, count, exclude, led)
        query = Query(text, await embedding, terms, named)
        ids = [id_ for id_ in dict.fromkeys((*found.ids, *await led)) if id_ not in set(seen)]
        if found.dense is None:
            profile = replace(profile, dense=0.0, keyword=1.0)
        scored = await self._fuse(
            kb, ids, found.dense_scores, found.keyword_scores, found.ceiling, profile,
            frozenset(found.exact), await led,
        )  # fmt: skip
        linked = await self._linked(kb, query, scored, found.ceiling, profile, exclude, seen)
        return Pool(query, [*scored, *linked], found.dense, found.keyword)

    async def _linked(
        self,
        kb: KnowledgeBase,
        query: Query,
        scored: list[Scored],
        ceiling: float,
        profile: Profile,
        exclude: Collection[str],
        seen: Collection[str],
    ) -> list[Scored]:
        """Mark in `scored` what is named, and return what else is named."""
        if not self.links or not profile.rerank:
            return []
        links = await links_of(kb, query.text, [each.passage for each in scored], exclude)
        known = {each.passage.id for each in scored}
        new = [id_ for id_ in links.ids if id_ not in known and id_ not in set(seen)]
        passages = await kb.passages(new) if new else []
        more = await self._scored(kb, query, passages, ceiling, profile) if passages else []

        def marked(each: Scored) -> Scored:
            id_ = each.passage.id
            if id_ not in links.named and id_ not in links.linked:
                return each
            return replace(each, named=float(id_ in links.named), linked=links.linked.get(id_, 0.0))

        scored[:] = [marked(each) for each in scored]
        return [marked(each) for each in more]

    async def score(
        self, kb: KnowledgeBase, query: Query, passages: Sequence[Passage], profile: Profile
    ) -> list[Scored]:
        """Score passages that came by another way than the two indexes, as candidates are scored."""
        info = await kb.info()
        frequency = await kb.document_frequency(query.terms)
        ceiling = keyword_ceiling(info.passages, frequency.values())
        return await self._scored(kb, query, passages, ceiling, profile)

    async def _scored(
        self,
        kb: KnowledgeBase,
        query: Query,
        passages: Sequence[Passage],
        ceiling: float,
        profile: Profile,
    ) -> list[Scored]:
        ids = [passage.id for passage in passages]
        dense, keyword = await asyncio.gather(
            cosines_of(kb, ready(query.vector), ids), kb.keyword_scores(query.terms, ids)
        )
        fused = dict(fuse(ids, dense, keyword, ceiling, profile.dense, profile.keyword))
        held = {passage.id: passage for passage in passages}
        best = [held[id_] for id_ in list(fused)[: 2 * self.count]]
        return _with_scores(best, fused, dense, keyword, ceiling)

    async def _fuse(
        self,
        kb: KnowledgeBase,
        ids: Sequence[str],
        dense: Mapping[str, float],
        keyword: Mapping[str, float],
        ceiling: float,
        profile: Profile,
        exact: frozenset[str],
        led: Sequence[str],
    ) -> list[Scored]:
        fused = dict(fuse(ids, dense, keyword, ceiling, profile.dense, profile.keyword, exact))
        best = list(fused)[: 2 * self.count]
        read = await kb.passages(
            list(dict.fromkeys((*best, *(id_ for id_ in led if id_ in fused))))
        )
        return _with_scores(read, fused, dense, keyword, ceiling)


def _with_scores(
    passages: Sequence[Passage],
    fused: Mapping[str, float],
    dense: Mapping[str, float],
    keyword: Mapping[str, float],
    ceiling: float,
) -> list[Scored]:
    return [
        Scored(
            passage,
            dense.get(passage.id, 0.0),
            min(1.0, keyword.get(passage.id, 0.0) / ceiling) if ceiling else 0.0,
            fused[passage.id],
        )
        for passage in passages
    ]
