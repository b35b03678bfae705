"""A pooled corpus as a real knowledge base, one passage per document, through the product's writer."""

import hashlib
import time
from collections.abc import Callable, Sequence

from app.adapters.documents_sqlite import DocumentInfo
from app.evaluation.datasets import Document
from app.ingest.atoms import SplitLimits
from app.ingest.indexing import Indexer
from app.ingest.preparing import Prepared, document_id, fingerprint, version_of
from app.ingest.versions import document_codes
from app.ingest.writing import Writer
from app.services import Services
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes, language, normalise

Step = Callable[[int, int], None]
"""Called with documents done and all documents."""


async def store(
    services: Services, kb: str, documents: Sequence[Document], step: Step
) -> dict[str, str]:
    """Write what the knowledge base lacks of the corpus; return passage id to document key.

    A knowledge base that holds something else, or was made with another embedder or splitter, is
    made anew.
    """
    library = services.library
    made_with = fingerprint(SplitLimits(), library.stores.embedder.fingerprint)
    prepared = [_prepare(kb, document, made_with) for document in documents]
    wanted = {one.document.id: one for one in prepared}
    await library.create(kb)
    known = await library.documents(kb)
    if any(not _same(info, wanted.get(info.id)) for info in known):
        await library.delete(kb)
        await library.create(kb)
        known = []
    have = {info.id for info in known}
    writer = Writer(library.stores)
    async with library.writing(kb):
        for at, (document, one) in enumerate(zip(documents, prepared, strict=True), start=1):
            if one.document.id not in have:
                await writer.write(kb, one, document.text, _ignore)
            step(at, len(documents))
    if len(have) < len(wanted):
        await _finish(services.indexer)
    return {
        one.passages[0].id: document.key for document, one in zip(documents, prepared, strict=True)
    }


async def _finish(indexer: Indexer) -> None:
    """Link versions and measure backgrounds: the repair pass does so where documents were written."""
    await indexer.repair()


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
