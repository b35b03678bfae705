"""What the keyword index knows of itself: tables, counts, lengths, and what is kept in memory."""

import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from app.adapters.database import Database, mapped
from app.adapters.postings import IndexState, Posting, read_posting

_SCHEMA = """
CREATE TABLE IF NOT EXISTS keyword_totals (
    kb TEXT PRIMARY KEY, rows INTEGER NOT NULL, tokens INTEGER NOT NULL, stamp INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS keyword_rows (
    kb TEXT NOT NULL, number INTEGER NOT NULL, length INTEGER NOT NULL, stamp INTEGER NOT NULL,
    PRIMARY KEY (kb, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS keyword_rows_stamp ON keyword_rows(kb, stamp);
"""
_LOOKED_UP = 500
"""Terms bound to one statement."""


class Tables(NamedTuple):
    """The tables of one knowledge base: the index, its terms, and every place of each term."""

    rows: str
    vocabulary: str
    places: str


def tables(kb: str) -> Tables:
    """Return the names of a knowledge base's tables.

    FTS5 adds `_data`, `_idx` and so on to the first: the fixed ends keep the tables of `ab` and
    of `ab-data` apart.
    """
    stem = f"kw_{kb.replace('-', '_')}"
    return Tables(f"{stem}_fts", f"{stem}_vocab", f"{stem}_places")


@dataclass(frozen=True, slots=True)
class Reading:
    """One consistent look at the index: everything is of the same change stamp."""

    connection: sqlite3.Connection
    state: IndexState
    tables: Tables

    def learn(self, tokens: Iterable[str]) -> None:
        """Look up in how many passages the tokens stand, where that is not known yet."""
        known = self.state.frequency
        missing = [token for token in dict.fromkeys(tokens) if token not in known]
        for begin in range(0, len(missing), _LOOKED_UP):
            part = missing[begin : begin + _LOOKED_UP]
            marks = ",".join("?" * len(part))
            source = f"{self.tables.vocabulary} WHERE term IN ({marks})"
            found = mapped(self.connection, "term", "doc", source, part)
            known.update((token, found.get(token, 0)) for token in part)

    def posting(self, token: str) -> Posting:
        """Return the posting list of a token."""
        return read_posting(self.connection, self.tables.places, self.state, token)


class KeywordStates:
    """Counts that change in the same transaction as the index, and one `IndexState` for each."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._states: dict[str, IndexState] = {}
        self._guard = threading.Lock()
        with database.read() as connection:
            connection.executescript(_SCHEMA)

    def create(self, connection: sqlite3.Connection, kb: str) -> None:
        """Make the tables of a knowledge base if they are missing, and count what they hold."""
        index, vocabulary, instances = tables(kb)
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {index} USING "
            'fts5(terms, tokenize="unicode61 remove_diacritics 0")'
        )
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {vocabulary} USING fts5vocab('{index}', 'row')"
        )
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {instances} USING fts5vocab('{index}', 'instance')"
        )
        counted = connection.execute("SELECT 1 FROM keyword_totals WHERE kb = ?", (kb,))
        if counted.fetchone() is None:
            self._count_all(connection, kb)

    def drop(self, connection: sqlite3.Connection, kb: str) -> None:
        """Remove the tables and counts of a knowledge base."""
        for table in reversed(tables(kb)):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        connection.execute("DELETE FROM keyword_rows WHERE kb = ?", (kb,))
        connection.execute("DELETE FROM keyword_totals WHERE kb = ?", (kb,))

    def count(self, connection: sqlite3.Connection, kb: str, number: int, length: int) -> None:
        """Take note of an added or replaced row."""
        self.forget(connection, kb, [number])
        connection.execute(
            "UPDATE keyword_totals SET rows = rows + 1, tokens = tokens + ? WHERE kb = ?",
            (length, kb),
        )
        connection.execute(
            "INSERT INTO keyword_rows(kb, number, length, stamp) "
            "SELECT kb, ?, ?, stamp FROM keyword_totals WHERE kb = ?",
            (number, length, kb),
        )

    def forget(self, connection: sqlite3.Connection, kb: str, numbers: Iterable[int]) -> None:
        """Take note of removed rows."""
        for number in numbers:
            connection.execute(
                "UPDATE keyword_totals SET stamp = stamp + 1, rows = rows - r.n, "
                "tokens = tokens - r.length FROM (SELECT count(*) AS n, coalesce(sum(length), 0) AS length "
                "FROM keyword_rows WHERE kb = :kb AND number = :number) r WHERE kb = :kb",
                {"kb": kb, "number": number},
            )
            connection.execute("DELETE FROM keyword_rows WHERE kb = ? AND number = ?", (kb, number))

    @contextmanager
    def reading(self, kb: str) -> Iterator[Reading]:
        """Lend one consistent look at the index of a knowledge base."""
        with self._database.read() as connection:
            if kb not in self._states:
                self._adopt(connection, kb)
            connection.execute("BEGIN")
            try:
                yield Reading(connection, self._state(connection, kb), tables(kb))
            finally:
                connection.execute("COMMIT")

    def stamp(self, kb: str) -> int:
        """Return the number that grows with every change of the index."""
        with self._database.read() as connection:
            return int(self._totals(connection, kb)["stamp"])

    def _adopt(self, connection: sqlite3.Connection, kb: str) -> None:
        """Count an index of an older release at its first use."""
        index = "SELECT 1 FROM sqlite_master WHERE name = ?"
        counted = "SELECT 1 FROM keyword_totals WHERE kb = ?"
        if (
            connection.execute(counted, (kb,)).fetchone() is None
            and connection.execute(index, (tables(kb).rows,)).fetchone() is not None
        ):
            with self._database.write() as writing:
                self.create(writing, kb)

    def _totals(self, connection: sqlite3.Connection, kb: str) -> sqlite3.Row:
        row: sqlite3.Row | None = connection.execute(
            "SELECT rows, tokens, stamp FROM keyword_totals WHERE kb = ?", (kb,)
        ).fetchone()
        if row is None:
            raise sqlite3.DatabaseError(f"knowledge base {kb!r} has no keyword index")
        return row

    def _state(self, connection: sqlite3.Connection, kb: str) -> IndexState:
        totals = self._totals(connection, kb)
        state = self._states.get(kb)
        if state is None or state.stamp != totals["stamp"]:
            with self._guard:
                state = self._states.get(kb)
                if state is None or state.stamp != totals["stamp"]:
                    state = self._states[kb] = self._renewed(connection, kb, totals, state)
        return state

    def _renewed(
        self,
        connection: sqlite3.Connection,
        kb: str,
        totals: sqlite3.Row,
        old: IndexState | None,
    ) -> IndexState:
        """Return the state at this stamp: lengths of rows that did not change are taken over."""
        rows = connection.execute(
            "SELECT number, length FROM keyword_rows WHERE kb = ? AND stamp > ?",
            (kb, old.stamp if old else -1),
        ).fetchall()
        changed = np.array([tuple(row) for row in rows], dtype=np.int64).reshape(-1, 2)
        kept = old.lengths if old else np.zeros(0, dtype=np.float32)
        size = max(len(kept), int(changed[:, 0].max()) + 1 if len(changed) else 0)
        lengths = np.zeros(size, dtype=np.float32)
        lengths[: len(kept)] = kept
        lengths[changed[:, 0]] = changed[:, 1]
        return IndexState(totals["stamp"], totals["rows"], totals["tokens"], lengths)

    def _count_all(self, connection: sqlite3.Connection, kb: str) -> None:
        """Count an index that was made before there were counts. Terms are parted by one space."""
        began = time.time_ns() // 1_000
        connection.execute(
            "INSERT INTO keyword_rows(kb, number, length, stamp) SELECT ?, rowid, "
            "CASE terms WHEN '' THEN 0 ELSE length(terms) - length(replace(terms, ' ', '')) + 1 "
            f"END, ? FROM {tables(kb).rows}",
            (kb, began),
        )
        connection.execute(
            "INSERT INTO keyword_totals(kb, rows, tokens, stamp) SELECT ?, count(*), "
            "coalesce(sum(length), 0), ? FROM keyword_rows WHERE kb = ?",
            (kb, began, kb),
        )
