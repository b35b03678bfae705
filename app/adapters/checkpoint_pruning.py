"""Checkpoints that nobody needs any more leave the file: own statements on an own connection.

langgraph's SQLite saver can only delete whole threads. What is kept of a finished thread is its newest
checkpoint, cut down to what a further question reads, so that a conversation goes on as before.
"""

import asyncio
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from langchain_core.runnables import RunnableConfig

from app.adapters.checkpoints import CompactSaver
from graphs.errors import StoreUnavailable

_BUSY_SECONDS = 10.0
_BATCH = 50
"""Threads of one look. Each is a transaction of its own, so that no question waits long."""
_FREED = 500
"""Pages given back to the file system after a thread."""
_OUTLIVES = ("turns",)
"""Channels that a later question of the thread reads (`graphs.ask.state`)."""
_BUSY = "SELECT 1 FROM runs WHERE thread_id = ? AND status IN ('running', 'interrupted')"
_OLD = (
    "SELECT t.id FROM threads t WHERE t.deleted = 0 "
    "AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.thread_id = t.id "
    "AND (r.status IN ('running', 'interrupted') OR r.updated >= ?)) "
    "AND (SELECT count(*) FROM (SELECT 1 FROM checkpoints c WHERE c.thread_id = t.id "
    "AND c.checkpoint_ns = '' LIMIT 2)) > 1 "
    "LIMIT ?"
)
_OPENINGS = (
    "SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = '' "
    "AND json_extract(CAST(metadata AS TEXT), '$.source') = 'input' ORDER BY checkpoint_id DESC"
)
_LONG = (
    "SELECT t.id FROM threads t WHERE t.deleted = 0 "
    "AND (SELECT count(*) FROM runs r WHERE r.thread_id = t.id) > ?1 "
    "AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.thread_id = t.id AND r.status IN ('running', 'interrupted')) "
    "AND (SELECT count(*) FROM checkpoints c WHERE c.thread_id = t.id AND c.checkpoint_ns = '' "
    "AND json_extract(CAST(c.metadata AS TEXT), '$.source') = 'input') > ?1 LIMIT ?2"
)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long the steps of questions are kept.

    `seconds`: after the last question of a thread; `questions`: of one thread, the newest ones.
    """

    seconds: float
    questions: int


class CheckpointPruner:
    """Prunes the checkpoints of one runs file. Nothing under a running or interrupted question goes."""

    def __init__(self, path: Path, saver: CompactSaver, retention: Retention) -> None:
        self._path = path
        self._saver = saver
        self._retention = retention

    async def prune(self, now: float) -> int:
        """Prune what is due at `now` (Unix seconds); return how many threads were. Raises StoreUnavailable."""
        try:
            old = await asyncio.to_thread(self._due, _OLD, now - self._retention.seconds)
            pruned = [await self._to_the_last(thread_id) for thread_id in old]
            long = await asyncio.to_thread(self._due, _LONG, self._retention.questions)
            pruned += [await asyncio.to_thread(self._to_the_newest, each) for each in long]
        except sqlite3.Error as error:
            raise StoreUnavailable("the checkpoints could not be pruned") from error
        return sum(pruned)

    async def _to_the_last(self, thread_id: str) -> bool:
        """Keep the newest checkpoint alone, with what outlives a question."""
        where: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
        newest = await self._saver.aget_tuple(where)
        if newest is None:
            return False
        values = newest.checkpoint["channel_values"]
        kept = {name: values[name] for name in _OUTLIVES if name in values}
        body = self._saver.serde.dumps_typed({**newest.checkpoint, "channel_values": kept})
        return await asyncio.to_thread(self._replace, thread_id, newest.checkpoint["id"], body)

    def _due(self, sql: str, limit: float) -> list[str]:
        connection = self._connect()
        try:
            return [str(row[0]) for row in connection.execute(sql, (limit, _BATCH))]
        finally:
            connection.close()

    def _replace(self, thread_id: str, newest: str, body: tuple[str, bytes]) -> bool:
        def work(connection: sqlite3.Connection) -> bool:
            row = connection.execute(
                "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''",
                (thread_id,),
            ).fetchone()
            if row[0] != newest:  # a question came in between
                return False
            connection.execute(
                "UPDATE checkpoints SET type = ?, checkpoint = ?, parent_checkpoint_id = NULL "
                "WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id = ?",
                (*body, thread_id, newest),
            )
            _drop_before(connection, thread_id, newest)
            return True

        return self._quietly(thread_id, work)

    def _to_the_newest(self, thread_id: str) -> bool:
        """Keep the steps of the newest questions: each opens with a whole checkpoint."""

        def work(connection: sqlite3.Connection) -> bool:
            openings = [row[0] for row in connection.execute(_OPENINGS, (thread_id,))]
            if len(openings) <= self._retention.questions:
                return False
            _drop_before(connection, thread_id, openings[self._retention.questions - 1])
            return True

        return self._quietly(thread_id, work)

    def _quietly(self, thread_id: str, work: Callable[[sqlite3.Connection], bool]) -> bool:
        """Do something to a thread that no question works on, in one transaction."""
        connection = self._connect()
        try:
            connection.execute("BEGIN IMMEDIATE")
            busy = connection.execute(_BUSY, (thread_id,)).fetchone()
            done = busy is None and work(connection)
            connection.execute("COMMIT" if done else "ROLLBACK")
            if done:
                connection.executescript(f"PRAGMA incremental_vacuum({_FREED})")
            return done
        finally:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=_BUSY_SECONDS, isolation_level=None)


def _drop_before(connection: sqlite3.Connection, thread_id: str, checkpoint_id: str) -> None:
    for table in ("checkpoints", "writes"):
        connection.execute(
            f"DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id < ?",
            (thread_id, checkpoint_id),
        )
    connection.execute(
        "INSERT INTO pruned(thread_id, before) VALUES (?, ?) "
        "ON CONFLICT(thread_id) DO UPDATE SET before = excluded.before",
        (thread_id, checkpoint_id),
    )
