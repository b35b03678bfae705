"""Files into a knowledge base: the batch, its report, and making everything anew."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import yaml
from pydantic import ValidationError

from app.adapters.catalogue_sqlite import KnowledgeBaseCard
from app.adapters.dense_chroma import FingerprintMismatch
from app.adapters.library import StoredLibrary, link_versions
from app.ingest.atoms import SplitLimits
from app.ingest.loading import MAX_BYTES, FileRejected, canonical_text, clean_name
from app.ingest.preparing import document_id, fingerprint, prepare, version_of
from app.ingest.repair import RepairReport, repair
from app.ingest.writing import Writer, embed_in_steps
from graphs.errors import StoreUnavailable, UnknownKnowledgeBase

logger = logging.getLogger(__name__)

_CARD = "kb.yaml"

Outcome = Literal["added", "changed", "unchanged", "failed", "settings"]
Measure = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Source:
    """One file: its name (a relative path counts as name) and its bytes."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class FileError:
    """Why a file was not taken, and how to mend that."""

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file. `settings` is the outcome of a `kb.yaml`."""

    name: str
    outcome: Outcome
    document_id: str | None = None
    chunks: int = 0
    error: FileError | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an ingest stands: files done of all, the current file, chunks embedded so far."""

    done: int
    total: int
    name: str
    chunks: int


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of a batch. `seconds` is wall time."""

    kb: str
    files: list[FileReport]
    seconds: float

    def count(self, outcome: Outcome) -> int:
        """Return how many files had this outcome."""
        return sum(report.outcome == outcome for report in self.files)

    @property
    def chunks(self) -> int:
        """Number of chunks of all files that were taken, changed or not."""
        return sum(report.chunks for report in self.files)


@dataclass
class _Batch:
    """Counts a running batch for its progress bar."""

    total: int
    report: Callable[[Progress], None] | None
    done: int = 0
    chunks: int = 0
    name: str = ""
    files: list[FileReport] = field(default_factory=list)

    def begin(self, name: str) -> None:
        self.name = name
        self._tell()

    def step(self, chunks: int) -> None:
        self.chunks += chunks
        self._tell()

    def end(self, report: FileReport) -> None:
        self.files.append(report)
        self.done += 1
        self._tell()

    def _tell(self) -> None:
        if self.report is not None:
            self.report(Progress(self.done, self.total, self.name, self.chunks))


class Indexer:
    """Writes into the knowledge bases of a library. One change of a knowledge base at a time."""

    def __init__(
        self,
        library: StoredLibrary,
        *,
        limits: SplitLimits | None = None,
        max_bytes: int = MAX_BYTES,
        measure_background: Measure | None = None,
    ) -> None:
        self._library = library
        self._stores = library.stores
        self._limits = limits or SplitLimits()
        self._max_bytes = max_bytes
        self._measure = measure_background
        self._made_with = fingerprint(self._limits, library.stores.embedder.fingerprint)
        self._writer = Writer(library.stores)

    async def ingest(
        self,
        kb: str,
        sources: Sequence[Source],
        progress: Callable[[Progress], None] | None = None,
    ) -> IngestReport:
        """Take files into a knowledge base, which is made if it is missing.

        A file that can't be taken is reported and does not stop the others. Raises
        InvalidKnowledgeBaseName, FingerprintMismatch and StoreUnavailable.
        """
        began = time.monotonic()
        known = kb in await asyncio.to_thread(self._stores.catalogue.names)
        await self._library.create(kb)
        batch = _Batch(len(sources), progress)
        async with self._library.writing(kb):
            await self._repair(kb)
            for source in sources:
                batch.begin(source.name)
                batch.end(await self._take(kb, source, batch.step))
            if any(report.outcome in {"added", "changed"} for report in batch.files):
                await self._finish(kb)
        if not known and batch.files and all(r.outcome == "failed" for r in batch.files):
            await self._library.delete(kb)  # nothing was taken: it must not look as if it existed
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

    async def reindex(
        self, kb: str, progress: Callable[[Progress], None] | None = None
    ) -> IngestReport:
        """Make a knowledge base anew from its canonical texts, with the embedder in use."""
        began = time.monotonic()
        if kb not in await asyncio.to_thread(self._stores.catalogue.names):
            raise UnknownKnowledgeBase(kb)
        async with self._library.writing(kb):
            await asyncio.to_thread(self._forget_vectors, kb)
            await self._repair(kb)
            documents = await asyncio.to_thread(self._stores.documents.all, kb)
            batch = _Batch(len(documents), progress)
            for document in documents:
                batch.begin(document.name)
                text = self._stores.documents.canonical_text(document.id, document.version)
                batch.end(await self._write(kb, document.name, text or "", "changed", batch.step))
            await self._finish(kb)
        return IngestReport(kb, batch.files, time.monotonic() - began)

    async def _take(self, kb: str, source: Source, step: Callable[[int], None]) -> FileReport:
        try:
            name = clean_name(source.name)
            if name.rsplit("/", 1)[-1] == _CARD:
                return await asyncio.to_thread(self._take_card, kb, name, source.data)
            text = await asyncio.to_thread(canonical_text, name, source.data, self._max_bytes)
        except FileRejected as error:
            reason = FileError(error.code, error.message, error.hint)
            return FileReport(source.name, "failed", error=reason)
        known = await asyncio.to_thread(self._stores.documents.one, kb, document_id(kb, name))
        if known and (known.version, known.fingerprint) == (version_of(text), self._made_with):
            return FileReport(name, "unchanged", known.id, known.chunks)
        return await self._write(kb, name, text, "changed" if known else "added", step)

    async def _write(
        self, kb: str, name: str, text: str, outcome: Outcome, step: Callable[[int], None]
    ) -> FileReport:
        prepared = await asyncio.to_thread(prepare, kb, name, text, self._limits, self._made_with)
        await self._writer.write(kb, prepared, text, step)
        return FileReport(name, outcome, prepared.document.id, len(prepared.passages))

    def _take_card(self, kb: str, name: str, data: bytes) -> FileReport:
        """Store a `kb.yaml`; raise FileRejected where it is not as described."""
        hint = "see the README for the fields of kb.yaml: description, contact, glossary, unrelated"
        try:
            content = yaml.safe_load(data.decode("utf-8-sig"))
            card = KnowledgeBaseCard.model_validate(content or {})
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
            raise FileRejected("invalid_card", "kb.yaml is not YAML in UTF-8", hint) from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the file"
            why = first["msg"].removeprefix("Value error, ")
            raise FileRejected("invalid_card", f"{where}: {why}", hint) from error
        with self._stores.database.write() as connection:
            self._stores.catalogue.save_card(connection, kb, card)
        return FileReport(name, "settings")

    async def _repair(self, kb: str) -> RepairReport:
        report = await repair(self._stores, self._writer, kb, self._limits, self._made_with)
        if report.changed:
            await self._finish(kb)
        return report

    async def _finish(self, kb: str) -> None:
        """Bring what spans documents up to date: phrases, versions, backgrounds."""
        stores = self._stores
        embedder = stores.embedder.fingerprint
        phrases = await asyncio.to_thread(stores.vocabulary.missing, kb, embedder)
        rows = await embed_in_steps(stores, phrases)

        def save() -> None:
            with stores.database.write() as connection:
                stores.vocabulary.save_vectors(connection, embedder, phrases, rows)
                stores.vocabulary.prune(connection)
            link_versions(stores, kb)

        await asyncio.to_thread(save)
        if self._measure is not None:
            await self._measure(kb)

    def _forget_vectors(self, kb: str) -> None:
        self._stores.dense.drop(kb)
        self._stores.dense.ensure(kb)
        with self._stores.database.write() as connection:
            self._stores.catalogue.touch(connection, kb, dirty=True)
            self._stores.chunks.unmark(connection, kb, None)
