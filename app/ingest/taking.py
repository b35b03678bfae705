"""One file on its way to the writer: read, compared with what is stored, converted, prepared."""

import asyncio
import hashlib
from dataclasses import dataclass

from app.adapters.documents_sqlite import DocumentInfo, VersionText
from app.adapters.knowledge_base import Stores
from app.ingest import work
from app.ingest.atoms import SplitLimits
from app.ingest.cards import is_card, read_card
from app.ingest.converters.converted import Converted
from app.ingest.loading import FileRejected, clean_name, convert, converter
from app.ingest.preparing import document_id, fingerprint, version_of
from app.ingest.reports import FileError, FileReport, Outcome, Readable
from app.ingest.workers import Workers
from app.ingest.writing import ROWS, Incoming
from graphs.errors import StoreUnavailable


@dataclass(frozen=True, slots=True)
class Taken:
    """A file that is ready to be written, with the report that it gets then."""

    incoming: Incoming
    report: FileReport


class Taker:
    """Takes files for a knowledge base up to the point where the stores change."""

    def __init__(
        self, stores: Stores, workers: Workers, limits: SplitLimits, max_bytes: int
    ) -> None:
        self._stores = stores
        self._workers = workers
        self._limits = limits
        self._max_bytes = max_bytes

    async def take(self, kb: str, source: Readable) -> Taken | FileReport:
        """Return what is to be written of a file, or its report where nothing is."""
        try:
            name = clean_name(source.name)
            data = await asyncio.to_thread(source.read)
            if is_card(name):
                return await asyncio.to_thread(self._take_card, kb, name, data)
            return await self._take_document(kb, name, data)
        except FileRejected as error:
            reason = FileError(error.code, error.message, error.hint)
            return FileReport(source.name, "failed", error=reason)

    async def stored(self, kb: str, document_id: str, name: str, version: str) -> Taken:
        """Prepare a stored version anew, with the settings in use; raise StoreUnavailable."""
        found = await asyncio.to_thread(self._stores.documents.version, document_id, version)
        if found is None:
            raise StoreUnavailable(f"the text of {name!r} in {kb!r} is gone; ingest it again")
        return await self.prepare(kb, name, found, "changed")

    async def prepare(self, kb: str, name: str, version: VersionText, outcome: Outcome) -> Taken:
        """Prepare a converted file."""
        made_with = self._made_with(version.converter)
        task = work.Task(kb, name, version.converted, self._limits, made_with)
        done = await self._workers.run(work.analyse, task, ROWS)
        incoming = Incoming(done.prepared, version, done.indexed)
        report = FileReport(name, outcome, done.prepared.document.id, incoming.chunks)
        return Taken(incoming, report)

    async def _take_document(self, kb: str, name: str, data: bytes) -> Taken | FileReport:
        made_with = self._made_with(converter(name))
        source_hash = hashlib.sha256(data).hexdigest()
        known = await asyncio.to_thread(self._stores.documents.one, kb, document_id(kb, name))
        current = known if known and known.fingerprint == made_with else None
        if current and current.source_hash == source_hash:
            return _unchanged(current)
        converted = await asyncio.to_thread(convert, name, data, self._max_bytes)
        if current is not None:
            same = await asyncio.to_thread(self._is_same, current, converted, source_hash)
            if same:
                return _unchanged(current)
        version = VersionText(converted, source_hash, converter(name))
        return await self.prepare(kb, name, version, "changed" if known else "added")

    def _is_same(self, known: DocumentInfo, converted: Converted, source_hash: str) -> bool:
        """Tell whether other bytes gave what is stored, and note that they did."""
        if known.version != version_of(converted.text):
            return False
        stored = self._stores.documents.version(known.id, known.version)
        if stored is None or stored.converted != converted:
            return False
        with self._stores.database.write() as connection:
            self._stores.documents.came_from(connection, known.id, known.version, source_hash)
        return True

    def _take_card(self, kb: str, name: str, data: bytes) -> FileReport:
        card = read_card(data)
        with self._stores.database.write() as connection:
            self._stores.catalogue.save_card(connection, kb, card)
        return FileReport(name, "settings")

    def _made_with(self, used: str) -> str:
        return fingerprint(self._limits, self._stores.embedder.fingerprint, used)


def _unchanged(known: DocumentInfo) -> FileReport:
    return FileReport(known.name, "unchanged", known.id, known.chunks)
