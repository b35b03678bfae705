"""`kb.sqlite`: one connection per thread, and transactions."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.adapters.schema import migrate
from graphs.errors import StoreUnavailable


class Database:
    """One SQLite file in WAL mode; readers and a writer in several processes get along."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._local = threading.local()
        self._all: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        with self.read() as connection:
            migrate(connection)

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """Lend this thread's connection; an SQLite error becomes StoreUnavailable."""
        try:
            yield self._connection()
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
        """Close every connection; the database can't be used afterwards."""
        with self._guard:
            for connection in self._all:
                connection.close()
            self._all.clear()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = sqlite3.connect(
                self._path, timeout=30, isolation_level=None, check_same_thread=False
            )
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA busy_timeout=30000")
            self._local.connection = connection
            with self._guard:
                self._all.append(connection)
        return connection
