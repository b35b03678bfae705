"""One prepared document into the stores, in the order that a crash can't spoil."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from app.adapters.chunk_rows import PendingChunk
from app.adapters.keyword_sqlite import Indexed, searchable
from app.adapters.knowledge_base import Stores
from app.ingest.preparing import Prepared, embedded_text
from graphs.evidence.passages import Passage
from graphs.evidence.text import sentences
from graphs.ports import Matrix

_ROWS = 200
"""Chunks in one transaction."""
_TEXTS = 32
"""Texts embedded in one step: answering goes on between steps."""
_SENTENCES = 64


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes documents of one data folder; the caller holds the knowledge base's lock."""

    stores: Stores

    async def write(
        self, kb: str, prepared: Prepared, text: str, step: Callable[[int], None]
    ) -> None:
        """Store a new version beside the old one, switch it on, remove what fell out.

        `step` is called with the number of chunks that got their vectors.
        """
        revision = await asyncio.to_thread(self._stage, kb, prepared, text)
        for begin in range(0, len(prepared.passages), _ROWS):
            part = slice(begin, begin + _ROWS)
            await asyncio.to_thread(self._insert, kb, revision, prepared, part)
            await self.embed(kb, step)
        gone = await asyncio.to_thread(self._switch, kb, revision, prepared)
        await self.embed(kb, step)  # chunks kept under a changed title
        await asyncio.to_thread(self.stores.dense.delete, kb, gone)

    async def embed(self, kb: str, step: Callable[[int], None]) -> int:
        """Give every chunk without vectors its vectors; return how many there were."""
        done = 0
        while pending := await asyncio.to_thread(self.stores.chunks.pending, kb, _ROWS):
            texts, spans = _texts(pending)
            rows = await embed_in_steps(self.stores, texts)
            await asyncio.to_thread(self._save_vectors, kb, pending, rows, spans)
            done += len(pending)
            step(len(pending))
        return done

    def _stage(self, kb: str, prepared: Prepared, text: str) -> int:
        document = prepared.document
        with self.stores.database.write() as connection:
            self.stores.catalogue.touch(connection, kb, dirty=True)
            return self.stores.documents.stage(
                connection, kb, document.id, document.name, document.version, text
            )

    def _insert(self, kb: str, revision: int, prepared: Prepared, part: slice) -> None:
        """Add the chunks that no version of the document has yet, with their keyword rows."""
        chunks, keywords = self.stores.chunks, self.stores.keywords
        passages = prepared.passages[part]
        words = [_terms(passage) for passage in passages]  # slow: not inside the transaction
        with self.stores.database.write() as connection:
            known = chunks.numbers(connection, prepared.document.id)
            for passage, codes, terms in zip(passages, prepared.codes[part], words, strict=True):
                if passage.id not in known:
                    number = chunks.insert(connection, kb, revision, passage)
                    chunks.set_codes(connection, kb, number, codes)
                    keywords.add(connection, kb, number, terms)

    def _switch(self, kb: str, revision: int, prepared: Prepared) -> list[str]:
        """Make the new revision visible and return the ids of the chunks that it dropped."""
        chunks, keywords = self.stores.chunks, self.stores.keywords
        with self.stores.database.write() as connection:
            known = chunks.numbers(connection, prepared.document.id)
            for passage, codes in zip(prepared.passages, prepared.codes, strict=True):
                number = known.pop(passage.id)
                if chunks.adopt(connection, number, revision, passage):
                    keywords.add(connection, kb, number, _terms(passage))
                chunks.set_codes(connection, kb, number, codes)
            keywords.remove(connection, kb, known.values())
            chunks.remove(connection, known.values())
            self.stores.documents.switch(connection, prepared.document, revision)
            self.stores.vocabulary.set_phrases(connection, prepared.document.id, prepared.phrases)
            self.stores.catalogue.touch(connection, kb, dirty=True)
        return list(known)

    def _save_vectors(
        self, kb: str, pending: Sequence[PendingChunk], rows: Matrix, spans: Sequence[int]
    ) -> None:
        """Store the vectors, then flag the chunks: what is flagged has its vector."""
        heads = [sum(spans[:at]) for at in range(len(pending))]
        self.stores.dense.upsert(
            kb,
            [chunk.id for chunk in pending],
            [chunk.document_id for chunk in pending],
            rows[heads],
        )
        with self.stores.database.write() as connection:
            for chunk, head, count in zip(pending, heads, spans, strict=True):
                self.stores.chunks.mark_indexed(
                    connection, chunk.number, rows[head + 1 : head + count]
                )


async def embed_in_steps(stores: Stores, texts: Sequence[str]) -> Matrix:
    """Embed off the event loop in small steps, so that questions get their turn."""
    embedder = stores.embedder
    rows = embedder.embed([])
    parts = [
        await asyncio.to_thread(embedder.embed, texts[begin : begin + _TEXTS])
        for begin in range(0, len(texts), _TEXTS)
    ]
    return np.concatenate([rows, *parts])


def _texts(pending: Sequence[PendingChunk]) -> tuple[list[str], list[int]]:
    """Return all texts to embed and how many belong to each chunk: itself, then its sentences."""
    texts: list[str] = []
    spans: list[int] = []
    for chunk in pending:
        parts = [chunk.text[start:end] for start, end in sentences(chunk.text)[:_SENTENCES]]
        texts += [embedded_text(chunk.title, chunk.section, chunk.text), *parts]
        spans.append(1 + len(parts))
    return texts, spans


def _terms(passage: Passage) -> Indexed:
    return searchable(passage.title, passage.section, passage.text)
