"""The titles and section headings of a knowledge base, looked up by the texts that name them."""

import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from app.adapters.database import Database
from graphs.evidence.titles import head, named, names, short

_SCHEMA = """
CREATE TABLE IF NOT EXISTS headings (
    kb TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL,
    PRIMARY KEY (kb, name, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS headings_number ON headings(number);
CREATE TABLE IF NOT EXISTS heading_names (
    place INTEGER PRIMARY KEY AUTOINCREMENT, kb TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (kb, name)
) STRICT;
CREATE INDEX IF NOT EXISTS heading_names_kb ON heading_names(kb);
"""
_COMMON = 20
"""A name that more documents share ("概述", "Introduction") leads nowhere."""
_CARRIERS = (
    "FROM headings h JOIN chunks c ON c.number = h.number "
    "JOIN documents d ON d.id = c.document_id AND d.revision = c.revision "
    "WHERE h.kb = ? AND h.name = ?"
)
Common = Callable[[str, int], bool]
"""Tells of a name, and the number of passages that carry it, whether it is a common word."""
_EACH = 4
"""Passages that one name leads to: the first of its document or section."""


def names_of(headings: Iterable[str]) -> tuple[str, ...]:
    """Return the names that a passage under these headings can be called by."""
    return tuple(dict.fromkeys(name for heading in headings for name in names(heading)))


@dataclass(slots=True)
class _Known:
    """Every name of a knowledge base that was ever stored, up to a place in the table."""

    place: int = 0
    names: set[str] = field(default_factory=set)
    lengths: dict[str, set[int]] = field(default_factory=dict)

    def add(self, name: str) -> None:
        self.names.add(name)
        self.lengths.setdefault(head(name), set()).add(name.count(" ") + 1)


class HeadingIndex:
    """Names to passages. The names are kept in memory too, so that a text is read in one pass."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, _Known] = {}
        self._guard = threading.Lock()
        with database.read() as connection:
            connection.executescript(_SCHEMA)

    def add(
        self, connection: sqlite3.Connection, kb: str, number: int, found: Sequence[str]
    ) -> None:
        """Store by which names a passage can be called, replacing what stood there."""
        self.remove(connection, kb, [number])
        rows = [(kb, name, number) for name in found]
        connection.executemany("INSERT INTO headings(kb, name, number) VALUES (?, ?, ?)", rows)
        connection.executemany(
            "INSERT OR IGNORE INTO heading_names(kb, name) VALUES (?, ?)",
            ((kb, name) for name in found),
        )

    def remove(self, connection: sqlite3.Connection, kb: str, numbers: Iterable[int]) -> None:
        """Take passages out, and the names that no passage has any more."""
        lost: set[str] = set()
        for number in numbers:
            rows = connection.execute("SELECT name FROM headings WHERE number = ?", (number,))
            lost.update(row["name"] for row in rows)
            connection.execute("DELETE FROM headings WHERE number = ?", (number,))
        connection.executemany(
            "DELETE FROM heading_names WHERE kb = :kb AND name = :name AND NOT EXISTS "
            "(SELECT 1 FROM headings WHERE kb = :kb AND name = :name)",
            ({"kb": kb, "name": name} for name in lost),
        )

    def drop(self, connection: sqlite3.Connection, kb: str) -> None:
        """Forget a knowledge base."""
        connection.execute("DELETE FROM headings WHERE kb = ?", (kb,))
        connection.execute("DELETE FROM heading_names WHERE kb = ?", (kb,))

    def titled(
        self, kb: str, texts: Sequence[str], limit: int, exclude: Collection[str], common: Common
    ) -> list[list[str]]:
        """Return for each text the ids of the passages whose title or heading it names.

        In the order of the names in it. Passed over: a name that many documents share, and a short
        one that `common` finds in many passages which do not carry it.
        """
        marks = ",".join("?" * len(exclude))
        sql = f"SELECT c.id {_CARRIERS} AND d.id NOT IN ({marks}) ORDER BY h.number LIMIT ?"
        carriers: dict[str, list[str]] = {}
        with self._database.read() as connection:
            known = self._names(connection, kb)
            named_by = [list(named(text, known.lengths, known.names)) for text in texts]
            for name in dict.fromkeys(name for names_ in named_by for name in names_):
                if not self._vague(connection, kb, name, common):
                    rows = connection.execute(sql, (kb, name, *exclude, _EACH))
                    carriers[name] = [row["id"] for row in rows]
        return [
            list(dict.fromkeys(id_ for name in names_ for id_ in carriers.get(name, ())))[:limit]
            for names_ in named_by
        ]

    def _vague(self, connection: sqlite3.Connection, kb: str, name: str, common: Common) -> bool:
        row = connection.execute(
            f"SELECT count(*) AS passages, count(DISTINCT d.id) AS documents {_CARRIERS}",
            (kb, name),
        ).fetchone()
        return row["documents"] > _COMMON or (short(name) and common(name, row["passages"]))

    def _names(self, connection: sqlite3.Connection, kb: str) -> _Known:
        """Return the names in memory with those that were added since. Old ones do no harm."""
        newest = connection.execute(
            "SELECT place FROM heading_names WHERE kb = ? ORDER BY place DESC LIMIT 1", (kb,)
        ).fetchone()
        place = newest["place"] if newest else 0
        with self._guard:
            known = self._known.setdefault(kb, _Known())
            if place > known.place:
                rows = connection.execute(
                    "SELECT name FROM heading_names WHERE kb = ? AND place > ?", (kb, known.place)
                )
                for row in rows:
                    known.add(row["name"])
                known.place = place
            return known
