"""A reranker's background: its raw scores for pairs that have nothing to do with each other."""

import asyncio
import random

import numpy as np

from app.adapters.library import StoredLibrary
from graphs.evidence.fusion import cosines
from graphs.evidence.text import sentences, words
from graphs.ports import Background, Candidate, Embedder, KnowledgeBase, Reranker, RerankQuery

PAIRS = 240
_MIN_PASSAGES = 16
_PER_QUERY = 12
_SEED = 20260101


class BackgroundMeter:
    """Measures a reranker over a knowledge base: sentences against passages of other sections."""

    def __init__(self, library: StoredLibrary, reranker: Reranker, embedder: Embedder) -> None:
        self._library = library
        self._reranker = reranker
        self._embedder = embedder

    async def measure(self, kb: str) -> None:
        """Measure and store the background; too small a knowledge base keeps the shipped values."""
        ids, _ = await asyncio.to_thread(self._library.stores.chunks.chunk_ids, kb)
        if len(ids) < _MIN_PASSAGES:
            return
        opened = await self._library.open(kb)
        raw = await self._scores(opened, sorted(ids))
        if not raw:
            return  # one text without headings: nothing in it is known to be unrelated
        background = Background(float(np.mean(raw)), float(np.std(raw)), len(raw))
        await self._library.save_background(kb, self._reranker.fingerprint, background)

    async def _scores(self, kb: KnowledgeBase, ids: list[str]) -> list[float]:
        chance = random.Random(_SEED)  # a reproducible sample
        info = await kb.info()
        raw: list[float] = []
        for _ in range(PAIRS // _PER_QUERY):
            source, *others = chance.sample(ids, min(len(ids), _PER_QUERY + 1))
            passages = await kb.passages([source, *others])
            spans = sentences(passages[0].text)
            start, end = chance.choice(spans) if spans else (0, len(passages[0].text))
            text = passages[0].text[start:end][:200]
            place = passages[0].document_id, passages[0].section
            unrelated = [p for p in passages[1:] if (p.document_id, p.section) != place]
            vector = (await asyncio.to_thread(self._embedder.embed, [text]))[0]
            frequency = await kb.document_frequency(words(text))
            dense = cosines(await kb.passage_vectors([p.id for p in unrelated]), vector)
            matrices = await kb.sentence_vectors([p.id for p in unrelated])
            empty = np.zeros((0, self._embedder.dimension), dtype=np.float32)
            pairs = [
                Candidate(p, dense.get(p.id, 0.0), 0.0, matrices.get(p.id, empty))
                for p in unrelated
            ]
            query = RerankQuery(text, vector, info.passages, frequency)
            raw.extend(await asyncio.to_thread(self._reranker.score, query, pairs))
        return raw
