"""The graph for LangGraph Studio: its server keeps the checkpoints, so it is compiled without."""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

from app.adapters.lock import DataLock
from app.runs import Graph
from app.settings import Settings
from app.wiring import open_core

DATA_DIR = Path(".data-studio")
"""Where nothing else is set: a folder of its own, so that Studio runs beside the service."""


class _Studio:
    """Opens the data folder at the first use; the server asks for the graph at every run."""

    def __init__(self) -> None:
        self._opening = asyncio.Lock()
        self._opened = AsyncExitStack()
        self._graph: Graph | None = None

    async def graph(self) -> Graph:
        """Return the graph. Raises DataFolderBusy where another process holds the folder."""
        async with self._opening:
            if self._graph is None:
                self._graph = await self._open()
            return self._graph

    async def _open(self) -> Graph:
        # files in threads: the server refuses to wait for them in its event loop
        settings = await asyncio.to_thread(_settings)
        lock = DataLock(settings.data_dir)
        async with AsyncExitStack() as opening:
            await asyncio.to_thread(lock.acquire)
            opening.callback(lock.release)
            core = await opening.enter_async_context(open_core(settings))
            compiled = core.builder.compile(name="ask")
            self._opened = opening.pop_all()
        return compiled


def _settings() -> Settings:
    settings = Settings()
    if "data_dir" in settings.model_fields_set:
        return settings
    return settings.model_copy(update={"data_dir": DATA_DIR})


_studio = _Studio()


async def graph() -> Graph:
    """Return the graph that `langgraph.json` exports."""
    return await _studio.graph()
