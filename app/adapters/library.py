"""All knowledge bases of one data folder: opening them for the graph, managing them for the doors."""

import asyncio
import re
from pathlib import Path

from app.adapters.calibrations_sqlite import (
    CalibrationRecord,
    CalibrationStore,
    StoredCalibration,
)
from app.adapters.catalogue_sqlite import Catalogue
from app.adapters.chunks_sqlite import ChunkStore
from app.adapters.database import Database
from app.adapters.dense_chroma import DenseIndex
from app.adapters.documents_sqlite import DocumentInfo, DocumentStore
from app.adapters.keyword_sqlite import KeywordIndex
from app.adapters.knowledge_base import StoredKnowledgeBase, Stores, describe
from app.adapters.old_texts import OldTexts
from app.adapters.signatures_sqlite import SignatureStore
from app.adapters.vocabulary_sqlite import VocabularyStore
from app.ingest.near_duplicates import compare_documents
from app.ingest.signatures import NEAR_DUPLICATE
from app.ingest.versions import newest_versions
from graphs.errors import DenseUnavailable, UnknownKnowledgeBase, YoujuError
from graphs.ports import Background, Embedder, KnowledgeBaseInfo

Documents = list[DocumentInfo]
Calibrations = list[StoredCalibration]
"""Named here: `StoredLibrary.list` hides the built-in name inside the class."""
_NAME = re.compile(r"[a-z0-9-]{2,40}")


class InvalidKnowledgeBaseName(YoujuError):
    """The name can't be a knowledge base."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"{name!r} can't name a knowledge base: use 2 to 40 of a-z, 0-9 and the hyphen"
        )


def check_name(name: str) -> None:
    """Raise InvalidKnowledgeBaseName unless `name` can be a knowledge base."""
    if not _NAME.fullmatch(name):
        raise InvalidKnowledgeBaseName(name)


class StoredLibrary:
    """The knowledge bases of one data folder (`graphs.ports.Library`).

    The caller holds the folder's `DataLock`: Chroma's files bear one process only.
    """

    def __init__(
        self, data_dir: Path, embedder: Embedder, near_duplicate: float = NEAR_DUPLICATE
    ) -> None:
        database = Database(data_dir / "kb.sqlite")
        self.stores = Stores(
            database=database,
            catalogue=Catalogue(database),
            documents=DocumentStore(database),
            chunks=ChunkStore(database),
            keywords=KeywordIndex(database),
            dense=DenseIndex(data_dir / "chroma", embedder),
            vocabulary=VocabularyStore(database),
            signatures=SignatureStore(database, near_duplicate),
            old_texts=OldTexts(database),
            calibrations=CalibrationStore(database),
            embedder=embedder,
        )
        self._opened: dict[str, StoredKnowledgeBase] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    def close(self) -> None:
        """Let go of the files."""
        self.stores.dense.close()
        self.stores.database.close()

    def writing(self, name: str) -> asyncio.Lock:
        """Return the lock that every change of this knowledge base takes."""
        return self._locks.setdefault(name, asyncio.Lock())

    async def open(self, name: str) -> StoredKnowledgeBase:
        """Return the knowledge base; raise UnknownKnowledgeBase or FingerprintMismatch."""
        await self._must_exist(name)
        opened = self._opened.get(name)
        if opened is None:
            try:
                await asyncio.to_thread(self.stores.dense.ensure, name)
            except DenseUnavailable:
                return StoredKnowledgeBase(name, self.stores)  # keyword search works; try again
            opened = self._opened.setdefault(name, StoredKnowledgeBase(name, self.stores))
        return opened

    async def list(self) -> list[KnowledgeBaseInfo]:
        """Return every knowledge base by name."""
        names = await asyncio.to_thread(self.stores.catalogue.names)
        return [await asyncio.to_thread(describe, self.stores, name) for name in names]

    async def create(self, name: str) -> None:
        """Make an empty knowledge base if there is none of this name."""
        check_name(name)
        await asyncio.to_thread(self._create, name)

    async def delete(self, name: str) -> None:
        """Remove a knowledge base with everything in it, or raise UnknownKnowledgeBase."""
        await self._must_exist(name)
        async with self.writing(name):
            await self.discard(name)

    async def discard(self, name: str) -> None:
        """Remove a knowledge base with everything in it; the caller holds `writing(name)`."""
        self._opened.pop(name, None)
        await asyncio.to_thread(self._delete, name)

    async def documents(self, kb: str) -> Documents:
        """Return the documents of a knowledge base by name."""
        await self._must_exist(kb)
        return await asyncio.to_thread(self.stores.documents.all, kb)

    async def document(self, kb: str, document_id: str) -> DocumentInfo | None:
        """Return one document, or None."""
        await self._must_exist(kb)
        return await asyncio.to_thread(self.stores.documents.one, kb, document_id)

    async def delete_document(self, kb: str, document_id: str) -> bool:
        """Remove a document from every store; tell whether there was one."""
        await self._must_exist(kb)
        async with self.writing(kb):
            return await asyncio.to_thread(self._delete_document, kb, document_id)

    async def save_background(self, kb: str, fingerprint: str, background: Background) -> None:
        """Store a reranker's background, measured over this knowledge base."""
        save = self.stores.vocabulary.save_background
        await asyncio.to_thread(save, kb, fingerprint, background)

    async def calibrations(self, kb: str) -> Calibrations:
        """Return what labels taught about a knowledge base, newest first, whatever the models."""
        await self._must_exist(kb)
        return await asyncio.to_thread(self.stores.calibrations.all, kb)

    async def save_calibration(self, kb: str, models: str, record: CalibrationRecord) -> None:
        """Store a calibration for the models of this key, in place of an earlier one."""
        await self._must_exist(kb)
        await asyncio.to_thread(self.stores.calibrations.save, kb, models, record)

    async def forget_calibrations(self, kb: str) -> None:
        """Drop all calibrations of a knowledge base."""
        await self._must_exist(kb)
        await asyncio.to_thread(self.stores.calibrations.remove, kb)

    async def _must_exist(self, name: str) -> None:
        if name not in await asyncio.to_thread(self.stores.catalogue.names):
            raise UnknownKnowledgeBase(name)

    def _create(self, name: str) -> None:
        with self.stores.database.write() as connection:
            self.stores.catalogue.add(connection, name)
            self.stores.keywords.create(connection, name)
        self.stores.dense.ensure(name)

    def _delete(self, name: str) -> None:
        with self.stores.database.write() as connection:
            self.stores.keywords.drop(connection, name)
            self.stores.catalogue.remove(connection, name)
            self.stores.vocabulary.prune(connection)
        self.stores.dense.drop(name)

    def _delete_document(self, kb: str, document_id: str) -> bool:
        stores = self.stores
        waiting = stores.catalogue.dirty(kb)
        with stores.database.write() as connection:
            owner = connection.execute(
                "SELECT 1 FROM documents WHERE id = ? AND kb = ?", (document_id, kb)
            ).fetchone()
            if owner is None:
                return False
            numbers = stores.chunks.numbers(connection, document_id)
            stores.keywords.remove(connection, kb, numbers.values())
            stores.documents.remove(connection, document_id)
            stores.vocabulary.prune(connection)
            stores.catalogue.touch(connection, kb, dirty=True)
        stores.dense.delete(kb, list(numbers))
        link_documents(stores, kb, dirty=waiting)
        return True


def link_documents(stores: Stores, kb: str, *, dirty: bool) -> None:
    """Work out which documents are versions or copies of which: the last step of every change.

    `dirty` says whether something else is left that the next start must finish.
    """
    newest = newest_versions(stores.documents.all(kb))
    with stores.database.write() as connection:
        stores.documents.supersede(connection, newest)
    compare_documents(stores, kb)
    with stores.database.write() as connection:
        stores.catalogue.touch(connection, kb, dirty=dirty)
