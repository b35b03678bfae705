"""A pooled corpus as a real knowledge base, one passage per document, through the product's writer."""

import asyncio
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from app.adapters.documents_sqlite import DocumentInfo, VersionText
from app.adapters.library import StoredLibrary
from app.evaluation.datasets import Document
from app.evaluation.vectors import KeptVectors
from app.ingest.atoms import SplitLimits
from app.ingest.converters.converted import Converted
from app.ingest.editions import document_codes
from app.ingest.indexing import Indexer
from app.ingest.loading import TEXT_CONVERTER
from app.ingest.preparing import Prepared, document_id, fingerprint, version_of
from app.ingest.writing import Incoming, Writer
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes, language, normalise
from graphs.ports import KnowledgeBase, Vector

_GROUP = 64
"""Documents that are written together."""


class Stored(Protocol):
    """The opened stores of a data folder."""

    @property
    def library(self) -> StoredLibrary:
        """All knowledge bases."""
        ...

    @property
    def indexer(self) -> Indexer:
        """Brings an index in order after writing."""
        ...


Step = Callable[[int, int], None]
"""Called with documents done and all documents."""


class CorpusStore:
    """Writes corpora into the knowledge bases of one data folder.

    Vectors are kept in a file of their own, so that a corpus which must be made anew for another
    splitting of words is not embedded again.
    """

    def __init__(self, services: Stored, vectors: Path) -> None:
        self._library = services.library
        self._indexer = services.indexer
        self._vectors = KeptVectors(services.library.stores.embedder, vectors)
        self._writer = Writer(replace(services.library.stores, embedder=self._vectors))

    def close(self) -> None:
        """Let go of the file of vectors."""
        self._vectors.close()

    async def vectors(self, kb: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        """Return the stored vectors of passages."""
        return await asyncio.to_thread(self._library.stores.dense.vectors, kb, ids)

    async def store(
        self, kb: str, documents: Sequence[Document], step: Step
    ) -> tuple[KnowledgeBase, dict[str, str]]:
        """Write what the knowledge base lacks; return it with passage id to document key.

        A knowledge base that holds something else, or was made with another embedder or splitter,
        is made anew.
        """
        made_with = fingerprint(SplitLimits(), self._vectors.fingerprint)
        prepared = {each.key: _prepare(kb, each, made_with) for each in documents}
        wanted = {one.document.id: one for one in prepared.values()}
        await self._library.create(kb)
        have = {info.id: info for info in await self._library.documents(kb)}
        if any(not _same(info, wanted.get(id_)) for id_, info in have.items()):
            await self._library.delete(kb)
            await self._library.create(kb)
            have = {}
        lacking = [each for each in documents if prepared[each.key].document.id not in have]
        async with self._library.writing(kb):
            for begin in range(0, len(lacking), _GROUP):
                group = lacking[begin : begin + _GROUP]
                incoming = [_incoming(prepared[each.key], each.text) for each in group]
                await self._writer.write_all(kb, incoming, _ignore)
                step(len(documents) - len(lacking) + begin + len(group), len(documents))
        if lacking:
            await self._indexer.repair()  # links versions and measures backgrounds after writing
        keys = {one.passages[0].id: key for key, one in prepared.items()}
        return await self._library.open(kb), keys


def _incoming(prepared: Prepared, text: str) -> Incoming:
    return Incoming(prepared, VersionText(Converted(text, markdown=False), "", TEXT_CONVERTER))


def _same(info: DocumentInfo, wanted: Prepared | None) -> bool:
    if wanted is None:
        return False
    made = wanted.document
    return (info.version, info.fingerprint, info.title) == (
        made.version,
        made.fingerprint,
        made.title,
    )


def _prepare(kb: str, document: Document, made_with: str) -> Prepared:
    """Return a document of one passage: splitting is not measured here.

    Its key phrases are left out: searching does not read them, and embedding them takes longer
    than everything else.
    """
    text, title = document.text, document.title
    info = DocumentInfo(
        id=document_id(kb, document.key),
        kb=kb,
        name=document.key,
        version=version_of(text),
        title=title,
        date=None,
        language=language(text[:20_000]),
        codes=tuple(document_codes(title)),
        supersedes=(),
        superseded_by=None,
        chunks=0,
        updated=time.time(),
        fingerprint=made_with,
    )
    section = (title,) if title else ()
    digest = hashlib.sha256("\x1f".join((info.id, *section, normalise(text))).encode()).hexdigest()
    passage = Passage(
        id=digest[:32],
        document_id=info.id,
        title=title,
        section=section,
        text=text,
        start=0,
        end=len(text),
        version=info.version,
        ordinal=0,
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        language=language(text),
        codes=info.codes,
    )
    own = dict.fromkeys((*codes(title), *codes(text)), True)
    return Prepared(info, [passage], [dict.fromkeys(info.codes, False) | own], {})


def _ignore(_: int) -> None:
    """Progress is counted by documents here, not by chunks."""
