"""Reranking with what to do where a model fails: the default reranker stands in, and it is told."""

import asyncio
import logging
from collections.abc import Sequence

from graphs.errors import RerankerUnavailable
from graphs.evidence.calibration import calibrated, enough
from graphs.evidence.passages import Evidence
from graphs.evidence.text import words
from graphs.meter import Meter
from graphs.ports import (
    Candidate,
    KnowledgeBase,
    ListwiseReranker,
    Reranker,
    RerankQuery,
    Sigmoid,
    Vector,
)

_log = logging.getLogger(__name__)


async def request_of(kb: KnowledgeBase, text: str, vector: Vector) -> RerankQuery:
    """Return a query with what the knowledge base knows of its words."""
    info = await kb.info()
    return RerankQuery(text, vector, info.passages, await kb.document_frequency(words(text)))


async def scored_by(
    reranker: Reranker,
    standby: Reranker | None,
    kb: KnowledgeBase,
    query: RerankQuery,
    candidates: Sequence[Candidate],
    meter: Meter | None,
) -> list[float]:
    """Return calibrated scores, those of `standby` where the reranker fails."""
    try:
        return await _calibrated(reranker, kb, query, candidates)
    except RerankerUnavailable as error:
        if standby is None:
            raise
        _fell_back(error, meter)
        return await _calibrated(standby, kb, query, candidates)


async def reordered(
    listwise: ListwiseReranker, query: str, ranked: list[Evidence], meter: Meter
) -> list[Evidence]:
    """Return the model's order, or the given one where the model is of no use.

    The question is the judge; a query is one only where it is all there is.
    """
    try:
        return await listwise.rerank(meter.question or query, ranked, meter)
    except RerankerUnavailable as error:
        _fell_back(error, meter)
        return ranked


def _fell_back(error: RerankerUnavailable, meter: Meter | None) -> None:
    _log.warning("the default reranker stands in: %s", error)
    if meter is not None:
        meter.reranker_fallback = True


async def _calibrated(
    reranker: Reranker, kb: KnowledgeBase, query: RerankQuery, candidates: Sequence[Candidate]
) -> list[float]:
    raw = await asyncio.to_thread(reranker.score, query, candidates)
    sigmoid = await _sigmoid(kb, reranker)
    return [calibrated(score, sigmoid) for score in raw]


async def _sigmoid(kb: KnowledgeBase, reranker: Reranker) -> Sigmoid:
    background = await kb.background(reranker.fingerprint)
    if background is not None and enough(background):
        return reranker.calibrate(background)
    return reranker.shipped
