"""Runs: each accepted question is a task of its own that writes an event log; clients tail it."""

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph

from app.errors import (
    RUN_ERRORS,
    KnowledgeBaseGone,
    RunCancelled,
    RunFailed,
    RunInterrupted,
    run_failure,
)
from app.metrics import Metrics
from app.run_activity import POLL_SECONDS, Active, follow
from app.run_log import RunLog, closing, ending
from app.run_records import Draft, Event, NewRun, Run, Thread
from app.run_store import RunStore
from app.schemas import Answer, answer_of
from graphs.errors import UnknownKnowledgeBase

logger = logging.getLogger(__name__)

Graph = CompiledStateGraph[Any, None, Any, Any]
_MAX_STEPS = 60


class RunManager:
    """Starts, follows, resumes and forgets runs. Built inside a running event loop."""

    def __init__(self, graph: Graph, store: RunStore) -> None:
        self.store = store
        self.metrics = Metrics()
        self.metrics.watch(lambda: len(self._active))
        self._graph = graph
        self._active: dict[str, Active] = {}
        self._cancelling: set[asyncio.Task[Run]] = set()

    async def recover(self) -> None:
        """Bring the store in order after the last process; call it before serving."""
        for thread_id in await self.store.recover():
            await self._forget(thread_id)

    async def known(self, key: str | None, body_hash: str) -> Run | None:
        """Return the run that an idempotency key started, going on with it if it was interrupted.

        Raises KeyReused if the body was another one, NothingToResume if its thread has moved on.
        """
        run = await self.store.by_key(key, body_hash) if key is not None else None
        if run is not None and run.status == "interrupted":
            return await self.resume(run.thread_id)
        return run

    async def submit(self, new: NewRun) -> Run:
        """Accept a question and start it; what `RunStore.create` raises passes through."""
        run, created = await self.store.create(new)
        if created:
            self._start(run)
        return run

    async def submit_forked(
        self, new: NewRun, prepare: Callable[[Run], Awaitable[None]], from_start: bool
    ) -> Run:
        """Accept a question on a thread that `prepare` furnishes with a checkpoint, and start it.

        It goes on at that checkpoint, or begins with its question (`from_start`). Where `prepare`
        fails the run ends in an error, and the error goes on.
        """
        run, _ = await self.store.create(new)
        try:
            await prepare(run)
        except BaseException as error:
            await self._fail(run, run_failure(error))
            raise
        self._start(run, goes_on=not from_start)
        return run

    async def resume(self, thread_id: str) -> Run:
        """Go on with the interrupted run of a thread at its last checkpoint.

        Raises UnknownThread, ThreadBusy, NothingToResume.
        """
        run = await self.store.reopen(thread_id)
        self._start(run)
        return run

    async def cancel(self, run_id: str) -> Run:
        """End a run at once and return it; one that is over stays as it is. Raises UnknownRun."""
        active = self._active.get(run_id)
        if active is not None and active.task is not None:
            active.cancelled = True
            active.task.cancel()
            await asyncio.wait([active.task])
        return await self.store.cancel(run_id, ending(RunCancelled(), "cancelled"))

    def cancel_soon(self, run_id: str) -> None:
        """End a run from where nobody can wait for it."""
        task = asyncio.create_task(self.cancel(run_id), name=f"cancel-{run_id}")
        self._cancelling.add(task)
        task.add_done_callback(self._cancelling.discard)

    async def wait(self, run_id: str) -> Run:
        """Return the run once it is over: done, failed or interrupted."""
        active = self._active.get(run_id)
        if active is not None and active.task is not None:
            await asyncio.wait([active.task])
            if not active.task.cancelled() and active.task.exception() is not None:
                raise run_failure(active.task.exception())
        run = await self.store.run(run_id)
        while run.status == "running":
            await asyncio.sleep(POLL_SECONDS)
            run = await self.store.run(run_id)
        return run

    async def answer(self, run: Run) -> str:
        """Return the answer of a finished run as JSON text; raises RunFailed, RunInterrupted."""
        if run.status == "interrupted":
            raise RunInterrupted("The service stopped before this question was finished.")
        events = await self.store.events(run.id, (run.answer_event or 0) - 1, "answer")
        if not events:
            raise await self._failure(run)
        return events[0].data

    async def follow(
        self, run_id: str, after: int, heartbeat: float
    ) -> AsyncIterator[Sequence[Event]]:
        """Yield the events after `after` as they come; an empty batch is a heartbeat.

        Ends after `done`, or where the log ends if the run was interrupted.
        """
        async for events in follow(self.store, self._active.get, run_id, after, heartbeat):
            yield events

    async def delete(self, thread_id: str) -> None:
        """Delete a thread with its checkpoints, runs and events; raises UnknownThread, ThreadBusy."""
        await self.store.begin_delete(thread_id)
        await self._forget(thread_id)

    async def thread(self, thread_id: str) -> tuple[Thread, list[Run]]:
        """Return a thread and its runs, oldest first; raises UnknownThread."""
        return await self.store.thread(thread_id), await self.store.runs_of(thread_id)

    async def close(self, grace: float) -> None:
        """Give running questions `grace` seconds, then leave them to be resumed."""
        await asyncio.gather(*self._cancelling, return_exceptions=True)
        tasks = {run_id: active.task for run_id, active in self._active.items() if active.task}
        if not tasks:
            return
        _, late = await asyncio.wait(tasks.values(), timeout=grace)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
        for run_id, task in tasks.items():
            if task in late:
                await self.store.interrupt(run_id)

    async def _forget(self, thread_id: str) -> None:
        if isinstance(self._graph.checkpointer, BaseCheckpointSaver):
            await self._graph.checkpointer.adelete_thread(thread_id)
        await self.store.end_delete(thread_id)

    def _start(self, run: Run, goes_on: bool = False) -> None:
        active = self._active[run.id] = Active(goes_on)
        active.task = asyncio.create_task(self._drive(run, active), name=f"run-{run.id}")

    async def _drive(self, run: Run, active: Active) -> None:
        """The run boundary: whatever happens inside ends as events and a status."""
        try:
            answer, drafts = await self._run_graph(run, active)
            await self.store.finish(run.id, drafts, "done")
            self.metrics.ended("done", answer)
        except asyncio.CancelledError:
            if not active.cancelled:
                raise  # the service stops: the run is left to be resumed
            await self.store.cancel(run.id, ending(RunCancelled(), "cancelled"))
            self.metrics.ended("cancelled")
        except UnknownKnowledgeBase as error:
            gone = f"There is no knowledge base named {error.name} any more."
            await self._fail(run, KnowledgeBaseGone(gone))
        except Exception as error:
            logger.exception("run %s failed", run.id)
            await self._fail(run, run_failure(error))
        finally:
            self._active.pop(run.id, None)
            await active.advance()

    async def _fail(self, run: Run, why: RunFailed) -> None:
        await self.store.finish(run.id, ending(why, "error"), "error")
        self.metrics.ended("error")

    async def _failure(self, run: Run) -> RunFailed:
        """Return the error that a run without an answer ended in."""
        told = [json.loads(e.data) for e in await self.store.events(run.id, kind="error")]
        if not told:
            return RunFailed("This question ran into an error.")
        return RUN_ERRORS[told[-1]["code"]](told[-1]["message"])

    async def _run_graph(self, run: Run, active: Active) -> tuple[Answer, list[Draft]]:
        """Run the graph to its end and return the answer with the closing events."""
        config = _config(run)
        start, log = await self._entry(run, config, active.goes_on)
        await self._write(run, active, log.unfinished())
        stream = self._graph.astream(
            start, config, stream_mode=["tasks", "custom"], version="v2", durability="sync"
        )
        async with contextlib.aclosing(stream):  # type: ignore[type-var] # it is a generator
            async for part in stream:
                await self._write(run, active, log.take(part))
        snapshot = await self._graph.aget_state(config)
        answer = answer_of(snapshot.values["result"], run.id, run.thread_id)
        return answer, [*log.transcript.settle(answer.answer), *closing(answer)]

    async def _entry(
        self, run: Run, config: RunnableConfig, goes_on: bool
    ) -> tuple[dict[str, Any] | None, RunLog]:
        """Return the graph's input, None where it goes on at a checkpoint, and the log so far."""
        fresh = {"question": run.question, "kb": run.kb, "options": run.options}
        if run.attempt == 1:
            return None if goes_on else fresh, RunLog()
        snapshot = await self._graph.aget_state(config)
        events = await self.store.events(run.id)
        if (snapshot.metadata or {}).get("run_id") != run.id:
            # Killed before its first checkpoint: what lies there belongs to an earlier run.
            return fresh, RunLog.restore(events, ())
        return None, RunLog.restore(events, snapshot.next)

    async def _write(self, run: Run, active: Active, drafts: Sequence[Draft]) -> None:
        if drafts:
            await active.advance(await self.store.append(run.id, drafts))


def _config(run: Run) -> RunnableConfig:
    return {
        "configurable": {"thread_id": run.thread_id},
        "metadata": {"run_id": run.id},
        "recursion_limit": _MAX_STEPS,
    }
