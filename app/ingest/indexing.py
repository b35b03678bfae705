"""Files into a knowledge base: the batch from its files to its report, and making all anew."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from app.adapters.dense_chroma import FingerprintMismatch
from app.adapters.documents_sqlite import DocumentInfo
from app.adapters.library import StoredLibrary, check_name
from app.ingest.atoms import SplitLimits
from app.ingest.board import ProgressBoard
from app.ingest.finishing import Finisher, Measure
from app.ingest.grouping import Ready, grouped, in_turn
from app.ingest.loading import MAX_BYTES
from app.ingest.repair import RepairReport, repair, silent
from app.ingest.reports import Batch, FileReport, IngestReport, Progress, Readable
from app.ingest.taking import Taker
from app.ingest.workers import Workers
from app.ingest.writing import Step, Writer
from graphs.errors import StoreUnavailable, UnknownKnowledgeBase

logger = logging.getLogger(__name__)

Show = Callable[[Progress], None]
_CHUNK_BYTES = 600
"""About what a chunk takes in a file."""


class Indexer:
    """Writes into the knowledge bases of a library. One change of a knowledge base at a time.

    `workers` is the number of processes of a large ingest, 0 for one per processor.
    """

    def __init__(
        self,
        library: StoredLibrary,
        *,
        limits: SplitLimits | None = None,
        max_bytes: int = MAX_BYTES,
        measure_background: Measure | None = None,
        workers: int = 0,
    ) -> None:
        self.board = ProgressBoard()
        self._library = library
        self._stores = library.stores
        self._workers = Workers(library.stores.embedder, workers)
        self._taker = Taker(library.stores, self._workers, limits or SplitLimits(), max_bytes)
        self._writer = Writer(library.stores, self._workers)
        self._finisher = Finisher(library, self._workers, measure_background)

    def close(self) -> None:
        """End the worker processes; what waits for more files is left to the next start."""
        self._finisher.close()
        self._workers.close()

    async def ingest(
        self, kb: str, sources: Sequence[Readable], progress: Show | None = None,
        more: bool = False,
    ) -> IngestReport:  # fmt: skip
        """Take files into a knowledge base, which is made if it is missing.

        A file that can't be taken is reported and does not stop the others. With `more` the
        caller announces another call: what spans documents is brought up to date after that one.
        Raises InvalidKnowledgeBaseName, FingerprintMismatch and StoreUnavailable.
        """
        began = time.monotonic()
        check_name(kb)
        batch = Batch(len(sources), sum(source.size for source in sources), progress)
        self._workers.enter(batch.total_size)
        try:
            # made and removed under the lock: another call may be waiting to fill it
            async with self._library.writing(kb):
                known = kb in await asyncio.to_thread(self._stores.catalogue.names)
                await self._library.create(kb)
                await self._ingest(kb, sources, batch, more)
                if not known and all(r.outcome == "failed" for r in batch.files):
                    await self._library.discard(kb)  # it must not look as if it existed
        finally:
            self._workers.leave()
        return IngestReport(kb, batch.files, time.monotonic() - began)

    async def repair(self) -> list[RepairReport]:
        """Finish in every knowledge base what a crash left; call it when the service starts.

        One that can't be repaired (other embedder, unreadable index) is reported and left alone.
        """
        reports = []
        for kb in await asyncio.to_thread(self._stores.catalogue.names):
            async with self._library.writing(kb):
                try:
                    reports.append(await self._repair(kb))
                except (FingerprintMismatch, StoreUnavailable) as error:
                    logger.warning("knowledge base %s was not repaired: %s", kb, error)
                    reports.append(RepairReport(kb, problem=str(error)))
        return reports

    async def reindex(self, kb: str, progress: Show | None = None) -> IngestReport:
        """Make a knowledge base anew from its canonical texts, with the embedder in use.

        The progress counts chunks as sizes: once when they are embedded, once when they are written.
        """
        began = time.monotonic()
        if kb not in await asyncio.to_thread(self._stores.catalogue.names):
            raise UnknownKnowledgeBase(kb)
        async with self._library.writing(kb):
            documents = await asyncio.to_thread(self._stores.documents.all, kb)
            chunks = sum(document.chunks for document in documents)
            batch = Batch(len(documents), 2 * chunks, progress)
            self._workers.enter(_CHUNK_BYTES * chunks)
            try:
                await asyncio.to_thread(self._forget_vectors, kb)
                await self._repair(kb, batch.embedded)
                await self._write(kb, self._stored(kb, documents, batch), batch)
                await self._finisher.finish(kb)
            finally:
                self._workers.leave()
        return IngestReport(kb, batch.files, time.monotonic() - began)

    async def _ingest(self, kb: str, sources: Sequence[Readable], batch: Batch, more: bool) -> None:
        async def take(source: Readable) -> Ready:
            batch.begin(source.name)
            return source.size, await self._taker.take(kb, source)

        put_off = self._finisher.more_came(kb)
        if not put_off:
            await self._repair(kb)
        await self._write(kb, in_turn(sources, take, lambda: self._workers.ahead), batch)
        changed = any(report.outcome in {"added", "changed"} for report in batch.files)
        if more and (changed or put_off):
            self._finisher.expect_more(kb)
        elif changed or put_off:
            await self._finisher.finish(kb)
            batch.files = await asyncio.to_thread(self._name_copies, kb, batch.files)

    async def _stored(
        self, kb: str, documents: Sequence[DocumentInfo], batch: Batch
    ) -> AsyncGenerator[Ready, None]:
        for document in documents:
            batch.begin(document.name)
            taken = await self._taker.stored(kb, document.id, document.name, document.version)
            yield document.chunks, taken

    async def _write(
        self, kb: str, ready: AsyncGenerator[Ready | None, None], batch: Batch
    ) -> None:
        async with aclosing(grouped(ready)) as groups:
            async for group in groups:
                if group.taken:
                    each = group.size / max(group.chunks, 1)
                    await self._writer.write_all(
                        kb,
                        [one.incoming for one in group.taken],
                        lambda done, each=each: batch.step(done, done * each),  # type: ignore[misc]
                    )
                batch.end(group.reports, group.size)

    async def _repair(self, kb: str, step: Step = silent) -> RepairReport:
        report = await repair(self._stores, self._writer, self._taker, kb, step)
        if report.changed:
            await self._finisher.finish(kb)
        return report

    def _name_copies(self, kb: str, files: Sequence[FileReport]) -> list[FileReport]:
        """Add to the reports which documents say nearly the same as earlier ones."""
        copies = self._stores.signatures.copies(kb)
        named = []
        for file in files:
            original = copies.get(file.document_id or "")
            found = self._stores.documents.one(kb, original) if original else None
            named.append(replace(file, near_duplicate_of=found.name) if found else file)
        return named

    def _forget_vectors(self, kb: str) -> None:
        self._stores.dense.drop(kb)
        self._stores.dense.ensure(kb)
        with self._stores.database.write() as connection:
            self._stores.catalogue.touch(connection, kb, dirty=True)
            self._stores.chunks.unmark(connection, kb, None)
