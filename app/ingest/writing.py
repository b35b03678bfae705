"""Prepared documents into the stores, in the order that a crash can't spoil."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from app.adapters.chunk_rows import PendingChunk
from app.adapters.documents_sqlite import VersionText
from app.adapters.keyword_sqlite import Indexed
from app.adapters.knowledge_base import Stores
from app.ingest import work
from app.ingest.converters.converted import Converted
from app.ingest.loading import TEXT_CONVERTER
from app.ingest.preparing import Prepared, embedded_text
from app.ingest.workers import Workers
from graphs.evidence.text import sentences
from graphs.ports import Matrix

ROWS = 200
"""Chunks in one transaction."""
_SENTENCES = 64
Step = Callable[[int], None]
"""Called with the number of chunks that got their vectors."""


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document on its way into the stores. `indexed` are the keyword rows of its first chunks."""

    prepared: Prepared
    version: VersionText
    indexed: list[Indexed] = field(default_factory=list)

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return len(self.prepared.passages)


class Writer:
    """Writes documents of one data folder; the caller holds the knowledge base's lock."""

    def __init__(self, stores: Stores, workers: Workers | None = None) -> None:
        self.stores = stores
        self._workers = workers or Workers(stores.embedder)

    async def write(self, kb: str, prepared: Prepared, text: str, step: Step) -> None:
        """Store one document whose text nothing converted; see `write_all`."""
        version = VersionText(Converted(text, markdown=False), "", TEXT_CONVERTER)
        await self.write_all(kb, [Incoming(prepared, version)], step)

    async def write_all(self, kb: str, documents: Sequence[Incoming], step: Step) -> None:
        """Store new versions beside the old ones, switch them on, remove what fell out.

        Several documents go through each stage together; they must be different ones, and small.
        """
        revisions = await asyncio.to_thread(self._stage, kb, documents)
        for document, revision in zip(documents, revisions, strict=True):
            for begin in range(0, document.chunks, ROWS):
                part = slice(begin, begin + ROWS)
                rows = document.indexed[part] or await self._workers.run(
                    work.index, document.prepared.passages[part]
                )
                await asyncio.to_thread(self._insert, kb, revision, document.prepared, part, rows)
                if document.chunks > ROWS:
                    await self.embed(kb, step)
        await self.embed(kb, step)
        gone = await asyncio.to_thread(self._switch, kb, revisions, documents)
        await self.embed(kb, step)  # chunks kept under a changed title
        await asyncio.to_thread(self.stores.dense.delete, kb, gone)

    async def embed(self, kb: str, step: Step) -> int:
        """Give every chunk without vectors its vectors; return how many there were."""
        done = 0
        while pending := await asyncio.to_thread(self.stores.chunks.pending, kb, ROWS):
            texts, spans = await asyncio.to_thread(_texts, pending)
            rows = await self._workers.embed(texts)
            await asyncio.to_thread(self._save_vectors, kb, pending, rows, spans)
            done += len(pending)
            step(len(pending))
        return done

    def _stage(self, kb: str, documents: Sequence[Incoming]) -> list[int]:
        with self.stores.database.write() as connection:
            self.stores.catalogue.touch(connection, kb, dirty=True)
            return [
                self.stores.documents.stage(
                    connection, incoming.prepared.document, incoming.version
                )
                for incoming in documents
            ]

    def _insert(
        self, kb: str, revision: int, prepared: Prepared, part: slice, rows: Sequence[Indexed]
    ) -> None:
        """Add the chunks that no version of the document has yet, with their keyword rows."""
        chunks, keywords = self.stores.chunks, self.stores.keywords
        passages, codes_of = prepared.passages[part], prepared.codes[part]
        with self.stores.database.write() as connection:
            known = chunks.numbers(connection, prepared.document.id)
            for passage, codes, indexed in zip(passages, codes_of, rows, strict=True):
                if passage.id not in known:
                    number = chunks.insert(connection, kb, revision, passage)
                    chunks.set_codes(connection, kb, number, codes)
                    keywords.add(connection, kb, number, indexed)

    def _switch(
        self, kb: str, revisions: Sequence[int], documents: Sequence[Incoming]
    ) -> list[str]:
        """Make the new revisions visible and return the ids of the chunks that they dropped."""
        gone: list[str] = []
        with self.stores.database.write() as connection:
            for incoming, revision in zip(documents, revisions, strict=True):
                prepared = incoming.prepared
                chunks, keywords = self.stores.chunks, self.stores.keywords
                known = chunks.numbers(connection, prepared.document.id)
                for passage, codes in zip(prepared.passages, prepared.codes, strict=True):
                    number = known.pop(passage.id)
                    if chunks.adopt(connection, number, revision, passage):
                        keywords.add(connection, kb, number, work.index([passage])[0])
                    chunks.set_codes(connection, kb, number, codes)
                keywords.remove(connection, kb, known.values())
                chunks.remove(connection, known.values())
                self.stores.documents.switch(connection, prepared.document, revision)
                self.stores.vocabulary.set_phrases(
                    connection, prepared.document.id, prepared.phrases
                )
                gone += known
            self.stores.catalogue.touch(connection, kb, dirty=True)
        return gone

    def _save_vectors(
        self, kb: str, pending: Sequence[PendingChunk], rows: Matrix, spans: Sequence[int]
    ) -> None:
        """Store the vectors, then flag the chunks: what is flagged has its vector."""
        heads = [0, *np.cumsum(spans)[:-1].tolist()]
        self.stores.dense.upsert(
            kb,
            [chunk.id for chunk in pending],
            [chunk.document_id for chunk in pending],
            rows[heads],
        )
        with self.stores.database.write() as connection:
            for chunk, head, count in zip(pending, heads, spans, strict=True):
                self.stores.chunks.mark_indexed(
                    connection, chunk.number, rows[head], rows[head + 1 : head + count]
                )


def _texts(pending: Sequence[PendingChunk]) -> tuple[list[str], list[int]]:
    """Return all texts to embed and how many belong to each chunk: itself, then its sentences."""
    texts: list[str] = []
    spans: list[int] = []
    for chunk in pending:
        parts = [chunk.text[start:end] for start, end in sentences(chunk.text)[:_SENTENCES]]
        texts += [embedded_text(chunk.title, chunk.section, chunk.text, chunk.lead), *parts]
        spans.append(1 + len(parts))
    return texts, spans
