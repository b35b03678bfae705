"""How dense and keyword scores lie for pairs that have nothing to do with each other.

Ranking may compare z-scores: (score - mean) / deviation, with what is measured here. Stored beside
the rerankers' backgrounds, under the names that `graphs.ports` gives.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence

import numpy as np

from app.adapters.library import StoredLibrary
from graphs.evidence.fusion import keyword_ceiling
from graphs.evidence.passages import Passage
from graphs.evidence.text import query_terms, sentences
from graphs.ports import KEYWORD_SCORES, Background, Embedder, KnowledgeBase, dense_scores_name

_QUERIES = 24
_PER_QUERY = 40
_MIN_PASSAGES = 16
_SEED = 20260102
_LEAST_DEVIATION = 0.01

Measure = Callable[[str], Awaitable[None]]


def each(*measures: Measure) -> Measure:
    """Return what measures one thing after the other."""

    async def measure(kb: str) -> None:
        for one in measures:
            await one(kb)

    return measure


class ScoreMeter:
    """Measures cosines and BM25 shares of sentences against passages of other sections."""

    def __init__(self, library: StoredLibrary, embedder: Embedder) -> None:
        self._library = library
        self._embedder = embedder

    async def measure(self, kb: str) -> None:
        """Measure and store both; nothing for fewer than 16 passages or one undivided text."""
        found, _ = await asyncio.to_thread(self._library.stores.chunks.chunk_ids, kb)
        if len(found) < _MIN_PASSAGES:
            return
        opened, ids = await self._library.open(kb), sorted(found)
        chance = random.Random(_SEED)  # a reproducible sample
        cosines: list[float] = []
        shares: list[float] = []
        for _ in range(_QUERIES):
            drawn = chance.sample(ids, min(len(ids), _PER_QUERY + 1))
            passages = await opened.passages(drawn)
            if len(passages) < 2:
                continue
            text = _question(passages[0], chance)
            others = _unrelated(passages[0], passages[1:])
            cosines += await self._cosines(opened, text, others)
            shares += await _shares(opened, text, others)
        names = (dense_scores_name(self._embedder.fingerprint), KEYWORD_SCORES)
        for name, scores in zip(names, (cosines, shares), strict=True):
            if scores:
                deviation = max(_LEAST_DEVIATION, float(np.std(scores)))
                measured = Background(float(np.mean(scores)), deviation, len(scores))
                await self._library.save_background(kb, name, measured)

    async def _cosines(self, kb: KnowledgeBase, text: str, ids: Sequence[str]) -> list[float]:
        vector = (await asyncio.to_thread(self._embedder.embed, [text]))[0]
        return list((await kb.dense_scores(vector, ids)).values())


async def _shares(kb: KnowledgeBase, text: str, ids: Sequence[str]) -> list[float]:
    """Return BM25 divided by the query's own maximum, 0 for passages that hold no term."""
    terms = query_terms(text)
    info, frequency = await kb.info(), await kb.document_frequency(terms)
    ceiling = keyword_ceiling(info.passages, frequency.values())
    scores = await kb.keyword_scores(terms, ids)
    return [min(1.0, scores.get(id_, 0.0) / ceiling) for id_ in ids] if ceiling else []


def _question(passage: Passage, chance: random.Random) -> str:
    spans = sentences(passage.text) or [(0, len(passage.text))]
    start, end = chance.choice(spans)
    return passage.text[start:end][:200]


def _unrelated(source: Passage, others: Sequence[Passage]) -> list[str]:
    place = source.document_id, source.section
    return [other.id for other in others if (other.document_id, other.section) != place]
