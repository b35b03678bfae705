"""What models said before, kept in `kb.sqlite`: the same call is not made twice.

Every row belongs to an owner and is never given to another one. A reply holds for one version of a
knowledge base: rows of another one go when documents change, so that nothing of a deleted document
stays here. A store that fails costs the saving and nothing else.
"""

import hashlib
import logging
import sqlite3
import time
from collections.abc import Mapping, Sequence

import numpy as np

from app.adapters.database import Database
from graphs.errors import StoreUnavailable
from graphs.ports import Vector

OWNER = "local"
"""Whose rows they are while the service knows no users."""
_MOST = 50_000
"""Rows of each kind; the longest unused ones leave first."""
_PRUNED = 100
"""New rows after which the number is looked at."""

_log = logging.getLogger(__name__)


class ModelCache:
    """Replies of chat models and vectors of embedders, with how often each was used again."""

    def __init__(self, database: Database, days: float, most: int = _MOST) -> None:
        self._database = database
        self._seconds = days * 86_400
        self._most = most
        self._added = 0

    def reply(self, owner: str, key: str) -> str | None:
        """Return what was said, and count it as used."""
        try:
            with self._database.read() as connection:  # a miss waits for no writer
                row = connection.execute(
                    "SELECT reply FROM model_replies WHERE owner = ? AND key = ? AND used > ?",
                    (owner, key, self._oldest()),
                ).fetchone()
            if row is not None:
                with self._database.write() as connection:
                    connection.execute(
                        "UPDATE model_replies SET hits = hits + 1, used = ? "
                        "WHERE owner = ? AND key = ?",
                        (time.time(), owner, key),
                    )
        except StoreUnavailable as error:
            _log.warning("a kept reply could not be read: %s", error)
            return None
        return str(row["reply"]) if row else None

    def keep_reply(self, owner: str, key: str, kb: str, version: int, reply: str) -> None:
        """Keep what was said of this version of a knowledge base, if it still is the present one."""
        try:
            with self._database.write() as connection:
                connection.execute(
                    "DELETE FROM model_replies WHERE kb = ? AND version <> "
                    "(SELECT generation FROM kbs WHERE name = kb)",
                    (kb,),
                )
                connection.execute(
                    "INSERT OR REPLACE INTO model_replies(owner, key, kb, version, reply, used) "
                    "SELECT ?, ?, name, generation, ?, ? FROM kbs WHERE name = ? AND generation = ?",
                    (owner, key, reply, time.time(), kb, version),
                )
                self._prune(connection, "model_replies", 1)
        except StoreUnavailable as error:
            _log.warning("a reply could not be kept: %s", error)

    def vectors(self, owner: str, embedder: str, texts: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of those texts that were embedded before, and count them as used."""
        hashes = {_hash(text): text for text in texts}
        where = f"owner = ? AND embedder = ? AND hash IN ({','.join('?' * len(hashes))})"
        given = (owner, embedder, *hashes)
        try:
            with self._database.read() as connection:
                rows = connection.execute(
                    f"SELECT hash, vector FROM embedded_texts WHERE {where} AND used > ?",
                    (*given, self._oldest()),
                ).fetchall()
            if rows:
                with self._database.write() as connection:
                    connection.execute(
                        f"UPDATE embedded_texts SET hits = hits + 1, used = ? WHERE {where}",
                        (time.time(), *given),
                    )
        except StoreUnavailable as error:
            _log.warning("kept vectors could not be read: %s", error)
            return {}
        return {hashes[row["hash"]]: np.frombuffer(row["vector"], np.float32) for row in rows}

    def keep_vectors(self, owner: str, embedder: str, vectors: Mapping[str, Vector]) -> None:
        """Keep the vectors of texts."""
        rows = [
            (owner, embedder, _hash(text), vector.astype(np.float32).tobytes(), time.time())
            for text, vector in vectors.items()
        ]
        try:
            with self._database.write() as connection:
                connection.executemany(
                    "INSERT OR REPLACE INTO embedded_texts(owner, embedder, hash, vector, used) "
                    "VALUES (?, ?, ?, ?, ?)",
                    rows,
                )
                self._prune(connection, "embedded_texts", len(rows))
        except StoreUnavailable as error:
            _log.warning("vectors could not be kept: %s", error)

    def counts(self, owner: str) -> dict[str, dict[str, int]]:
        """Return rows and hits of replies and of vectors of one owner."""
        found = {}
        with self._database.read() as connection:
            for name, table in (("replies", "model_replies"), ("vectors", "embedded_texts")):
                row = connection.execute(
                    f"SELECT count(*) AS rows, coalesce(sum(hits), 0) AS hits FROM {table} "
                    "WHERE owner = ?",
                    (owner,),
                ).fetchone()
                found[name] = {"rows": int(row["rows"]), "hits": int(row["hits"])}
        return found

    def _oldest(self) -> float:
        return time.time() - self._seconds

    def _prune(self, connection: sqlite3.Connection, table: str, added: int) -> None:
        """Every now and then remove what is too old or too much."""
        self._added += added
        if self._added < _PRUNED:
            return
        self._added = 0
        connection.execute(f"DELETE FROM {table} WHERE used <= ?", (self._oldest(),))
        connection.execute(
            f"DELETE FROM {table} WHERE rowid IN "
            f"(SELECT rowid FROM {table} ORDER BY used DESC LIMIT -1 OFFSET ?)",
            (self._most,),
        )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
