"""A run that this process drives, as its followers see it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence

from app.run_records import Event
from app.run_store import RunStore

POLL_SECONDS = 1.0
"""How often the table is asked about a run that another process drives."""


class Active:
    """Its task, its last event, and a bell for whoever waits for the next one."""

    def __init__(self, goes_on: bool = False) -> None:
        self.goes_on = goes_on
        """Whether its first attempt goes on at a checkpoint that lies there already."""
        self.task: asyncio.Task[None] | None = None
        self.changed = asyncio.Condition()
        self.last = 0
        self.over = False
        self.cancelled = False

    async def advance(self, last: int | None = None) -> None:
        """Wake the followers: there are events up to `last`, or the run is over."""
        async with self.changed:
            self.last, self.over = last or self.last, last is None
            self.changed.notify_all()

    async def beyond(self, seen: int, seconds: float) -> None:
        """Wait until there is an event after `seen`, the run is over, or `seconds` have passed."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds), self.changed:
                await self.changed.wait_for(lambda: self.last > seen or self.over)


async def follow(
    store: RunStore,
    active_of: Callable[[str], Active | None],
    run_id: str,
    after: int,
    heartbeat: float,
) -> AsyncIterator[Sequence[Event]]:
    """Yield the events after `after` as they come; an empty batch is a heartbeat.

    Ends after `done`, or where the log ends if the run was interrupted.
    """
    loop = asyncio.get_running_loop()
    quiet_since = loop.time()
    while True:
        active = active_of(run_id)
        over = active is None and (await store.run(run_id)).status != "running"
        events = await store.events(run_id, after)
        if events:
            after, quiet_since = events[-1].id, loop.time()
            yield events
        elif over:
            return
        if events and events[-1].type == "done":
            return
        if loop.time() - quiet_since >= heartbeat:
            quiet_since = loop.time()
            yield []
        seconds = min(heartbeat, quiet_since + heartbeat - loop.time())
        if active is None:
            # Another process drives it, or it ended just now: the table tells.
            await asyncio.sleep(min(seconds, POLL_SECONDS))
        else:
            await active.beyond(after, seconds)
