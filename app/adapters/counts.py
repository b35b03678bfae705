"""Counts of a knowledge base that every search needs, kept until something changes."""

from collections.abc import Callable, Collection
from typing import TypeVar

from app.adapters.database import Database

T = TypeVar("T")
State = tuple[int | None, int | None]


class Counts:
    """Values that hold as long as neither the catalogue nor the keyword index counts a change."""

    def __init__(self, database: Database, kb: str) -> None:
        self._database = database
        self._kb = kb
        self._kept: dict[str, tuple[State, object]] = {}

    def kept(self, name: str, count: Callable[[], T]) -> T:
        """Return the value of this name, counted anew after a change."""
        state = self._state()
        known = self._kept.get(name)
        if known is not None and known[0] == state:
            return known[1]  # type: ignore[return-value] # a name always keeps the same type
        value = count()
        if None not in state:
            self._kept[name] = (state, value)
        return value

    def hidden(self, exclude: Collection[str]) -> int:
        """Return how many chunks a search must skip: of versions not switched on, or excluded."""
        incoming = self.kept("hidden", self._incoming)
        if not exclude:
            return incoming
        marks = ",".join("?" * len(exclude))
        sql = (
            "SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document_id "
            f"WHERE d.kb = ? AND d.id IN ({marks})"
        )
        with self._database.read() as connection:
            return incoming + int(connection.execute(sql, (self._kb, *exclude)).fetchone()[0])

    def _incoming(self) -> int:
        sql = (
            "SELECT count(*) FROM documents d CROSS JOIN chunks c ON c.document_id = d.id "
            "WHERE d.kb = ? AND d.incoming IS NOT NULL AND d.revision <> c.revision"
        )
        with self._database.read() as connection:
            return int(connection.execute(sql, (self._kb,)).fetchone()[0])

    def _state(self) -> State:
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT (SELECT generation FROM kbs WHERE name = :kb), "
                "(SELECT stamp FROM keyword_totals WHERE kb = :kb)",
                {"kb": self._kb},
            ).fetchone()
        return row[0], row[1]
