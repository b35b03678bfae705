"""The repair pass: what a killed process left half-done is finished or removed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from app.adapters.knowledge_base import Stores
from app.ingest.taking import Taker
from app.ingest.writing import Writer


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair pass did: documents finished, chunks embedded, stray vectors removed."""

    kb: str
    finished: int = 0
    embedded: int = 0
    removed: int = 0
    dirty: bool = False
    problem: str = ""
    """Why the pass could not run; the knowledge base is left as it is."""

    @property
    def changed(self) -> bool:
        """Tell whether what spans documents must be worked out anew."""
        return self.dirty or bool(self.finished or self.embedded or self.removed)


def silent(_: int) -> None:
    """Show no progress."""


async def repair(
    stores: Stores, writer: Writer, taker: Taker, kb: str, step: Callable[[int], None] = silent
) -> RepairReport:
    """Finish documents that were not switched on, give every chunk its vector, drop stray ones.

    A clean knowledge base costs two counts. The caller holds its lock.
    """
    dirty = await asyncio.to_thread(stores.catalogue.dirty, kb)
    strays = await asyncio.to_thread(_compare, stores, kb, dirty)
    finished = 0
    for left in await asyncio.to_thread(stores.documents.unfinished, kb):
        taken = await taker.stored(kb, left.document_id, left.name, left.version)
        await writer.write_all(kb, [taken.incoming], step)
        finished += 1
    embedded = await writer.embed(kb, step)
    return RepairReport(kb, finished, embedded, strays, dirty)


def _compare(stores: Stores, kb: str, dirty: bool) -> int:
    """Remove vectors without a chunk, take the flag from chunks without a vector."""
    chunks, flagged = stores.chunks.chunk_ids(kb)
    if not dirty and stores.dense.count(kb) == len(chunks) == len(flagged):
        return 0
    vectors = stores.dense.ids(kb)
    stray = sorted(vectors - chunks)
    stores.dense.delete(kb, stray)
    with stores.database.write() as connection:
        stores.chunks.unmark(connection, kb, flagged - vectors)
    return len(stray)
