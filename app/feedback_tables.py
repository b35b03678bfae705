"""The table of feedback: one row per run, replaced when the run is judged again.

Every function takes an open connection to the runs; who calls decides about the transaction.
"""

import json
import sqlite3
import time
from collections.abc import Sequence
from typing import Any

from app import run_tables
from app.errors import InvalidRequest, RunWithoutAnswer
from app.feedback import Feedback, NewFeedback
from app.run_records import Run, decode

SCHEMA = """
CREATE TABLE IF NOT EXISTS feedback (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    run_id TEXT NOT NULL UNIQUE REFERENCES runs(id),
    kb TEXT NOT NULL,
    question TEXT NOT NULL,
    status TEXT NOT NULL,
    cited TEXT NOT NULL,
    verdict TEXT NOT NULL,
    document_id TEXT,
    note TEXT NOT NULL,
    given REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS feedback_kb ON feedback(kb, number);
"""
_MAX_QUESTION = 4000
_COLUMNS = "number, run_id, kb, question, status, cited, verdict, document_id, note, given"


def put(connection: sqlite3.Connection, new: NewFeedback) -> Feedback:
    """Store what is said of a run in the place of what was said before.

    Raises UnknownRun, RunWithoutAnswer, and InvalidRequest for a refusal that should have been one.
    """
    run = run_tables.run(connection, new.run_id)
    answer = _answer(connection, run)
    if new.verdict == "should_have_refused" and answer["status"] == "insufficient":
        raise InvalidRequest("This run did refuse.", hint='Say "right", or "wrong" if it knew.')
    connection.execute("DELETE FROM feedback WHERE run_id = ?", (run.id,))
    cited = list(dict.fromkeys(place["document_id"] for place in answer["citations"]))
    connection.execute(
        "INSERT INTO feedback (run_id, kb, question, status, cited, verdict, document_id, note,"
        " given) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            run.id,
            run.kb,
            _question(answer["question_resolved"], run),
            answer["status"],
            json.dumps(cited),
            new.verdict,
            new.document_id,
            new.note,
            time.time(),
        ),
    )
    row = connection.execute(f"SELECT {_COLUMNS} FROM feedback WHERE run_id = ?", (run.id,))
    return _record(row.fetchone())


def page(
    connection: sqlite3.Connection, kb: str | None, limit: int | None, before: int | None
) -> list[Feedback]:
    """Return the newest feedback first, from below the number `before` on; None is no limit."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM feedback WHERE (?1 IS NULL OR kb = ?1)"
        " AND (?2 IS NULL OR number < ?2) ORDER BY number DESC LIMIT ?3",
        (kb, before, -1 if limit is None else limit),
    )
    return [_record(row) for row in rows]


def _answer(connection: sqlite3.Connection, run: Run) -> dict[str, Any]:
    row = connection.execute(
        "SELECT data FROM events WHERE run_id = ? AND id = ?", (run.id, run.answer_event)
    ).fetchone()
    if run.status != "done" or row is None:
        over = run.status in ("done", "error")
        raise RunWithoutAnswer(
            "This run ended without an answer." if over else "This run is not finished yet."
        )
    answer: dict[str, Any] = json.loads(decode(row[0]))
    return answer


def _question(resolved: str, run: Run) -> str:
    """Return the question as it can be asked again, or as it was put where that grew too long."""
    return resolved if 0 < len(resolved) <= _MAX_QUESTION else run.question


def _record(row: Sequence[Any]) -> Feedback:
    values = dict(zip(_COLUMNS.split(", "), row, strict=True))
    return Feedback(**values | {"cited": tuple(json.loads(values["cited"]))})
