"""What a knowledge base has learned, at work in a search: more candidates, and their order.

Everything it needs is in memory: neither the vector index nor the store is asked once more.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from graphs.evidence.learned import Asked, Floats, Learned, gains_of
from graphs.evidence.passages import Evidence
from graphs.evidence.text import query_terms
from graphs.ports import Candidate, KnowledgeBase, RerankQuery, Vector

_NEAREST = 20
"""Passages with known questions that the adapted question leads to."""


async def led_to(
    kb: KnowledgeBase, text: str, embedding: asyncio.Future[Vector], exclude: Collection[str]
) -> list[str]:
    """Return ids of passages that known questions lead to, those of the same question first.

    `embedding` becomes the question's vector; nothing waits for it where nothing was learned.
    """
    learned = await kb.learned()
    if learned is None or not (vector := await embedding).any():
        return []
    known = learned.expansion.known
    same = [
        known.passages[i] for i in known.same(text, vector) if known.documents[i] not in exclude
    ]
    nearest = learned.nearest(learned.adapter.apply(vector), _NEAREST, exclude)
    return list(dict.fromkeys((*same, *nearest)))


async def gains(
    kb: KnowledgeBase,
    learned: Learned,
    query: RerankQuery,
    candidates: Sequence[Candidate],
    terms: Sequence[Mapping[str, int]],
) -> Floats:
    """Return the gains of candidates, in the order of `learned.GAINS`.

    What the adapter changes about a passage without a known question is read from its sentences,
    whose vectors are at hand, in place of one more look into the vector index.
    """
    ids = [candidate.passage.id for candidate in candidates]
    plain = np.array([candidate.dense for candidate in candidates], dtype=np.float32)
    adapted, cosines = learned.adapter.apply(query.vector), plain
    if learned.adapter.rank:
        turned = adapted - query.vector
        cosines = plain + np.array([_along(each, turned) for each in candidates], dtype=np.float32)
    frequency = await kb.document_frequency(query_terms(query.text))
    asked = Asked(adapted, plain, cosines, frequency, query.passages)
    return gains_of(learned, asked, ids, terms)


async def confirmed(
    kb: KnowledgeBase, text: str, vector: Vector, ranked: Sequence[Evidence]
) -> list[Evidence]:
    """Mark the best passage of each document that somebody confirmed for this very question."""
    learned = await kb.learned()
    if learned is None:
        return list(ranked)
    known = learned.expansion.known
    left = {known.documents[i] for i in known.same(text, vector)}
    marked = []
    for item in ranked:
        if item.passage.document_id in left:
            left.remove(item.passage.document_id)
            item = replace(item, confirmed=True)
        marked.append(item)
    return marked


def _along(candidate: Candidate, turned: Vector) -> float:
    """Return how much nearer a passage is by what the adapter turned."""
    if not len(candidate.sentence_vectors):
        return 0.0
    mean = candidate.sentence_vectors.mean(axis=0)
    return float(mean @ turned) / max(float(np.linalg.norm(mean)), 1e-9)
