"""The canonical text that citations point into."""

import asyncio
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Header, Query
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel

from app.deps import ServicesDep
from app.document_text import LIMIT, Excerpt, TextGone, excerpt
from app.schemas import ErrorBody, ErrorOut

router = APIRouter(prefix="/kb", tags=["documents"])

_PLAIN = "text/plain; charset=utf-8"


class TextOut(BaseModel):
    """A part of a document's canonical text. Places count Unicode code points in that text."""

    document_id: str
    title: str
    version: str
    newest_version: str
    superseded: bool
    """A newer version or a newer document has taken its place."""
    start: int
    end: int
    total: int
    """Length of the whole text."""
    next: int | None
    """Where to go on reading, or null at the end of the text."""
    section: list[str]
    """Headings over the first character."""
    page: int | None
    """The page or slide of the first character, where the format has pages."""
    text: str


class TextGoneBody(ErrorBody):
    """The text is gone; what can be read instead, both null where the document was deleted."""

    newest_version: str | None
    url: str | None


class TextGoneOut(BaseModel):
    """The error of a text that is not kept any more."""

    error: TextGoneBody


_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": TextOut,
        "description": "The text; with `Accept: text/plain` nothing but the text itself, what is "
        "known of it in `X-Text-*` headers and the next part in `Link`.",
        "content": {"text/plain": {"schema": {"type": "string"}}},
    },
    400: {"model": ErrorOut, "description": "The places lie outside the text."},
    404: {"model": ErrorOut, "description": "There is no such knowledge base or document."},
    410: {
        "model": TextGoneOut,
        "description": "This version is not kept any more, or the document was deleted.",
    },
}

Place = Annotated[int, Query(ge=0, description="Code points from the beginning of the text.")]
EndPlace = Annotated[
    int | None,
    Query(ge=0, description=f"The place after the last code point; at most {LIMIT} after start."),
]
Version = Annotated[
    str | None,
    Query(pattern="^[0-9A-Za-z]{1,64}$", description="As a citation names it; else the newest."),
]


@router.get("/{kb}/documents/{document_id}/text", response_model=None, responses=_RESPONSES)
async def get_text(
    kb: str,
    document_id: str,
    services: ServicesDep,
    start: Place = 0,
    end: EndPlace = None,
    version: Version = None,
    accept: Annotated[str, Header(include_in_schema=False)] = "",
) -> Response:
    """Return exactly the text between two code points of a document's canonical text.

    A version that a newer one replaced can be read as long as an answer of a kept thread cites it.
    """
    await services.library.document(kb, document_id)  # the knowledge base must exist
    stores = services.library.stores
    try:
        found = await asyncio.to_thread(excerpt, stores, kb, document_id, version, start, end)
    except TextGone as gone:
        return _gone(kb, document_id, gone)
    return _plain(kb, found) if _wants_plain(accept) else JSONResponse(_json(found).model_dump())


def _wants_plain(accept: str) -> bool:
    kinds = [part.partition(";")[0].strip().lower() for part in accept.split(",")]
    return "text/plain" in kinds and "application/json" not in kinds


def _next(found: Excerpt) -> int | None:
    return found.end if found.end < found.total else None


def _json(found: Excerpt) -> TextOut:
    return TextOut(
        document_id=found.document.id,
        title=found.document.title,
        version=found.version,
        newest_version=found.document.version,
        superseded=found.superseded,
        start=found.start,
        end=found.end,
        total=found.total,
        next=_next(found),
        section=list(found.section),
        page=found.page,
        text=found.text,
    )


def _plain(kb: str, found: Excerpt) -> Response:
    headers = {
        "X-Text-Version": found.version,
        "X-Text-Start": str(found.start),
        "X-Text-End": str(found.end),
        "X-Text-Total": str(found.total),
        "X-Text-Superseded": str(found.superseded).lower(),
    }
    after = _next(found)
    if after is not None:
        where = f"{_url(kb, found.document.id)}?start={after}&version={found.version}"
        headers["Link"] = f'<{where}>; rel="next"'
    return PlainTextResponse(found.text, headers=headers, media_type=_PLAIN)


def _gone(kb: str, document_id: str, gone: TextGone) -> Response:
    body = TextGoneBody(
        code="text_gone",
        message=str(gone),
        hint=(
            "Read the newest version at url; places may have moved there."
            if gone.newest
            else "The answers that cited it still hold the quotes."
        ),
        newest_version=gone.newest,
        url=f"{_url(kb, document_id)}?version={gone.newest}" if gone.newest else None,
    )
    return JSONResponse(TextGoneOut(error=body).model_dump(), 410)


def _url(kb: str, document_id: str) -> str:
    return f"/kb/{quote(kb, safe='')}/documents/{quote(document_id, safe='')}/text"
