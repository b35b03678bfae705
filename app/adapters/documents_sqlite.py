"""Documents, their versions and canonical texts."""

import json
import sqlite3
import time
from collections.abc import Mapping
from dataclasses import dataclass

from app.adapters.database import Database
from app.adapters.old_texts import bury, retire
from app.ingest.converters.converted import Converted
from app.ingest.loading import is_markdown


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """One document as it stands: what its newest finished ingest found.

    `codes` are the document's own codes, `supersedes` those that it says it replaces; `updated`
    is Unix seconds; `fingerprint` names converter, splitter and embedder. `source_hash` is the
    sha256 of the file's bytes, empty where a version before 0.2 took it. `near_duplicate_of` is
    the id of an earlier document, not a version of this one, that says nearly the same.
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
    source_hash: str = ""
    near_duplicate_of: str | None = None


@dataclass(frozen=True, slots=True)
class VersionText:
    """A canonical text with all that its converter found, and where it came from."""

    converted: Converted
    source_hash: str
    converter: str


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

    def version(self, document_id: str, version: str) -> VersionText | None:
        """Return a version as it was converted, or None once it is gone."""
        sql = (
            "SELECT v.*, d.name FROM versions v JOIN documents d ON d.id = v.document_id "
            "WHERE v.document_id = ? AND v.version = ?"
        )
        with self._database.read() as connection:
            row = connection.execute(sql, (document_id, version)).fetchone()
        return _version(row) if row else None

    def unfinished(self, kb: str) -> list[Unfinished]:
        """Return the documents that a killed ingest left half-written."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT id, name, incoming FROM documents WHERE kb = ? AND incoming IS NOT NULL",
                (kb,),
            ).fetchall()
        return [Unfinished(row["id"], row["name"], row["incoming"]) for row in rows]

    def stage(
        self, connection: sqlite3.Connection, document: DocumentInfo, incoming: VersionText
    ) -> int:
        """Register an incoming version and return the revision that its chunks will have."""
        now = time.time()
        connection.execute(
            "INSERT INTO documents(id, kb, name, incoming, updated) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT(id) DO UPDATE SET incoming = excluded.incoming",
            (document.id, document.kb, document.name, document.version, now),
        )
        converted = incoming.converted
        connection.execute(
            "INSERT INTO versions(document_id, version, text, created, markdown, pages, title, "
            "date, source_hash, converter) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT(document_id, version) DO UPDATE SET markdown = excluded.markdown, "
            "pages = excluded.pages, title = excluded.title, date = excluded.date, "
            "source_hash = excluded.source_hash, converter = excluded.converter",
            (document.id, document.version, converted.text, now, converted.markdown,
             json.dumps(converted.pages), converted.title, converted.date,
             incoming.source_hash, incoming.converter),
        )  # fmt: skip
        row = connection.execute("SELECT revision FROM documents WHERE id = ?", (document.id,))
        return int(row.fetchone()["revision"]) + 1

    def came_from(
        self, connection: sqlite3.Connection, document_id: str, version: str, source_hash: str
    ) -> None:
        """Note that other bytes gave the same text, so that they are not converted again."""
        connection.execute(
            "UPDATE versions SET source_hash = ? WHERE document_id = ? AND version = ?",
            (source_hash, document_id, version),
        )

    def switch(self, connection: sqlite3.Connection, document: DocumentInfo, revision: int) -> None:
        """Make the staged revision of a document the visible one."""
        connection.execute(
            "UPDATE documents SET revision = ?, incoming = NULL, version = ?, title = ?, date = ?, "
            "language = ?, codes = ?, supersedes = ?, fingerprint = ?, updated = ? WHERE id = ?",
            (revision, document.version, document.title, document.date, document.language,
             json.dumps(document.codes), json.dumps(document.supersedes), document.fingerprint,
             document.updated, document.id),
        )  # fmt: skip
        retire(connection, document.id, document.version)
        _compare_again(connection, document.id)

    def supersede(self, connection: sqlite3.Connection, newest: Mapping[str, str | None]) -> None:
        """Store for each document id the id of its newest version, or None."""
        connection.executemany(
            "UPDATE documents SET superseded_by = :newest, compared = 0 "
            "WHERE id = :id AND superseded_by IS NOT :newest",
            [{"id": key, "newest": value} for key, value in newest.items()],
        )

    def remove(self, connection: sqlite3.Connection, document_id: str) -> None:
        """Delete a document with all versions and chunks."""
        _compare_again(connection, document_id)
        bury(connection, document_id)
        connection.execute("DELETE FROM documents WHERE id = ?", (document_id,))


_DOCUMENTS = (
    "SELECT d.*, v.source_hash, (SELECT count(*) FROM chunks c WHERE c.document_id = d.id "
    "AND c.revision = d.revision) AS chunk_count FROM documents d "
    "LEFT JOIN versions v ON v.document_id = d.id AND v.version = d.version"
)


def _compare_again(connection: sqlite3.Connection, document_id: str) -> None:
    """Forget what was said of the copies of a document that changes or goes."""
    connection.execute(
        "UPDATE documents SET near_duplicate_of = NULL, compared = 0 WHERE near_duplicate_of = ?",
        (document_id,),
    )


def _version(row: sqlite3.Row) -> VersionText:
    markdown = row["markdown"]
    converted = Converted(
        text=row["text"],
        markdown=is_markdown(row["name"]) if markdown is None else bool(markdown),
        pages=tuple(json.loads(row["pages"])),
        title=row["title"],
        date=row["date"],
    )
    return VersionText(converted, row["source_hash"], row["converter"])


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
        source_hash=row["source_hash"] or "",
        near_duplicate_of=row["near_duplicate_of"],
    )
