"""The order of the candidates: the small ranker, what links taught, then feedback from the best."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence.feedback import fed_back, feedback_terms
from graphs.evidence.ranker import Ranker, features_of
from graphs.ports import Candidate, KnowledgeBase, RerankQuery, Vector
from graphs.retrieval.learning import gains


@dataclass(frozen=True, slots=True)
class Order:
    """One candidate: the ranker's score, and the number to sort by, the highest first."""

    score: float
    key: float


async def ordered(
    ranker: Ranker, kb: KnowledgeBase, query: RerankQuery, candidates: Sequence[Candidate]
) -> list[Order]:
    """Return the order of the candidates; the numbers mean nothing beyond this list."""
    ids = [candidate.passage.id for candidate in candidates]
    features, counts = await asyncio.gather(
        asyncio.to_thread(features_of, query, candidates), kb.passage_terms(ids)
    )
    terms = [counts.get(id_, {}) for id_ in ids]
    learned = await kb.learned()
    if learned is None:
        scores = ranker.score(features)
    else:
        scores = learned.score(features, await gains(kb, learned, query, candidates, terms))
        if not learned.feedback:
            return [Order(float(score), float(score)) for score in scores]
    best = sorted(range(len(ids)), key=lambda i: -scores[i])
    frequency = await kb.document_frequency(feedback_terms([terms[i] for i in best]))
    keys = fed_back(scores, terms, frequency, query.passages)
    return [Order(float(score), float(key)) for score, key in zip(scores, keys, strict=True)]


def meaning_of(candidate: Candidate) -> Vector | None:
    """Return the mean of a candidate's sentence vectors, unit length, or None without any."""
    if not len(candidate.sentence_vectors):
        return None
    mean = candidate.sentence_vectors.mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), dtype=np.float32)
