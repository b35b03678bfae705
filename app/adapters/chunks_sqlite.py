"""Chunks and their sentence vectors: the source of truth."""

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np

from app.adapters.chunk_rows import PASSAGES, VISIBLE, PendingChunk, passage_of, pending_of, row_of
from app.adapters.database import Database, mapped
from graphs.evidence.passages import Passage
from graphs.ports import Matrix, Vector

_PART = 500
"""Ids bound to one statement."""


class ChunkStore:
    """Reads and row-level writes. Writers open the transaction, since keyword rows share it.

    A chunk is visible when its revision is its document's: a new version is written beside the
    old one and switched on in one transaction, so readers see one or the other.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return visible passages in the order of `ids`; ids that are gone are left out."""
        found: dict[str, Passage] = {}
        with self._database.read() as connection:
            for part in _parts(ids):
                rows = connection.execute(f"{PASSAGES} WHERE c.id IN ({_marks(part)})", tuple(part))
                found.update((row["id"], passage_of(row)) for row in rows)
        return [found[key] for key in dict.fromkeys(ids) if key in found]

    def at(self, document_id: str, place: int) -> Passage | None:
        """Return the visible passage that holds a place of its document's canonical text."""
        sql = f'{PASSAGES} WHERE c.document_id = ? AND c.start <= ? AND c."end" > ? LIMIT 1'
        with self._database.read() as connection:
            row = connection.execute(sql, (document_id, place, place)).fetchone()
        return passage_of(row) if row else None

    def following(self, ids: Sequence[str], count: int) -> list[Passage]:
        """Return the next `count` passages after each of `ids`, without repeats or `ids`."""
        found: dict[str, Passage] = {}
        sql = (
            f"{PASSAGES} JOIN chunks o ON o.id = ? AND o.document_id = c.document_id "
            "AND o.revision = c.revision WHERE c.ordinal > o.ordinal ORDER BY c.ordinal LIMIT ?"
        )
        with self._database.read() as connection:
            for key in ids:
                for row in connection.execute(sql, (key, count)):
                    if row["id"] not in ids:
                        found.setdefault(row["id"], passage_of(row))
        return list(found.values())

    def visible(self, ids: Sequence[str], exclude: Collection[str]) -> set[str]:
        """Return those of `ids` that are visible and not in an excluded document."""
        found: set[str] = set()
        with self._database.read() as connection:
            for part in _parts(ids):
                source = (
                    f"{VISIBLE} WHERE c.id IN ({_marks(part)}) AND d.id NOT IN ({_marks(exclude)})"
                )
                found.update(mapped(connection, "c.id", "1", source, (*part, *exclude)))
        return found

    def documents_of(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the document id of each chunk."""
        found: dict[str, str] = {}
        with self._database.read() as connection:
            for part in _parts(ids):
                source = f"chunks WHERE id IN ({_marks(part)})"
                found |= mapped(connection, "id", "document_id", source, tuple(part))
        return found

    def with_codes(self, kb: str, codes: Sequence[str], exclude: Collection[str]) -> list[str]:
        """Return ids of passages with one of `codes`: in text or headings first, then by document."""
        if not codes:
            return []
        sql = (
            f"SELECT c.id, max(k.own) AS own FROM {VISIBLE} "
            "JOIN chunk_codes k ON k.number = c.number "
            f"WHERE k.kb = ? AND k.code IN ({_marks(codes)}) AND d.id NOT IN ({_marks(exclude)}) "
            "GROUP BY c.id ORDER BY own DESC, d.name, c.ordinal"
        )
        with self._database.read() as connection:
            return [row["id"] for row in connection.execute(sql, (kb, *codes, *exclude))]

    def sentence_vectors(self, ids: Sequence[str], dimension: int) -> dict[str, Matrix]:
        """Return float32 rows per passage, in the order of its sentences."""
        found: dict[str, Matrix] = {}
        sql = "SELECT c.id, s.vectors FROM chunks c JOIN sentence_vectors s ON s.number = c.number"
        with self._database.read() as connection:
            for part in _parts(ids):
                rows = connection.execute(f"{sql} WHERE c.id IN ({_marks(part)})", tuple(part))
                for row in rows:
                    flat = np.frombuffer(row["vectors"], dtype=np.float16).astype(np.float32)
                    found[row["id"]] = flat.reshape(-1, dimension)
        return found

    def passage_vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return float32 vectors; passages without one, or that wait for a new one, are left out."""
        found: dict[str, Vector] = {}
        sql = (
            "SELECT c.id, v.vector FROM chunks c JOIN passage_vectors v ON v.number = c.number "
            "WHERE c.indexed"
        )
        with self._database.read() as connection:
            for part in _parts(ids):
                for row in connection.execute(f"{sql} AND c.id IN ({_marks(part)})", tuple(part)):
                    half = np.frombuffer(row["vector"], dtype=np.float16)
                    found[row["id"]] = half.astype(np.float32)
        return found

    # Writing

    def numbers(self, connection: sqlite3.Connection, document_id: str) -> dict[str, int]:
        """Return the row numbers of all chunks of a document, visible or not, by id."""
        rows = connection.execute(
            "SELECT id, number FROM chunks WHERE document_id = ?", (document_id,)
        )
        return {row["id"]: row["number"] for row in rows}

    def insert(
        self, connection: sqlite3.Connection, kb: str, revision: int, passage: Passage
    ) -> int:
        """Add a chunk without vectors and return its row number."""
        cursor = connection.execute(
            "INSERT INTO chunks(id, kb, document_id, revision, version, ordinal, title, section, "
            'text, start, "end", content_hash, date, page, language, kind, codes, lead, turns, orders) VALUES '
            "(:id, :kb, :document_id, :revision, :version, :ordinal, :title, :section, :text, "
            ":start, :end, :content_hash, :date, :page, :language, :kind, :codes, :lead, :turns, :orders)",
            row_of(passage) | {"kb": kb, "revision": revision},
        )
        return int(cursor.lastrowid or 0)

    def adopt(
        self, connection: sqlite3.Connection, number: int, revision: int, passage: Passage
    ) -> bool:
        """Give an existing chunk its place in the new revision; tell whether its title changed.

        A changed title is searched and embedded too: the caller re-indexes the keyword row, and
        the vectors are made anew.
        """
        row = connection.execute("SELECT title, text FROM chunks WHERE number = ?", (number,))
        old = row.fetchone()
        changed = (old["title"], old["text"]) != (passage.title, passage.text)
        connection.execute(
            "UPDATE chunks SET revision = :revision, version = :version, ordinal = :ordinal, "
            'title = :title, text = :text, start = :start, "end" = :end, '
            "content_hash = :content_hash, date = :date, page = :page, language = :language, "
            "kind = :kind, codes = :codes, lead = :lead, turns = :turns, orders = :orders, "
            "indexed = CASE WHEN :changed THEN 0 ELSE indexed END "
            "WHERE number = :number",
            row_of(passage) | {"revision": revision, "number": number, "changed": changed},
        )
        return changed

    def set_codes(
        self, connection: sqlite3.Connection, kb: str, number: int, codes: Mapping[str, bool]
    ) -> None:
        """Store the codes of a chunk; True marks those of its own text or headings."""
        connection.execute("DELETE FROM chunk_codes WHERE number = ?", (number,))
        connection.executemany(
            "INSERT INTO chunk_codes(kb, code, number, own) VALUES (?, ?, ?, ?)",
            [(kb, code, number, int(own)) for code, own in codes.items()],
        )

    def remove(self, connection: sqlite3.Connection, numbers: Iterable[int]) -> None:
        """Delete chunk rows; their codes and sentence vectors go with them."""
        connection.executemany("DELETE FROM chunks WHERE number = ?", ((n,) for n in numbers))

    # Vectors still to be made

    def pending(self, kb: str, limit: int, after: int = 0) -> list[PendingChunk]:
        """Return chunks without vectors in row order, beginning after row `after`."""
        sql = (
            "SELECT number, id, document_id, title, section, text, lead FROM chunks "
            "WHERE kb = ? AND indexed = 0 AND number > ? ORDER BY number LIMIT ?"
        )
        with self._database.read() as connection:
            rows = connection.execute(sql, (kb, after, limit)).fetchall()
        return [pending_of(row) for row in rows]

    def mark_indexed(
        self, connection: sqlite3.Connection, number: int, passage: Vector, sentences: Matrix
    ) -> None:
        """Store the vectors of a chunk and of its sentences, and flag it."""
        connection.execute(
            "INSERT OR REPLACE INTO sentence_vectors(number, vectors) VALUES (?, ?)",
            (number, sentences.astype(np.float16).tobytes()),
        )
        connection.execute(
            "INSERT OR REPLACE INTO passage_vectors(number, vector) VALUES (?, ?)",
            (number, passage.astype(np.float16).tobytes()),
        )
        connection.execute("UPDATE chunks SET indexed = 1 WHERE number = ?", (number,))

    def unmark(self, connection: sqlite3.Connection, kb: str, ids: Collection[str] | None) -> None:
        """Take the flag from `ids`, or from every chunk of the knowledge base."""
        if ids is None:
            connection.execute("UPDATE chunks SET indexed = 0 WHERE kb = ?", (kb,))
        else:
            connection.executemany(
                "UPDATE chunks SET indexed = 0 WHERE kb = ? AND id = ?", ((kb, i) for i in ids)
            )

    def chunk_ids(self, kb: str) -> tuple[set[str], set[str]]:
        """Return the ids of all chunks and of those flagged as indexed."""
        with self._database.read() as connection:
            rows = connection.execute("SELECT id, indexed FROM chunks WHERE kb = ?", (kb,))
            flags = {row["id"]: bool(row["indexed"]) for row in rows}
        return set(flags), {key for key, indexed in flags.items() if indexed}


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for begin in range(0, len(ids), _PART):
        yield ids[begin : begin + _PART]
