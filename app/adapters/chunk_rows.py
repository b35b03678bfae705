"""Rows of the table of chunks as passages, and back."""

import json
import sqlite3
from dataclasses import dataclass
from functools import lru_cache

from graphs.evidence.instructions import VERSION, instructions
from graphs.evidence.passages import Passage

VISIBLE = "chunks c JOIN documents d ON d.id = c.document_id AND d.revision = c.revision"
PASSAGES = (
    "SELECT c.*, d.superseded_by, (d.near_duplicate_of IS NOT NULL OR EXISTS "
    "(SELECT 1 FROM documents n WHERE n.near_duplicate_of = d.id)) AS near_duplicates "
    f"FROM {VISIBLE}"
)


@dataclass(frozen=True, slots=True)
class PendingChunk:
    """A chunk that has no vectors yet."""

    number: int
    id: str
    document_id: str
    title: str
    section: tuple[str, ...]
    text: str
    lead: str = ""


@lru_cache(maxsize=8192)
def _listed(text: str) -> tuple[str, ...]:
    """Return a stored list of words; passages of one section hold the same text."""
    return tuple(json.loads(text))


def passage_of(row: sqlite3.Row) -> Passage:
    """Return the passage that a row of `PASSAGES` holds."""
    return Passage(
        id=row["id"],
        document_id=row["document_id"],
        title=row["title"],
        section=_listed(row["section"]),
        text=row["text"],
        start=row["start"],
        end=row["end"],
        version=row["version"],
        ordinal=row["ordinal"],
        content_hash=row["content_hash"],
        date=row["date"],
        page=row["page"],
        language=row["language"],
        kind=row["kind"],
        codes=_listed(row["codes"]),
        lead=row["lead"],
        turns=tuple(json.loads(row["turns"])) if row["turns"] != "[]" else (),
        orders=_orders(row["orders"], row["text"]),
        superseded_by=row["superseded_by"],
        near_duplicates=bool(row["near_duplicates"]),
    )


def row_of(passage: Passage) -> dict[str, object]:
    """Return the columns of a passage by name."""
    return {
        "id": passage.id,
        "document_id": passage.document_id,
        "version": passage.version,
        "ordinal": passage.ordinal,
        "title": passage.title,
        "section": json.dumps(passage.section, ensure_ascii=False),
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "content_hash": passage.content_hash,
        "date": passage.date,
        "page": passage.page,
        "language": passage.language,
        "kind": passage.kind,
        "codes": json.dumps(passage.codes, ensure_ascii=False),
        "lead": passage.lead,
        "turns": json.dumps(passage.turns),
        "orders": f"{VERSION}:{json.dumps(instructions(passage.text))}",
    }


def _orders(stored: str | None, text: str) -> tuple[tuple[int, int], ...]:
    """Return the stored orders of a text, or look for them where older rules or none did."""
    version, _, found = (stored or "").partition(":")
    if version != str(VERSION):
        return instructions(text)
    return tuple((start, end) for start, end in json.loads(found)) if found != "[]" else ()


def pending_of(row: sqlite3.Row) -> PendingChunk:
    """Return what is embedded of a row."""
    return PendingChunk(
        number=row["number"],
        id=row["id"],
        document_id=row["document_id"],
        title=row["title"],
        section=_listed(row["section"]),
        text=row["text"],
        lead=row["lead"],
    )
