"""Questions with their candidates, as the learned order reads them."""

import asyncio
from collections.abc import Collection
from dataclasses import replace

import numpy as np

from app.adapters.knowledge_base import StoredKnowledgeBase
from app.learning.fitting import Example
from graphs.evidence.learned import Adapter, Learned
from graphs.evidence.ranker import features_of
from graphs.retrieval.hybrid import HybridSearch
from graphs.retrieval.learning import gains
from graphs.retrieval.reranking import request_of


async def example(
    search: HybridSearch,
    kb: StoredKnowledgeBase,
    learned: Learned,
    question: str,
    documents: Collection[str],
) -> Example:
    """Return a question as it looks to someone who has learned this and not the question itself."""
    taught = kb.taught(learned)
    profile = search.policy.initial
    pool = await search.gather(taught, question, profile)
    candidates = await search.read(taught, pool.scored)
    request = await request_of(taught, pool.query.text, pool.query.vector)
    features = await asyncio.to_thread(features_of, request, candidates)
    ids = [each.passage.id for each in candidates]
    counts = await taught.passage_terms(ids)
    terms = [counts.get(id_, {}) for id_ in ids]
    unadapted = replace(learned, adapter=Adapter.none(len(pool.query.vector)))
    with_it = await gains(taught, learned, request, candidates, terms)
    without = await gains(taught, unadapted, request, candidates, terms)
    owners = tuple(each.passage.document_id for each in candidates)
    return Example(
        np.concatenate((features, with_it), axis=1),
        np.concatenate((features, without), axis=1),
        np.array([owner in documents for owner in owners], dtype=np.float32),
        owners,
    )
