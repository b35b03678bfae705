"""The run tables behind one connection and one thread."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeVar

from app import cited, feedback_tables, run_tables, thread_tables
from app.feedback import Feedback, NewFeedback
from app.run_records import Draft, Event, NewRun, Run, RunStatus, Thread, ThreadSummary
from graphs.errors import StoreUnavailable

T = TypeVar("T")
_BUSY_SECONDS = 10.0


class RunStore:
    """Runs, threads and events in SQLite.

    The connection has a thread of its own: CPU work in the shared pool never delays an event.
    Every writing method is one transaction. Errors are those of `run_tables`, and
    StoreUnavailable where SQLite fails.
    """

    def __init__(self, path: Path, synchronous: Literal["NORMAL", "FULL"] = "NORMAL") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="run-store")
        self._connection = sqlite3.connect(
            path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        self._connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute(f"PRAGMA synchronous={synchronous}")
        self._connection.executescript(run_tables.SCHEMA)
        self._connection.executescript(thread_tables.SCHEMA)
        self._connection.executescript(feedback_tables.SCHEMA)
        cited.prepare(self._connection)

    async def close(self) -> None:
        """Finish what is queued and close the file."""
        await self._read(lambda c: c.close())
        self._worker.shutdown()

    async def ping(self) -> None:
        """Prove that the file can be read."""
        await self._read(lambda c: c.execute("SELECT 1").fetchone())

    async def recover(self) -> list[str]:
        """Interrupt what a dead process left running; return the threads it left half deleted."""
        return await self._write(run_tables.recover)

    async def create(self, new: NewRun) -> tuple[Run, bool]:
        """Accept a question; the flag is False if its key had started the run before.

        Raises UnknownThread, OtherKnowledgeBase, ThreadBusy, KeyReused.
        """
        return await self._write(lambda c: run_tables.create(c, new))

    async def reopen(self, thread_id: str) -> Run:
        """Set the last run of a thread to running again.

        Raises UnknownThread, ThreadBusy, or NothingToResume if that run was not interrupted.
        """
        return await self._write(lambda c: run_tables.reopen(c, thread_id))

    async def append(self, run_id: str, drafts: Sequence[Draft]) -> int:
        """Write events and return the id of the last one."""
        return await self._write(lambda c: run_tables.append(c, run_id, drafts))

    async def finish(self, run_id: str, drafts: Sequence[Draft], status: RunStatus) -> int:
        """Write the last events together with the final status; return the last id."""
        return await self._write(lambda c: run_tables.finish(c, run_id, drafts, status))

    async def cancel(self, run_id: str, drafts: Sequence[Draft]) -> Run:
        """End a run that is not over with these events; raises UnknownRun."""
        return await self._write(lambda c: run_tables.cancel(c, run_id, drafts))

    async def interrupt(self, run_id: str) -> None:
        """Leave a running run to be resumed."""
        await self._write(lambda c: run_tables.interrupt(c, run_id))

    async def run(self, run_id: str) -> Run:
        """Return a run or raise UnknownRun."""
        return await self._read(lambda c: run_tables.run(c, run_id))

    async def by_key(self, key: str, body_hash: str) -> Run | None:
        """Return the run that this key started; raises KeyReused if the body was another one."""
        return await self._read(lambda c: run_tables.by_key(c, key, body_hash))

    async def thread(self, thread_id: str) -> Thread:
        """Return a thread or raise UnknownThread."""
        return await self._read(lambda c: thread_tables.thread(c, thread_id))

    async def runs_of(self, thread_id: str) -> list[Run]:
        """Return the runs of a thread, oldest first."""
        return await self._read(lambda c: run_tables.runs_of(c, thread_id))

    async def threads(
        self, limit: int, before: tuple[float, str] | None = None
    ) -> list[ThreadSummary]:
        """Return threads, newest first, from behind (created, id) `before` on."""
        return await self._read(lambda c: thread_tables.threads(c, limit, before))

    async def pruned_before(self, thread_id: str) -> str | None:
        """Return the oldest checkpoint that is kept where older ones are gone, else None."""
        return await self._read(lambda c: thread_tables.pruned_before(c, thread_id))

    async def events(self, run_id: str, after: int = 0, kind: str | None = None) -> list[Event]:
        """Return the events with a larger id than `after`, of one type or of all, in order."""
        return await self._read(lambda c: run_tables.events(c, run_id, after, kind))

    async def begin_delete(self, thread_id: str) -> None:
        """Hide a thread until its checkpoints are deleted; raises UnknownThread, ThreadBusy."""
        await self._write(lambda c: thread_tables.begin_delete(c, thread_id))

    async def end_delete(self, thread_id: str) -> None:
        """Delete a hidden thread with its runs and events."""
        await self._write(lambda c: thread_tables.end_delete(c, thread_id))

    async def put_feedback(self, new: NewFeedback) -> Feedback:
        """Store what is said of a run; raises UnknownRun, RunWithoutAnswer, InvalidRequest."""
        return await self._write(lambda c: feedback_tables.put(c, new))

    async def feedback(
        self, kb: str | None = None, limit: int | None = None, before: int | None = None
    ) -> list[Feedback]:
        """Return what was said of runs, newest first, from below the number `before` on."""
        return await self._read(lambda c: feedback_tables.page(c, kb, limit, before))

    async def pinned(self) -> cited.Pinned:
        """Return which texts of documents the kept answers need."""
        return await self._read(cited.pinned)

    async def _read(self, work: Callable[[sqlite3.Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._worker, work, self._connection)
        except sqlite3.Error as error:
            raise StoreUnavailable("the run store failed") from error

    async def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        def transaction(connection: sqlite3.Connection) -> T:
            # IMMEDIATE: a transaction that reads first and writes later is refused, not queued.
            connection.execute("BEGIN IMMEDIATE")
            try:
                outcome = work(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            return outcome

        return await self._read(transaction)
