"""What spans the documents of a knowledge base, brought up to date after a change."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from app.adapters.library import StoredLibrary, link_documents
from app.ingest.workers import Workers
from graphs.errors import YoujuError

logger = logging.getLogger(__name__)

Measure = Callable[[str], Awaitable[None]]
_PATIENCE = 30.0
"""Seconds without a further request after which an ingest of several requests counts as over."""


class Finisher:
    """Key phrases, versions, near-duplicates and the reranker's background."""

    def __init__(self, library: StoredLibrary, workers: Workers, measure: Measure | None) -> None:
        self._library = library
        self._workers = workers
        self._measure = measure
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def finish(self, kb: str) -> None:
        """Bring a knowledge base up to date; the caller holds its lock.

        Its last change of the stores takes the mark that asks the next start for a repair.
        """
        stores = self._library.stores
        embedder = stores.embedder.fingerprint
        phrases = await asyncio.to_thread(stores.vocabulary.missing, kb, embedder)
        rows = await self._workers.embed(phrases)

        def save() -> None:
            with stores.database.write() as connection:
                stores.vocabulary.save_vectors(connection, embedder, phrases, rows)
                stores.vocabulary.prune(connection)
            link_documents(stores, kb, dirty=False)

        await asyncio.to_thread(save)
        if self._measure is not None:
            await self._measure(kb)

    def expect_more(self, kb: str) -> None:
        """Put off finishing until more files came, or nobody sends any; the lock is held."""
        self._waiting[kb] = asyncio.create_task(self._finish_late(kb), name=f"finish {kb}")

    def more_came(self, kb: str) -> bool:
        """Tell whether finishing was put off, and put it into the caller's hands; likewise locked."""
        waiting = self._waiting.pop(kb, None)
        if waiting is not None:
            waiting.cancel()
        return waiting is not None

    def close(self) -> None:
        """Leave what was put off to the next start, which finds the mark."""
        for kb in list(self._waiting):
            self.more_came(kb)

    async def _finish_late(self, kb: str) -> None:
        await asyncio.sleep(_PATIENCE)
        async with self._library.writing(kb):
            if self._waiting.pop(kb, None) is None:
                return
            if kb in await asyncio.to_thread(self._library.stores.catalogue.names):
                try:
                    await self.finish(kb)
                except YoujuError:
                    logger.exception("knowledge base %s was not brought up to date", kb)
