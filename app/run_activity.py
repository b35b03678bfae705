"""A run that this process drives, as its followers see it."""

import asyncio
import contextlib


class Active:
    """Its task, its last event, and a bell for whoever waits for the next one."""

    def __init__(self) -> None:
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
