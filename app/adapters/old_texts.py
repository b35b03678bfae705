"""What becomes of canonical texts that a newer one replaced, and of documents that were deleted.

A replaced text stays while an answer of a kept thread may point to it. A deleted document takes all
its texts along at once: who deletes it wants its words gone. Its id alone is kept, so that a link to
it can say that it is gone.
"""

import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass

from app.adapters.database import Database


@dataclass(frozen=True, slots=True)
class RetiredText:
    """A version that is not its document's newest any more; `retired` is Unix seconds."""

    document_id: str
    version: str
    retired: float


class OldTexts:
    """The versions that are not the newest, and the ids of deleted documents."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def retired(self) -> list[RetiredText]:
        """Return every version that a newer one replaced."""
        sql = "SELECT document_id, version, retired FROM versions WHERE retired IS NOT NULL"
        with self._database.read() as connection:
            return [RetiredText(*row) for row in connection.execute(sql)]

    def drop(self, texts: Sequence[RetiredText]) -> None:
        """Delete these texts, but none that has become, or is about to become, the newest again."""
        sql = (
            "DELETE FROM versions WHERE document_id = ? AND version = ? AND retired = ? "
            "AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = versions.document_id "
            "AND (d.version = versions.version OR d.incoming = versions.version))"
        )
        with self._database.write() as connection:
            connection.executemany(
                sql, [(text.document_id, text.version, text.retired) for text in texts]
            )

    def deleted(self, kb: str, document_id: str) -> bool:
        """Tell whether there was a document of this id that was deleted."""
        sql = "SELECT 1 FROM deleted_documents WHERE kb = ? AND id = ?"
        with self._database.read() as connection:
            return connection.execute(sql, (kb, document_id)).fetchone() is not None


def retire(connection: sqlite3.Connection, document_id: str, newest: str) -> None:
    """Note which version is the newest; a deleted document that came back is deleted no more."""
    connection.execute(
        "UPDATE versions SET retired = CASE WHEN version = ? THEN NULL ELSE "
        "coalesce(retired, ?) END WHERE document_id = ?",
        (newest, time.time(), document_id),
    )
    connection.execute("DELETE FROM deleted_documents WHERE id = ?", (document_id,))


def bury(connection: sqlite3.Connection, document_id: str) -> None:
    """Keep the id of a document that is about to be deleted."""
    connection.execute(
        "INSERT OR REPLACE INTO deleted_documents(id, kb, deleted) "
        "SELECT id, kb, ? FROM documents WHERE id = ? AND revision > 0",
        (time.time(), document_id),
    )
