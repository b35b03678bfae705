"""`kb.sqlite`: one connection per thread, and transactions."""

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.adapters.schema import migrate
from graphs.errors import StoreUnavailable


class Database:
    """One SQLite file in WAL mode; readers and a writer in several processes get along."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._local = threading.local()
        self._all: list[_Lent] = []
        self._guard = threading.Lock()
        self._closed = False
        with self.read() as connection:
            migrate(connection)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Lend this thread's connection; an SQLite error becomes StoreUnavailable."""
        try:
            lent = self._lent()
            with lent.used:
                self._refuse_if_closed()
                yield lent.connection
        except sqlite3.Error as error:
            raise StoreUnavailable(f"kb.sqlite: {error}") from error

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Lend this thread's connection inside one transaction, rolled back on any error."""
        with self.read() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def close(self) -> None:
        """Close every connection once it is given back; the database can't be used afterwards.

        A worker that was left to itself may still read: a connection closed under it would take
        the whole process down.
        """
        self._closed = True
        with self._guard:
            for lent in self._all:
                with lent.used:
                    lent.connection.close()
            self._all.clear()

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreUnavailable("kb.sqlite: it was closed")

    def _lent(self) -> "_Lent":
        lent: _Lent | None = getattr(self._local, "lent", None)
        if lent is None:
            self._refuse_if_closed()
            connection = sqlite3.connect(
                self._path, timeout=30, isolation_level=None, check_same_thread=False
            )
            lent = _Lent(connection, threading.RLock())
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA busy_timeout=30000")
            self._local.lent = lent
            with self._guard:  # a close that came between has counted the others only
                self._refuse_if_closed()
                self._all.append(lent)
        return lent


@dataclass(frozen=True, slots=True)
class _Lent:
    """A thread's connection; `used` is held while the thread works with it."""

    connection: sqlite3.Connection
    used: threading.RLock


def mapped(
    connection: sqlite3.Connection, key: str, value: str, source: str, given: Sequence[object]
) -> dict[str, Any]:
    """Return `value` by `key`, a text, over the rows that `source` (FROM and WHERE) finds.

    SQLite makes them one JSON object in one step. Each step lends the interpreter to another
    thread, and twenty rows read one by one wait for it up to twenty times.
    """
    sql = f"SELECT json_group_object({key}, {value}) FROM {source}"
    found: dict[str, Any] = json.loads(connection.execute(sql, given).fetchone()[0])
    return found
