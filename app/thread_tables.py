"""Threads in the run tables: one, a page of them, and their deletion.

Every function takes an open connection; who calls decides about the transaction.
"""

import sqlite3

from app.errors import ThreadBusy, UnknownThread
from app.run_records import OWNER, Thread, ThreadSummary

SCHEMA = """
CREATE TABLE IF NOT EXISTS pruned (
    thread_id TEXT PRIMARY KEY,
    before TEXT NOT NULL
) WITHOUT ROWID;
"""
"""Up to which checkpoint (`before`, the oldest kept one) a thread's steps are gone."""


def pruned_before(connection: sqlite3.Connection, thread_id: str) -> str | None:
    """Return the id of the oldest checkpoint that was kept, or None where none was dropped."""
    row = connection.execute(
        "SELECT before FROM pruned WHERE thread_id = ?", (thread_id,)
    ).fetchone()
    return str(row[0]) if row else None


def thread(connection: sqlite3.Connection, thread_id: str) -> Thread:
    """Return a thread or raise UnknownThread."""
    row = connection.execute(
        "SELECT id, kb, created FROM threads WHERE id = ? AND deleted = 0", (thread_id,)
    ).fetchone()
    if row is None:
        raise UnknownThread("There is no thread with this id.")
    return Thread(*row)


def threads(
    connection: sqlite3.Connection, limit: int, before: tuple[float, str] | None
) -> list[ThreadSummary]:
    """Return threads with a question, newest first, from behind (created, id) `before` on."""
    created, id_ = before or (float("inf"), "")
    rows = connection.execute(
        "SELECT t.id, t.kb, t.created, "
        "(SELECT question FROM runs WHERE thread_id = t.id ORDER BY created, rowid LIMIT 1), "
        "(SELECT count(*) FROM runs WHERE thread_id = t.id), r.status, r.updated "
        "FROM threads t JOIN runs r ON r.rowid = (SELECT rowid FROM runs WHERE thread_id = t.id "
        "ORDER BY created DESC, rowid DESC LIMIT 1) WHERE t.owner = ?1 AND t.deleted = 0 "
        "AND (t.created < ?2 OR (t.created = ?2 AND t.id < ?3)) "
        "ORDER BY t.created DESC, t.id DESC LIMIT ?4",
        (OWNER, created, id_, limit),
    )
    return [ThreadSummary(*row) for row in rows]


def begin_delete(connection: sqlite3.Connection, thread_id: str) -> None:
    """Hide a thread; raises ThreadBusy while one of its questions runs."""
    thread(connection, thread_id)
    busy = "SELECT 1 FROM runs WHERE thread_id = ? AND status = 'running'"
    if connection.execute(busy, (thread_id,)).fetchone():
        raise ThreadBusy("A question is running on this thread.")
    connection.execute("UPDATE threads SET deleted = 1 WHERE id = ?", (thread_id,))


def end_delete(connection: sqlite3.Connection, thread_id: str) -> None:
    """Delete a hidden thread with its runs and events."""
    runs = "(SELECT id FROM runs WHERE thread_id = ?)"
    for table in ("events", "cited", "feedback"):
        connection.execute(f"DELETE FROM {table} WHERE run_id IN {runs}", (thread_id,))
    connection.execute("DELETE FROM runs WHERE thread_id = ?", (thread_id,))
    connection.execute("DELETE FROM pruned WHERE thread_id = ?", (thread_id,))
    connection.execute("DELETE FROM threads WHERE id = ?", (thread_id,))
