"""Documents, their versions and canonical texts."""

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass

from app.adapters.database import Database


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """One document as it stands: what its newest finished ingest found.

    `codes` are the document's own codes, `supersedes` those that it says it replaces; `updated`
    is Unix seconds; `fingerprint` names converter, splitter and embedder.
    """

    id: str
    kb: str
    name: str
    version: str
    title: str
    date: str | None
    language: str
    codes: tuple[str, ...]
    supersedes: tuple[str, ...]
    superseded_by: str | None
    chunks: int
    updated: float
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A document whose incoming version was not switched on before a crash."""

    document_id: str
    name: str
    version: str


class DocumentStore:
    """The tables of documents and versions. Writers open the transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self, kb: str) -> list[DocumentInfo]:
        """Return the documents of a knowledge base by name."""
        sql = f"{_DOCUMENTS} WHERE d.kb = ? AND d.revision > 0 ORDER BY d.name"
        with self._database.read() as connection:
            return [_document(row) for row in connection.execute(sql, (kb,))]

    def one(self, kb: str, document_id: str) -> DocumentInfo | None:
        """Return one document, or None."""
        sql = f"{_DOCUMENTS} WHERE d.kb = ? AND d.id = ? AND d.revision > 0"
        with self._database.read() as connection:
            row = connection.execute(sql, (kb, document_id)).fetchone()
        return _document(row) if row else None

    def counts(self, kb: str) -> tuple[int, int]:
        """Return how many documents and passages are visible."""
        sql = (
            "SELECT count(*), coalesce(sum((SELECT count(*) FROM chunks c "
            "WHERE c.document_id = d.id AND c.revision = d.revision)), 0) "
            "FROM documents d WHERE d.kb = :kb AND d.revision > 0"
        )
        with self._database.read() as connection:
            row = connection.execute(sql, {"kb": kb}).fetchone()
        return row[0], row[1]

    def canonical_text(self, document_id: str, version: str) -> str | None:
        """Return the text of one version, or None once it is gone."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT text FROM versions WHERE document_id = ? AND version = ?",
                (document_id, version),
            ).fetchone()
        return row["text"] if row else None

    def unfinished(self, kb: str) -> list[Unfinished]:
        """Return the documents that a killed ingest left half-written."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT id, name, incoming FROM documents WHERE kb = ? AND incoming IS NOT NULL",
                (kb,),
            ).fetchall()
        return [Unfinished(row["id"], row["name"], row["incoming"]) for row in rows]

    def stage(
        self, connection: sqlite3.Connection, kb: str, document_id: str, name: str,
        version: str, text: str,
    ) -> int:  # fmt: skip
        """Register an incoming version and return the revision that its chunks will have."""
        now = time.time()
        connection.execute(
            "INSERT INTO documents(id, kb, name, incoming, updated) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT(id) DO UPDATE SET incoming = excluded.incoming",
            (document_id, kb, name, version, now),
        )
        connection.execute(
            "INSERT OR IGNORE INTO versions(document_id, version, text, created) "
            "VALUES (?, ?, ?, ?)",
            (document_id, version, text, now),
        )
        row = connection.execute("SELECT revision FROM documents WHERE id = ?", (document_id,))
        return int(row.fetchone()["revision"]) + 1

    def switch(self, connection: sqlite3.Connection, document: DocumentInfo, revision: int) -> None:
        """Make the staged revision of a document the visible one."""
        connection.execute(
            "UPDATE documents SET revision = ?, incoming = NULL, version = ?, title = ?, date = ?, "
            "language = ?, codes = ?, supersedes = ?, fingerprint = ?, updated = ? WHERE id = ?",
            (revision, document.version, document.title, document.date, document.language,
             json.dumps(document.codes), json.dumps(document.supersedes), document.fingerprint,
             document.updated, document.id),
        )  # fmt: skip

    def supersede(self, connection: sqlite3.Connection, newest: Mapping[str, str | None]) -> None:
        """Store for each document id the id of its newest version, or None."""
        connection.executemany(
            "UPDATE documents SET superseded_by = ? WHERE id = ?",
            [(value, key) for key, value in newest.items()],
        )

    def remove(self, connection: sqlite3.Connection, document_id: str) -> None:
        """Delete a document with all versions and chunks."""
        connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))


_DOCUMENTS = (
    "SELECT d.*, (SELECT count(*) FROM chunks c WHERE c.document_id = d.id "
    "AND c.revision = d.revision) AS chunk_count FROM documents d"
)


def _document(row: sqlite3.Row) -> DocumentInfo:
    return DocumentInfo(
        id=row["id"],
        kb=row["kb"],
        name=row["name"],
        version=row["version"],
        title=row["title"],
        date=row["date"],
        language=row["language"],
        codes=tuple(json.loads(row["codes"])),
        supersedes=tuple(json.loads(row["supersedes"])),
        superseded_by=row["superseded_by"],
        chunks=row["chunk_count"],
        updated=row["updated"],
        fingerprint=row["fingerprint"],
    )
