"""Signatures of documents, and which documents say nearly the same."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from app.adapters.database import Database

_BUCKET = 30
"""Documents looked at in one band: of a form that was filled in a thousand times the first ones do."""


@dataclass(frozen=True, slots=True)
class Uncompared:
    """A document for which nobody knows yet whether an earlier one says nearly the same.

    `place` is its place in the order in which documents came.
    """

    id: str
    place: int
    version: str


@dataclass(frozen=True, slots=True)
class Signed:
    """A signed document; `family` is the id of its newest version."""

    id: str
    place: int
    family: str
    signature: bytes
    near_duplicate_of: str | None


class SignatureStore:
    """The tables of signatures and their bands. Writers open the transaction."""

    def __init__(self, database: Database, threshold: float) -> None:
        self._database = database
        self.threshold = threshold
        """Likeness from which two documents say nearly the same."""

    def uncompared(self, kb: str) -> list[Uncompared]:
        """Return the documents that are still to be compared, in the order in which they came."""
        sql = (
            "SELECT id, rowid AS place, version FROM documents "
            "WHERE kb = ? AND revision > 0 AND compared <> revision ORDER BY rowid"
        )
        with self._database.read() as connection:
            return [Uncompared(*row) for row in connection.execute(sql, (kb,))]

    def save(
        self,
        connection: sqlite3.Connection,
        kb: str,
        document: Uncompared,
        signature: bytes,
        bands: Sequence[int],
    ) -> None:
        """Replace a document's signature."""
        connection.execute("DELETE FROM signature_bands WHERE document_id = ?", (document.id,))
        connection.execute(
            "INSERT OR REPLACE INTO signatures(document_id, place, signature) VALUES (?, ?, ?)",
            (document.id, document.place, signature),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO signature_bands(kb, band, hash, place, document_id) "
            "VALUES (?, ?, ?, ?, ?)",
            [(kb, band, value, document.place, document.id) for band, value in enumerate(bands)],
        )

    def one(self, connection: sqlite3.Connection, document_id: str) -> Signed:
        """Return a document that was signed."""
        return Signed(
            *connection.execute(f"{_SIGNED} WHERE s.document_id = ?", (document_id,)).fetchone()
        )

    def sharing(
        self, connection: sqlite3.Connection, kb: str, bands: Sequence[int], document_id: str
    ) -> list[Signed]:
        """Return the first other documents that share a band."""
        found: dict[str, None] = {}
        for band, value in enumerate(bands):
            rows = connection.execute(
                "SELECT document_id FROM signature_bands WHERE kb = ? AND band = ? AND hash = ? "
                "ORDER BY place LIMIT ?",
                (kb, band, value, _BUCKET),
            )
            found.update((row["document_id"], None) for row in rows)
        found.pop(document_id, None)
        return [self.one(connection, key) for key in found]

    def decide(self, connection: sqlite3.Connection, document_id: str, near: str | None) -> None:
        """Store which earlier document says nearly the same, or that none does."""
        connection.execute(
            "UPDATE documents SET near_duplicate_of = ?, compared = revision WHERE id = ?",
            (near, document_id),
        )

    def copies(self, kb: str) -> dict[str, str]:
        """Return document id to the id of the earlier document that it says nearly the same as."""
        with self._database.read() as connection:
            rows = connection.execute(
                "SELECT id, near_duplicate_of FROM documents "
                "WHERE kb = ? AND near_duplicate_of IS NOT NULL",
                (kb,),
            )
            return {row["id"]: row["near_duplicate_of"] for row in rows}


_SIGNED = (
    "SELECT s.document_id, s.place, coalesce(d.superseded_by, d.id), s.signature, "
    "d.near_duplicate_of "
    "FROM signatures s JOIN documents d ON d.id = s.document_id"
)
