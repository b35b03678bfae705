"""What is measured beside a long job: memory, CPU, the event loop, searches."""

import asyncio
import os
import time
from dataclasses import dataclass, field
from pathlib import Path

from app.wiring import OpenServices


@dataclass
class Watch:
    """Samples memory and the lateness of a 5 ms heartbeat while a job runs."""

    started: float = field(default_factory=time.perf_counter)
    memory: list[tuple[float, float]] = field(default_factory=list)
    lateness: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    own_cpu: float = 0.0
    worker_cpu: float = 0.0

    async def beat(self) -> None:
        """Measure until cancelled, milliseconds and megabytes."""
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.005)
            self.lateness.append(1000 * (time.perf_counter() - began - 0.005))

    async def weigh(self) -> None:
        """Take the memory of this process and its workers twice a second."""
        while True:
            self.memory.append((time.perf_counter() - self.started, await asyncio.to_thread(_rss)))
            await asyncio.sleep(0.5)

    async def ask(self, services: OpenServices, kb: str) -> None:
        """Search once a second, as a question beside the ingest does."""
        while True:
            await asyncio.sleep(1.0)
            began = time.perf_counter()
            opened = await services.library.open(kb)
            await services.searcher.search(opened, "真空泵的轴承温度超过多少应当汇报？", 10, ())
            self.answers.append(1000 * (time.perf_counter() - began))


def _rss() -> float:
    """Return the resident memory of this process and its children, in MB."""
    page, total = os.sysconf("SC_PAGE_SIZE") / 2**20, 0.0
    for pid in (os.getpid(), *_children(os.getpid())):
        try:
            total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * page
        except OSError:  # it ended just now
            continue
    return total


def children_cpu() -> float:
    """Return the CPU seconds of the workers, their start included."""
    ticks = 0
    for pid in _children(os.getpid()):
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:  # the thread ended just now
            continue
    return found
