"""What a knowledge base has learned, at work in a search: more candidates, and their order."""

import contextlib
from collections.abc import Collection, Mapping, Sequence

import numpy as np

from graphs.errors import DenseUnavailable
from graphs.evidence.learned import Asked, Floats, Learned, gains_of
from graphs.evidence.text import query_terms
from graphs.ports import Candidate, KnowledgeBase, RerankQuery, Vector
from graphs.retrieval.doors import cosines_of

_NEAREST = 20
"""Passages that the adapted question leads to, of each kind."""


async def led_to(
    kb: KnowledgeBase, vector: Vector, exclude: Collection[str], known: Collection[str]
) -> list[str]:
    """Return ids of passages that known questions lead to and that are not `known` yet.

    The index is searched with the adapted question where that differs from the question.
    """
    learned = await kb.learned()
    if learned is None or not vector.any():
        return []
    adapted = learned.adapter.apply(vector)
    ids = learned.nearest(adapted, _NEAREST, exclude)
    if learned.adapter.rank:
        with contextlib.suppress(DenseUnavailable):  # the search has told it already
            ids += [hit.id for hit in await kb.dense(adapted, _NEAREST, exclude)]
    return [id_ for id_ in dict.fromkeys(ids) if id_ not in known]


async def gains(
    kb: KnowledgeBase,
    learned: Learned,
    query: RerankQuery,
    candidates: Sequence[Candidate],
    terms: Sequence[Mapping[str, int]],
) -> Floats:
    """Return the gains of candidates, in the order of `learned.GAINS`."""
    ids = [candidate.passage.id for candidate in candidates]
    plain = np.array([candidate.dense for candidate in candidates], dtype=np.float32)
    adapted, cosines = learned.adapter.apply(query.vector), plain.copy()
    if learned.adapter.rank:
        found = await cosines_of(kb, adapted, ids)
        cosines = np.array([found.get(id_, 0.0) for id_ in ids], dtype=np.float32)
    frequency = await kb.document_frequency(query_terms(query.text))
    asked = Asked(adapted, plain, cosines, frequency, query.passages)
    return gains_of(learned, asked, ids, terms)
