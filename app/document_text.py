"""Parts of a document's canonical text, of its newest version or of one that is still kept."""

from bisect import bisect_right
from dataclasses import dataclass

from app.adapters.documents_sqlite import DocumentInfo, VersionText
from app.adapters.knowledge_base import Stores
from app.errors import InvalidRequest, UnknownDocument
from app.ingest.blocks import blocks
from app.ingest.sections import Section, read_sections
from graphs.errors import YoujuError
from graphs.evidence.blocks import section_at

LIMIT = 100_000
"""Code points in one part."""


class TextGone(YoujuError):
    """The text is not kept any more; `newest` is the version to read instead, if there is one."""

    def __init__(self, message: str, newest: str | None) -> None:
        super().__init__(message)
        self.newest = newest


@dataclass(frozen=True, slots=True)
class Excerpt:
    """`text` is the canonical text of `version` from `start` to `end`, out of `total` code points.

    `section` and `page` are those of its first character; `page` counts from 1.
    """

    document: DocumentInfo
    version: str
    start: int
    end: int
    total: int
    text: str
    section: tuple[str, ...]
    page: int | None

    @property
    def superseded(self) -> bool:
        """Whether a newer version or a newer document has taken its place."""
        return self.version != self.document.version or self.document.superseded_by is not None


def excerpt(
    stores: Stores, kb: str, document_id: str, version: str | None, start: int, end: int | None
) -> Excerpt:
    """Return the text between two code points; without `end` as much as one part may hold.

    Raises UnknownDocument, TextGone, InvalidRequest for places outside the text. An unknown
    knowledge base is one without the document.
    """
    document = stores.documents.one(kb, document_id)
    if document is None:
        if stores.old_texts.deleted(kb, document_id):
            raise TextGone("This document was deleted, and its texts with it.", None)
        raise UnknownDocument("There is no document with this id in this knowledge base.")
    wanted = version or document.version
    stored = stores.documents.version(document_id, wanted)
    if stored is None:
        raise TextGone("This version of the document is not kept any more.", document.version)
    text = stored.converted.text
    end = _bounded(start, end, len(text))
    return Excerpt(
        document=document,
        version=wanted,
        start=start,
        end=end,
        total=len(text),
        text=text[start:end],
        section=_section(stores, document, wanted, stored, start),
        page=bisect_right(stored.converted.pages, start) or None,
    )


def _bounded(start: int, end: int | None, total: int) -> int:
    """Return where the part ends, or raise InvalidRequest."""
    hint = f"This text has {total} code points: 0 <= start <= end <= {total}."
    if start > total or (end is not None and end > total):
        raise InvalidRequest("The place lies outside the text.", hint=hint)
    if end is None:
        return min(total, start + LIMIT)
    if end < start:
        raise InvalidRequest("end lies before start.", hint=hint)
    if end - start > LIMIT:
        raise InvalidRequest(
            "That is too much at once.",
            hint=f"Ask for at most {LIMIT} code points; without end, `next` says where to go on.",
        )
    return end


def _section(
    stores: Stores, document: DocumentInfo, version: str, stored: VersionText, place: int
) -> tuple[str, ...]:
    if version == document.version:
        passage = stores.chunks.at(document.id, place)
        if passage is not None and passage.version == version:
            return section_at(passage, place - passage.start)
    # passages are kept of the newest version alone
    converted = stored.converted
    return _path(read_sections(blocks(converted.text, converted.markdown)), place)


def _path(section: Section, place: int) -> tuple[str, ...]:
    inside = [child for child in section.children if child.start <= place]
    return _path(inside[-1], place) if inside else section.path
