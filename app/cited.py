"""Which versions of documents the answers of kept threads point to: their texts are kept.

Every function takes an open connection to the runs; who calls decides about the transaction.
"""

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.run_records import Draft, decode

_SCHEMA = """
CREATE TABLE cited (
    run_id TEXT NOT NULL REFERENCES runs(id),
    document_id TEXT NOT NULL,
    version TEXT NOT NULL,
    PRIMARY KEY (run_id, document_id, version)
) WITHOUT ROWID
"""
_ANSWERS = (
    "SELECT r.id, e.data FROM runs r JOIN events e ON e.run_id = r.id AND e.id = r.answer_event"
)
_UNFINISHED = (
    "SELECT min(created) FROM runs r WHERE status IN ('running', 'interrupted') AND NOT EXISTS "
    "(SELECT 1 FROM runs later WHERE later.thread_id = r.thread_id AND later.created > r.created)"
)
"""A run that its thread has moved on from is never resumed."""


@dataclass(frozen=True, slots=True)
class Pinned:
    """What must be kept: the cited (document id, version) pairs, and every text that was replaced
    after `since`, when the oldest unfinished question began; it may yet cite it."""

    cited: frozenset[tuple[str, str]]
    since: float | None


def prepare(connection: sqlite3.Connection) -> None:
    """Make the table where it is missing, with what the answers so far cite."""
    known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'cited'").fetchone()
    if known is not None:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        connection.execute(_SCHEMA)
        for run_id, data in connection.execute(_ANSWERS):
            _add(connection, run_id, json.loads(decode(data)))
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def note(connection: sqlite3.Connection, run_id: str, drafts: Sequence[Draft]) -> None:
    """Note what the answer among these events cites."""
    for draft in drafts:
        if draft.type == "answer":
            _add(connection, run_id, draft.data)


def pinned(connection: sqlite3.Connection) -> Pinned:
    """Return what must be kept, as it stands now."""
    cited = connection.execute("SELECT DISTINCT document_id, version FROM cited")
    since = connection.execute(_UNFINISHED).fetchone()[0]
    return Pinned(frozenset((row[0], row[1]) for row in cited), since)


def _add(connection: sqlite3.Connection, run_id: str, answer: Mapping[str, Any]) -> None:
    places: Iterable[Mapping[str, Any]] = answer.get("citations", ())
    pairs = {(place["document_id"], place["version"]) for place in places}
    connection.executemany(
        "INSERT OR IGNORE INTO cited(run_id, document_id, version) VALUES (?, ?, ?)",
        [(run_id, *pair) for pair in sorted(pairs)],
    )
