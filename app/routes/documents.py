"""Knowledge bases and their documents: listing, taking in, deleting."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Annotated, Any, BinaryIO

from fastapi import APIRouter, Query, Request
from fastapi import Path as PathParameter
from starlette.datastructures import UploadFile

from app.adapters.documents_sqlite import DocumentInfo
from app.deps import ServicesDep, SettingsDep
from app.errors import (
    InvalidRequest,
    TooLarge,
    UnknownDocument,
    UnsupportedContent,
    UploadInterrupted,
)
from app.ingest.reports import FileReport, IngestReport, Readable, Source
from app.resources import (
    DocumentListOut,
    DocumentOut,
    FileOut,
    IngestOut,
    KbListOut,
    KbOut,
    ProgressOut,
    moment,
)
from app.schemas import ErrorBody

router = APIRouter(prefix="/kb", tags=["documents"])

_MAX_FILES = 1000
_INGEST = "^[A-Za-z0-9_-]{1,64}$"
_REFUSALS = {"too_large": TooLarge, "unsupported_type": UnsupportedContent}
_REFUSALS |= dict.fromkeys(("binary_file", "wrong_type", "old_format"), UnsupportedContent)
_UPLOAD: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "One or several files as a form, or one file as it is with `?name=`.",
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "files": {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                        }
                    },
                }
            },
            "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
        },
    }
}


@dataclass(frozen=True, slots=True)
class _Upload:
    """A file of a form, which stays on disk until its turn comes."""

    name: str
    size: int
    file: BinaryIO

    def read(self) -> bytes:
        """Return the content."""
        self.file.seek(0)
        return self.file.read()


@asynccontextmanager
async def _sources(request: Request, name: str | None) -> AsyncIterator[Sequence[Readable]]:
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        if not name:
            raise InvalidRequest("A file that is sent as it is needs its name in ?name=.")
        yield [Source(name, await request.body())]
        return
    async with request.form(max_files=_MAX_FILES) as form:
        files = [part for _, part in form.multi_items() if isinstance(part, UploadFile)]
        if not files:
            raise InvalidRequest("The form holds no file.")
        yield [_Upload(file.filename or "", file.size or 0, file.file) for file in files]


def _file(report: FileReport) -> FileOut:
    error = report.error
    return FileOut(
        name=report.name,
        outcome=report.outcome,
        document_id=report.document_id,
        passages=report.chunks,
        error=ErrorBody(code=error.code, message=error.message, hint=error.hint) if error else None,
        near_duplicate_of=report.near_duplicate_of,
    )


def _refuse_if_all_failed(report: IngestReport) -> None:
    errors = [file.error for file in report.files if file.error is not None]
    if errors and len(errors) == len(report.files):
        kind = _REFUSALS.get(errors[0].code, InvalidRequest)
        raise kind(f"{report.files[0].name}: {errors[0].message}.", hint=f"{errors[0].hint}.")


def _document(info: DocumentInfo) -> DocumentOut:
    return DocumentOut(
        id=info.id,
        kb=info.kb,
        name=info.name,
        title=info.title,
        version=info.version,
        date=info.date,
        language=info.language,
        codes=list(info.codes),
        passages=info.chunks,
        superseded_by=info.superseded_by,
        near_duplicate_of=info.near_duplicate_of,
        updated_at=moment(info.updated),
    )


@router.get("")
async def list_knowledge_bases(services: ServicesDep, settings: SettingsDep) -> KbListOut:
    """List the knowledge bases."""
    found = [
        KbOut(
            name=info.name,
            documents=info.documents,
            passages=info.passages,
            description=info.description,
            contact=info.contact,
        )
        for info in await services.library.list()
    ]
    return KbListOut(knowledge_bases=found, default=settings.default_kb)


@router.delete("/{kb}", status_code=204)
async def delete_knowledge_base(kb: str, services: ServicesDep) -> None:
    """Delete a knowledge base with everything in it."""
    await services.library.delete(kb)


@router.post("/{kb}/documents", openapi_extra=_UPLOAD)
async def upload_documents(
    kb: str,
    request: Request,
    services: ServicesDep,
    name: Annotated[str | None, Query(max_length=400)] = None,
    ingest: Annotated[str | None, Query(pattern=_INGEST)] = None,
    more: bool = False,
) -> IngestOut:
    """Take files into a knowledge base, which is made if it is missing.

    A file that can't be taken is reported and does not stop the others; if none can be taken,
    the first one's reason is the error. An upload that names itself by `ingest` can be watched.
    With `more` the caller announces another request: key phrases, versions and near-duplicates
    are brought up to date after the last one, or after half a minute without one.
    """
    indexer = services.indexer
    show = indexer.board.writer(kb, ingest) if ingest else None
    try:
        async with _sources(request, name) as sources:
            report = await indexer.ingest(kb, sources, show, more)
    except asyncio.CancelledError as stopped:  # the server's patience with its requests is over
        raise UploadInterrupted("The service stopped before this upload was finished.") from stopped
    _refuse_if_all_failed(report)
    return IngestOut(
        kb=kb, files=[_file(file) for file in report.files], seconds=round(report.seconds, 3)
    )


@router.get("/{kb}/ingests/{ingest}")
async def get_progress(
    kb: str, ingest: Annotated[str, PathParameter(pattern=_INGEST)], services: ServicesDep
) -> ProgressOut:
    """Tell how far the newest upload of this name is."""
    at = services.indexer.board.read(kb, ingest)
    if at is None:
        raise UnknownDocument("No upload of this name has been seen in this knowledge base.")
    return ProgressOut(
        files_done=at.done,
        files=at.total,
        bytes_done=at.size,
        bytes=at.total_size,
        passages=at.chunks,
        file=at.name,
    )


@router.get("/{kb}/documents")
async def list_documents(kb: str, services: ServicesDep) -> DocumentListOut:
    """List the documents of a knowledge base."""
    documents: Sequence[DocumentInfo] = await services.library.documents(kb)
    return DocumentListOut(kb=kb, documents=[_document(info) for info in documents])


@router.get("/{kb}/documents/{document_id}")
async def get_document(kb: str, document_id: str, services: ServicesDep) -> DocumentOut:
    """Return what is known of one document."""
    info = await services.library.document(kb, document_id)
    if info is None:
        raise UnknownDocument("There is no document with this id in this knowledge base.")
    return _document(info)


@router.delete("/{kb}/documents/{document_id}", status_code=204)
async def delete_document(kb: str, document_id: str, services: ServicesDep) -> None:
    """Delete one document from every store."""
    if not await services.library.delete_document(kb, document_id):
        raise UnknownDocument("There is no document with this id in this knowledge base.")
