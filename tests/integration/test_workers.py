"""Worker processes: the same result as without them, and no process is left behind."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from stored import contents

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest import finishing, workers
from app.ingest.indexing import Indexer
from app.ingest.reports import Progress, Source

SOURCES = [
    Source(
        f"file-{number}.md",
        f"# 规程{number}号\n\n".encode()
        + "".join(
            f"## 第{part}项\n\n第{number}号设备的第{part}项定值为 {part * number} kPa，应每周检查。\n\n"
            for part in range(3 + 40 * (number == 5))
        ).encode(),
    )
    for number in range(12)
]
KILLED = """
import asyncio, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from test_workers import SOURCES
from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest import workers
from app.ingest.indexing import Indexer
if __name__ == "__main__":
    workers.SMALL = 1
    def show(at):
        if at.chunks:
            print("running", flush=True)
    asyncio.run(Indexer(StoredLibrary(Path(sys.argv[1]), UseEmbedder())).ingest("kb", SOURCES * 50, show))
"""

CLOSED = """
import asyncio, multiprocessing, time
from app.adapters.embed_use import UseEmbedder
from app.ingest import workers
async def main():
    workers.SMALL = 1
    pool = workers.Workers(UseEmbedder(), 2)
    pool.enter(1)
    await pool.run(abs, -1)
    busy = [asyncio.ensure_future(pool.run(time.sleep, 120)) for _ in range(3)]
    await asyncio.sleep(0.5)
    print(*(child.pid for child in multiprocessing.active_children()), flush=True)
    pool.close()
if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.fixture
async def library(tmp_path: Path, embedder: UseEmbedder) -> AsyncIterator[StoredLibrary]:
    opened = StoredLibrary(tmp_path / "data", embedder)
    yield opened
    opened.close()


def children(pid: int) -> set[int]:
    """Return the children of a process but Python's own, which stays and ends with it."""
    found: set[int] = set()
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        found.update(map(int, path.read_text().split()))
    return {
        child
        for child in found
        if b"resource_tracker" not in Path(f"/proc/{child}/cmdline").read_bytes()
    }


async def test_workers_store_what_one_process_stores(
    library: StoredLibrary, tmp_path: Path, embedder: UseEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = children(os.getpid())
    whole = StoredLibrary(tmp_path / "whole", embedder)
    await Indexer(whole).ingest("kb", SOURCES)
    assert children(os.getpid()) == before, "a small ingest starts no process"
    monkeypatch.setattr(workers, "SMALL", 1)
    indexer = Indexer(library, workers=2)
    report = await indexer.ingest("kb", SOURCES)
    assert len(children(os.getpid()) - before) >= 2
    assert [file.name for file in report.files] == [source.name for source in SOURCES]
    assert contents(library.stores, "kb") == contents(whole.stores, "kb")
    indexer.close()
    whole.close()
    await _gone(children(os.getpid()) - before)


async def test_ingest_survives_the_loss_of_its_workers(
    library: StoredLibrary, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(workers, "SMALL", 1)
    before = children(os.getpid())
    killed = False

    def kill(at: Progress) -> None:
        nonlocal killed
        if at.chunks and not killed:
            killed = True
            for pid in children(os.getpid()) - before:
                os.kill(pid, signal.SIGKILL)

    indexer = Indexer(library, workers=2)
    report = await indexer.ingest("kb", SOURCES, kill)
    indexer.close()
    assert killed
    assert report.count("added") == len(SOURCES)
    assert "going on without them" in caplog.text
    assert library.stores.dense.count("kb") == report.chunks


async def test_closing_ends_a_busy_worker_at_once(
    embedder: UseEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "SMALL", 1)
    before = children(os.getpid())
    threads = set(threading.enumerate())
    pool = workers.Workers(embedder, 1)
    pool.enter(1)
    await pool.run(abs, -1)
    started = children(os.getpid()) - before
    assert started
    busy = asyncio.ensure_future(pool.run(time.sleep, 120))
    queued = [asyncio.ensure_future(pool.run(time.sleep, 120)) for _ in range(3)]
    await asyncio.sleep(0.5)
    began = time.monotonic()
    pool.close()
    outcomes = await asyncio.gather(busy, *queued, return_exceptions=True)
    await _gone(started)
    for thread in set(threading.enumerate()) - threads:
        if "Executor" in type(thread).__name__:  # what Python waits for when it exits
            await asyncio.to_thread(thread.join, 10)
            assert not thread.is_alive()
    assert time.monotonic() - began < 10
    assert all(isinstance(outcome, asyncio.CancelledError) for outcome in outcomes)


def test_process_exits_at_once_after_closing_a_busy_pool() -> None:
    command = [sys.executable, "-c", CLOSED]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        started = set(map(int, process.stdout.readline().split()))
        assert started
        try:
            process.wait(20)
        finally:
            process.kill()
    asyncio.run(_gone(started))


def test_workers_end_with_a_killed_parent(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(tmp_path), str(Path(__file__).parent)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "running"
        started = children(process.pid)
        assert started
        process.kill()
    asyncio.run(_gone(started))


async def test_finishing_waits_for_the_last_of_several_requests(library: StoredLibrary) -> None:
    indexer = Indexer(library)
    await indexer.ingest("kb", SOURCES[:2], more=True)
    assert library.stores.catalogue.dirty("kb"), "a kill now leaves work to the next start"
    assert not (await (await library.open("kb")).vocabulary()).phrases
    report = await indexer.ingest("kb", SOURCES[:2])
    assert report.count("unchanged") == 2
    assert not library.stores.catalogue.dirty("kb")
    assert (await (await library.open("kb")).vocabulary()).phrases


async def test_finishing_comes_by_itself_where_no_further_request_comes(
    library: StoredLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finishing, "_PATIENCE", 0.1)
    indexer = Indexer(library)
    await indexer.ingest("kb", SOURCES[:2], more=True)
    for _ in range(200):
        if not library.stores.catalogue.dirty("kb"):
            break
        await asyncio.sleep(0.1)
    assert not library.stores.catalogue.dirty("kb")
    indexer.close()


async def _gone(pids: set[int]) -> None:
    until = time.monotonic() + 20
    while left := {pid for pid in pids if _runs(pid)}:
        assert time.monotonic() < until, f"still running: {left}"
        await asyncio.sleep(0.1)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
