"""Files prepared ahead of their turn, and put together so that small ones share a transaction."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from app.ingest.loading import FileRejected, clean_name
from app.ingest.reports import FileReport, Readable
from app.ingest.taking import Taken
from app.ingest.writing import ROWS

_BYTES_AHEAD = 4_000_000
"""Bytes of the files that are prepared ahead: they and their passages are in memory."""
_REPORTS = 50
"""Files after which a group is told of, even if nothing is to be written."""

Ready = tuple[int, Taken | FileReport]
"""A file's size and what is to be done of it."""


@dataclass(slots=True)
class Group:
    """Files that go through the stores together; `size` is their bytes."""

    taken: list[Taken] = field(default_factory=list)
    reports: list[FileReport] = field(default_factory=list)
    size: int = 0
    chunks: int = 0

    def add(self, size: int, one: Taken | FileReport) -> None:
        """Take up a file."""
        self.size += size
        if isinstance(one, Taken):
            self.taken.append(one)
            self.chunks += one.incoming.chunks
        self.reports.append(one.report if isinstance(one, Taken) else one)


async def in_turn(
    sources: Sequence[Readable],
    take: Callable[[Readable], Awaitable[Ready]],
    ahead: Callable[[], int],
) -> AsyncGenerator[Ready | None, None]:
    """Yield what `take` makes of the sources in their order, working on some ahead.

    None asks for everything to be written that was yielded: a name comes a second time.
    """
    running: deque[tuple[int, asyncio.Task[Ready]]] = deque()
    names: set[str] = set()
    try:
        for source in sources:
            name = _name(source)
            while running and (
                name in names or len(running) >= ahead() or _size(running) > _BYTES_AHEAD
            ):
                yield await running.popleft()[1]
            if name in names:
                names.clear()
                yield None
            names.add(name)
            running.append((source.size, asyncio.ensure_future(take(source))))
        while running:
            yield await running.popleft()[1]
    finally:
        for _, task in running:
            task.cancel()
        await asyncio.gather(*(task for _, task in running), return_exceptions=True)


async def grouped(ready: AsyncGenerator[Ready | None, None]) -> AsyncGenerator[Group, None]:
    """Yield the files in groups of one transaction; a large file is a group of its own."""
    group = Group()
    async with aclosing(ready):
        async for one in ready:
            if one is None or _is_full(group, one[1]):
                yield group
                group = Group()
            if one is not None:
                group.add(*one)
    if group.reports:
        yield group


def _is_full(group: Group, following: Taken | FileReport) -> bool:
    if len(group.reports) >= _REPORTS:
        return True
    chunks = following.incoming.chunks if isinstance(following, Taken) else 0
    return bool(group.taken) and group.chunks + chunks > ROWS


def _name(source: Readable) -> str:
    try:
        return clean_name(source.name)
    except FileRejected:
        return source.name  # refused when its turn comes


def _size(running: deque[tuple[int, asyncio.Task[Ready]]]) -> int:
    return sum(size for size, _ in running)
