"""The two doors of a knowledge base, opened at once: dense and keyword candidates, both scored."""

import asyncio
from collections.abc import Awaitable, Collection, Mapping, Sequence
from dataclasses import dataclass

from graphs.errors import DenseUnavailable
from graphs.evidence.fusion import keyword_ceiling
from graphs.evidence.passages import Hit
from graphs.ports import KeywordHits, KnowledgeBase, Vector


@dataclass(frozen=True, slots=True)
class Searched:
    """Candidates of one query. `dense` is None where the vector index can't be read.

    Both score maps cover every candidate, so that none is punished for its door; `ceiling` is the
    highest BM25 that the query can reach.
    """

    dense: list[Hit] | None
    keyword: list[Hit]
    exact: list[str]
    dense_scores: Mapping[str, float]
    keyword_scores: Mapping[str, float]
    ceiling: float

    @property
    def ids(self) -> list[str]:
        """Every candidate once."""
        hits = [hit.id for hit in (*(self.dense or ()), *self.keyword)]
        return list(dict.fromkeys((*hits, *self.exact)))


async def open_doors(
    kb: KnowledgeBase,
    vector: Vector,
    terms: Sequence[str],
    codes: Sequence[str],
    count: int,
    exclude: Collection[str] = (),
    keyword: KeywordHits | None = None,
    more: Sequence[str] = (),
) -> Searched:
    """Search both indexes at once; what one door finds is scored at the other one meanwhile.

    `more` are passages that are scored with them, wherever else they came from.
    `keyword` are the keyword hits where they were fetched before, while the query was embedded.
    A zero vector stands for an embedder that is down: nothing is asked of the vector index.
    """
    searching = by_words(kb, terms, count, exclude) if keyword is None else _fetched(keyword)
    (dense, crossed), (found, exact, scores, cosines) = await asyncio.gather(
        _through_dense(kb, vector, terms, count, exclude),
        _through_keyword(kb, vector, terms, codes, searching, exclude, more),
    )
    return Searched(
        dense,
        found.hits,
        exact,
        {hit.id: hit.score for hit in dense or ()} | cosines,
        scores | crossed,
        keyword_ceiling(found.passages, found.frequency.values()),
    )


async def by_words(
    kb: KnowledgeBase, terms: Sequence[str], count: int, exclude: Collection[str]
) -> KeywordHits:
    """Return keyword hits, none for a query without terms."""
    return await kb.keyword_search(terms, count, exclude) if terms else KeywordHits([], {}, 0)


async def _fetched(hits: KeywordHits) -> KeywordHits:
    return hits


async def _through_dense(
    kb: KnowledgeBase, vector: Vector, terms: Sequence[str], count: int, exclude: Collection[str]
) -> tuple[list[Hit] | None, dict[str, float]]:
    if not vector.any():
        return None, {}
    try:
        hits = await kb.dense(vector, count, exclude)
    except DenseUnavailable:
        return None, {}
    return hits, await kb.keyword_scores(terms, [hit.id for hit in hits]) if terms else {}


async def _through_keyword(
    kb: KnowledgeBase,
    vector: Vector,
    terms: Sequence[str],
    codes: Sequence[str],
    searching: Awaitable[KeywordHits],
    exclude: Collection[str],
    more: Sequence[str],
) -> tuple[KeywordHits, list[str], dict[str, float], dict[str, float]]:
    """Return keyword hits, exact matches, and BM25 and cosines of both and of `more`."""
    found = await searching
    exact = await kb.exact(codes, exclude) if codes else []
    scores = {hit.id: hit.score for hit in found.hits}
    if terms and (unscored := [id_ for id_ in (*exact, *more) if id_ not in scores]):
        scores |= await kb.keyword_scores(terms, unscored)
    return (
        found,
        exact,
        scores,
        await cosines_of(kb, vector, list(dict.fromkeys((*scores, *exact, *more)))),
    )


async def cosines_of(kb: KnowledgeBase, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
    """Return the cosines of passages, 0 for each where the vector index can't be read."""
    if not ids or not vector.any():
        return {}
    try:
        return await kb.dense_scores(vector, ids)
    except DenseUnavailable:
        return dict.fromkeys(ids, 0.0)
