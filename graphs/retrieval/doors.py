"""The two doors of a knowledge base, opened at once: dense and keyword candidates, both scored."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from graphs.errors import DenseUnavailable
from graphs.evidence.fusion import cosines, keyword_ceiling
from graphs.evidence.passages import Hit
from graphs.ports import KeywordHits, KnowledgeBase, Vector

T = TypeVar("T")


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
    embedding: asyncio.Future[Vector],
    terms: Sequence[str],
    codes: Sequence[str],
    count: int,
    exclude: Collection[str] = (),
    more: asyncio.Future[list[str]] | None = None,
) -> Searched:
    """Search both indexes at once; what one door finds is scored at the other one meanwhile.

    `embedding` becomes the query's vector: until then the keyword door has found its passages and
    read their vectors. A zero vector stands for an embedder that is down: nothing is near it.
    `more` becomes the ids of passages that are scored with them, wherever else they came from.
    """
    (dense, crossed), (found, exact, scores, near) = await asyncio.gather(
        _through_dense(kb, embedding, terms, count, exclude),
        _through_keyword(kb, embedding, terms, codes, count, exclude, more or ready([])),
    )
    return Searched(
        dense,
        found.hits,
        exact,
        {hit.id: hit.score for hit in dense or ()} | near,
        scores | crossed,
        keyword_ceiling(found.passages, found.frequency.values()),
    )


async def _through_dense(
    kb: KnowledgeBase,
    embedding: asyncio.Future[Vector],
    terms: Sequence[str],
    count: int,
    exclude: Collection[str],
) -> tuple[list[Hit] | None, dict[str, float]]:
    vector = await embedding
    if not vector.any():
        return None, {}
    try:
        hits = await kb.dense(vector, count, exclude)
    except DenseUnavailable:
        return None, {}
    return hits, await kb.keyword_scores(terms, [hit.id for hit in hits]) if terms else {}


async def _through_keyword(
    kb: KnowledgeBase,
    embedding: asyncio.Future[Vector],
    terms: Sequence[str],
    codes: Sequence[str],
    count: int,
    exclude: Collection[str],
    more: asyncio.Future[list[str]],
) -> tuple[KeywordHits, list[str], dict[str, float], dict[str, float]]:
    """Return keyword hits, exact matches, and BM25 and cosines of both and of `more`."""
    found = KeywordHits([], {}, 0)
    if terms:
        found = await kb.keyword_search(terms, count, exclude)
    exact = await kb.exact(codes, exclude) if codes else []
    scores = {hit.id: hit.score for hit in found.hits}
    others = [*exact, *await more]
    if terms and (unscored := [id_ for id_ in others if id_ not in scores]):
        scores |= await kb.keyword_scores(terms, unscored)
    ids = list(dict.fromkeys((*scores, *others)))
    return found, exact, scores, await cosines_of(kb, embedding, ids)


async def cosines_of(
    kb: KnowledgeBase, embedding: asyncio.Future[Vector], ids: Sequence[str]
) -> dict[str, float]:
    """Return the cosines of passages, 0 for each where the vector index can't be read."""
    if not ids:
        return {}
    try:
        vectors = await kb.passage_vectors(ids)
    except DenseUnavailable:
        vectors = None
    vector = await embedding
    if not vector.any():
        return {}
    return dict.fromkeys(ids, 0.0) if vectors is None else cosines(vectors, vector)


def ready(value: T) -> asyncio.Future[T]:
    """Return what is there already as something that is waited for."""
    waited: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    waited.set_result(value)
    return waited
