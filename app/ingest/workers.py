"""The worker processes of a large ingest; small ones are done in threads of this process."""

import asyncio
import logging
import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol, TypeVar, TypeVarTuple, runtime_checkable

import numpy as np

from app.ingest import work
from graphs.ports import Embedder, Matrix

logger = logging.getLogger(__name__)

SMALL = 200_000
"""Bytes, in one batch or several without a pause, below which starting processes (about 2 s each) costs more than it gains."""
_TEXTS_HERE = 32
"""Texts embedded in one step in this process: answering goes on between steps."""
_TEXTS_THERE = 96
"""Texts that a worker gets at a time."""
_MOST = 8
_IDLE_SECONDS = 60.0

Out = TypeVar("Out")
In = TypeVarTuple("In")


@runtime_checkable
class Copyable(Protocol):
    """An embedder of which every process can have a copy of its own."""

    def maker(self) -> Callable[[], Embedder]:
        """Return a picklable callable that makes the copy."""
        ...


class Workers:
    """Runs the functions of `work`. One event loop uses it."""

    def __init__(self, embedder: Embedder, count: int = 0) -> None:
        self._embedder = embedder
        self._count = min(count or os.cpu_count() or 1, _MOST)
        self._pool: ProcessPoolExecutor | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._users = 0
        self._stopped = False
        self._recent = 0
        """Bytes of the batches that came without a pause."""

    @property
    def ahead(self) -> int:
        """How many files are worth preparing before their turn."""
        return 2 * self._count if self._pool else 1

    def enter(self, size: int) -> None:
        """Get ready for a batch of `size` bytes; a call of `leave` must follow."""
        self._users += 1
        self._stopped = False
        self._recent += size
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        if self._pool is None and self._recent >= SMALL and isinstance(self._embedder, Copyable):
            self._pool = self._start(self._embedder.maker())

    def leave(self) -> None:
        """End what `enter` began; the processes stay a while for the next batch."""
        self._users -= 1
        if self._users == 0:
            self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._end)

    def close(self) -> None:
        """End the processes at once, whatever they are at; a later batch may start new ones."""
        self._stopped = True
        self._end()

    def _end(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        self._recent = 0
        pool, self._pool = self._pool, None
        if pool is not None:
            _kill(pool)

    async def run(self, call: Callable[[*In], Out], *arguments: *In) -> Out:
        """Run a function of `work` in a worker, or in a thread where there is none.

        Is cancelled where `close` ends the worker.
        """
        if self._pool is not None:
            try:
                loop = asyncio.get_running_loop()
                return await loop.run_in_executor(self._pool, call, *arguments)
            except BrokenProcessPool:
                self._give_up()
        return await asyncio.to_thread(call, *arguments)

    async def embed(self, texts: Sequence[str]) -> Matrix:
        """Embed texts, each distinct one once, off the event loop and in small steps."""
        distinct = list(dict.fromkeys(texts))
        rows = await self._embed_distinct(distinct)
        if len(distinct) == len(texts):
            return rows
        places = {text: at for at, text in enumerate(distinct)}
        return rows[[places[text] for text in texts]]

    async def _embed_distinct(self, texts: Sequence[str]) -> Matrix:
        none = self._embedder.embed([])
        if self._pool is not None:
            try:
                parts = await self._embed_there(self._pool, texts)
                return np.concatenate([none, *parts])
            except BrokenProcessPool:
                self._give_up()
        parts = [
            await asyncio.to_thread(self._embedder.embed, texts[begin : begin + _TEXTS_HERE])
            for begin in range(0, len(texts), _TEXTS_HERE)
        ]
        return np.concatenate([none, *parts])

    async def _embed_there(self, pool: ProcessPoolExecutor, texts: Sequence[str]) -> list[Matrix]:
        loop = asyncio.get_running_loop()
        return await asyncio.gather(
            *(
                loop.run_in_executor(pool, work.embed, texts[begin : begin + _TEXTS_THERE])
                for begin in range(0, len(texts), _TEXTS_THERE)
            )
        )

    def _start(self, maker: Callable[[], Embedder]) -> ProcessPoolExecutor | None:
        # spawn: a fork would copy locks that Chroma's threads hold
        context = multiprocessing.get_context("spawn")
        try:
            return ProcessPoolExecutor(self._count, context, work.begin, (maker,))
        except OSError as error:  # no shared memory for its queues, say
            logger.warning("ingest goes on without worker processes: %s", error)
            return None

    def _give_up(self) -> None:
        """Go on in this process: a worker was killed, perhaps for want of memory."""
        if self._stopped:
            raise asyncio.CancelledError  # this process is to end as well: it takes nothing over
        logger.warning("a worker process of the ingest ended; going on without them")
        self._end()


def _kill(pool: ProcessPoolExecutor) -> None:
    """End a pool without waiting for its work, so that nothing waits for it at exit either."""
    processes = list((pool._processes or {}).values())  # no public way before Python 3.14
    results = pool._result_queue
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    # the pool's thread may be reading a result that will never be complete: it gets its end
    results._writer.close()  # type: ignore[attr-defined]
