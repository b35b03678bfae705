"""Where passages stand in each index over the whole knowledge base, far below the candidates too."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from graphs.errors import DenseUnavailable
from graphs.evidence.fusion import cosines
from graphs.evidence.passages import Hit, Passage
from graphs.ports import KnowledgeBase
from graphs.retrieval.candidates import Query

BOUND = 1_000
"""Places of each index that are looked through."""
_SAME = 1e-5
"""Below this, two scores differ by rounding alone."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Places and scores of passages in both indexes.

    A passage without a place stands beyond `bound`; one without a score has nothing in common
    with the query there.
    """

    dense: Mapping[str, int]
    keyword: Mapping[str, int]
    dense_scores: Mapping[str, float]
    keyword_scores: Mapping[str, float]
    bound: int


async def ranks_of(
    kb: KnowledgeBase, query: Query, passages: Sequence[Passage], exclude: Collection[str]
) -> Ranks:
    """Return where `passages` stand for a query; an index that can't be read ranks nothing."""
    ids, bound = [passage.id for passage in passages], BOUND
    by_words = await kb.keyword(query.terms, bound, exclude) if query.terms else []
    word_scores = await kb.keyword_scores(query.terms, ids) if query.terms else {}
    try:
        nearest = await kb.dense(query.vector, bound, exclude)
        near = cosines(await kb.passage_vectors(ids), query.vector)
    except DenseUnavailable:
        nearest, near = [], {}
    dense, keyword = _places(near, nearest, bound), _places(word_scores, by_words, bound)
    return Ranks(dense, keyword, near, word_scores, bound)


def positions(hits: Sequence[Hit]) -> dict[str, int]:
    """Return the place of each hit, 1 for the first."""
    return {hit.id: at for at, hit in enumerate(hits, start=1)}


def _places(scores: Mapping[str, float], hits: Sequence[Hit], bound: int) -> dict[str, int]:
    """Return the places of scored passages among the hits of an index.

    The vector index finds nearly all neighbours, not all: one that it skipped gets its place by
    its score.
    """
    listed = positions(hits)
    lowest = hits[-1].score if len(hits) >= bound else -math.inf
    above = {
        id_: 1 + sum(hit.score > score + _SAME for hit in hits)
        for id_, score in scores.items()
        if score > lowest or id_ in listed
    }
    return {id_: listed.get(id_, place) for id_, place in above.items()}
