"""The tables of runs, threads and events: one function per statement of business.

Every function takes an open connection; who calls decides about the transaction.
"""

import json
import sqlite3
import time
import uuid
from collections.abc import Sequence
from typing import Any

from app import cited
from app.errors import (
    KeyReused,
    NothingToResume,
    OtherKnowledgeBase,
    ThreadBusy,
    UnknownRun,
)
from app.run_records import (
    OWNER,
    Draft,
    Event,
    NewRun,
    Run,
    RunStatus,
    decode,
    encode,
)
from app.thread_tables import thread

SCHEMA = """
CREATE TABLE IF NOT EXISTS threads (
    id TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    kb TEXT NOT NULL,
    created REAL NOT NULL,
    deleted INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY,
    thread_id TEXT NOT NULL REFERENCES threads(id),
    owner TEXT NOT NULL,
    kb TEXT NOT NULL,
    question TEXT NOT NULL,
    options TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    idempotency_key TEXT,
    status TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    answer_event INTEGER,
    created REAL NOT NULL,
    updated REAL NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS one_running ON runs(thread_id) WHERE status = 'running';
CREATE UNIQUE INDEX IF NOT EXISTS one_key ON runs(owner, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX IF NOT EXISTS threads_of_owner ON threads(owner, created, id);
CREATE INDEX IF NOT EXISTS runs_of_thread ON runs(thread_id, created);
CREATE TABLE IF NOT EXISTS events (
    run_id TEXT NOT NULL REFERENCES runs(id),
    id INTEGER NOT NULL,
    type TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run_id, id)
) WITHOUT ROWID;
"""

_RUN = (
    "id, thread_id, kb, question, options, body_hash, status, attempt, answer_event, "
    "created, updated"
)


def recover(connection: sqlite3.Connection) -> list[str]:
    """Interrupt what a dead process left running; return the threads it left half deleted."""
    connection.execute("UPDATE runs SET status = 'interrupted' WHERE status = 'running'")
    rows = connection.execute("SELECT id FROM threads WHERE deleted = 1").fetchall()
    return [str(row[0]) for row in rows]


def create(connection: sqlite3.Connection, new: NewRun) -> tuple[Run, bool]:
    """Accept a question, or return the run that its key started before with False."""
    if new.idempotency_key is not None:
        known = by_key(connection, new.idempotency_key, new.body_hash)
        if known is not None:
            return known, False
    thread_id, run_id, now = _thread_for(connection, new), _new_id(), time.time()
    try:
        connection.execute(
            "INSERT INTO runs (id, thread_id, owner, kb, question, options, body_hash,"
            " idempotency_key, status, attempt, created, updated)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'running', 1, ?, ?)",
            (
                run_id,
                thread_id,
                OWNER,
                new.kb,
                new.question,
                json.dumps(dict(new.options)),
                new.body_hash,
                new.idempotency_key,
                now,
                now,
            ),
        )
    except sqlite3.IntegrityError as error:
        raise ThreadBusy("Another question is running on this thread.") from error
    created = run(connection, run_id)
    append(connection, run_id, [_opening(created)])
    return created, True


def reopen(connection: sqlite3.Connection, thread_id: str) -> Run:
    """Set the last run of a thread to running again."""
    thread(connection, thread_id)
    runs = runs_of(connection, thread_id)
    if runs and runs[-1].status == "running":
        raise ThreadBusy("The question is running already.")
    if not runs or runs[-1].status != "interrupted":
        raise NothingToResume("The last question of this thread was not interrupted.")
    connection.execute(
        "UPDATE runs SET status = 'running', attempt = attempt + 1, updated = ? WHERE id = ?",
        (time.time(), runs[-1].id),
    )
    reopened = run(connection, runs[-1].id)
    append(connection, reopened.id, [_opening(reopened)])
    return reopened


def append(connection: sqlite3.Connection, run_id: str, drafts: Sequence[Draft]) -> int:
    """Write events with the next ids and return the last one."""
    row = connection.execute("SELECT max(id) FROM events WHERE run_id = ?", (run_id,)).fetchone()
    last = int(row[0] or 0)
    connection.executemany(
        "INSERT INTO events (run_id, id, type, data) VALUES (?, ?, ?, ?)",
        [(run_id, i, draft.type, encode(draft.data)) for i, draft in enumerate(drafts, last + 1)],
    )
    return last + len(drafts)


def finish(
    connection: sqlite3.Connection, run_id: str, drafts: Sequence[Draft], status: RunStatus
) -> int:
    """Write the last events with the final status and return the last id."""
    last = append(connection, run_id, drafts)
    cited.note(connection, run_id, drafts)
    first = last - len(drafts) + 1
    answers = [first + i for i, draft in enumerate(drafts) if draft.type == "answer"]
    connection.execute(
        "UPDATE runs SET status = ?, answer_event = ?, updated = ? WHERE id = ?",
        (status, answers[-1] if answers else None, time.time(), run_id),
    )
    return last


def cancel(connection: sqlite3.Connection, run_id: str, drafts: Sequence[Draft]) -> Run:
    """End a run that is not over with these events; one that is over stays as it is."""
    known = run(connection, run_id)
    if known.status not in ("running", "interrupted"):
        return known
    finish(connection, run_id, drafts, "cancelled")
    return run(connection, run_id)


def interrupt(connection: sqlite3.Connection, run_id: str) -> None:
    """Leave a running run to be resumed."""
    connection.execute(
        "UPDATE runs SET status = 'interrupted' WHERE id = ? AND status = 'running'", (run_id,)
    )


def run(connection: sqlite3.Connection, run_id: str) -> Run:
    """Return a run or raise UnknownRun."""
    row = connection.execute(f"SELECT {_RUN} FROM runs WHERE id = ?", (run_id,)).fetchone()
    if row is None:
        raise UnknownRun("There is no run with this id.")
    return _record(row)


def runs_of(connection: sqlite3.Connection, thread_id: str) -> list[Run]:
    """Return the runs of a thread, oldest first."""
    rows = connection.execute(
        f"SELECT {_RUN} FROM runs WHERE thread_id = ? ORDER BY created, rowid", (thread_id,)
    )
    return [_record(row) for row in rows]


def by_key(connection: sqlite3.Connection, key: str, body_hash: str) -> Run | None:
    """Return the run that this key started; raises KeyReused if the body was another one."""
    row = connection.execute(
        f"SELECT {_RUN} FROM runs WHERE owner = ? AND idempotency_key = ?", (OWNER, key)
    ).fetchone()
    if row is None:
        return None
    known = _record(row)
    if known.body_hash != body_hash:
        raise KeyReused("This Idempotency-Key was used with another body.")
    return known


def events(
    connection: sqlite3.Connection, run_id: str, after: int = 0, kind: str | None = None
) -> list[Event]:
    """Return the events with a larger id than `after`, of one type or of all, in order."""
    rows = connection.execute(
        "SELECT id, type, data FROM events WHERE run_id = ?1 AND id > ?2"
        " AND (?3 IS NULL OR type = ?3) ORDER BY id",
        (run_id, after, kind),
    )
    return [Event(number, name, decode(data)) for number, name, data in rows]


def _new_id() -> str:
    return uuid.uuid4().hex


def _opening(run: Run) -> Draft:
    data = {"run_id": run.id, "thread_id": run.thread_id, "kb": run.kb}
    return Draft("run", data | {"question": run.question, "attempt": run.attempt})


def _record(row: Sequence[Any]) -> Run:
    values = dict(zip(_RUN.split(", "), row, strict=True))
    return Run(**values | {"options": json.loads(values["options"])})


def _thread_for(connection: sqlite3.Connection, new: NewRun) -> str:
    if new.thread_id is not None:
        known = thread(connection, new.thread_id)
        if known.kb != new.kb:
            raise OtherKnowledgeBase(f"This thread belongs to the knowledge base {known.kb}.")
        return known.id
    thread_id = _new_id()
    connection.execute(
        "INSERT INTO threads (id, owner, kb, created) VALUES (?, ?, ?, ?)",
        (thread_id, OWNER, new.kb, time.time()),
    )
    return thread_id
