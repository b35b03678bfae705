"""From a cold start to the first answer, and what an installation and its data weigh."""

import argparse
import asyncio
import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from socket import socket
from typing import Any

import httpx
import numpy as np

from benchmarks.reporting import RESULTS, Report, Scale, Table, arguments, finish
from benchmarks.samples import FOLDERS, Labelled, labelled, service

RUNS: dict[Scale, int] = {"tiny": 1, "short": 5, "full": 15}
_LONGEST = 60.0
_LOOK = 0.02
"""Seconds between two looks at /readyz; times are this exact."""
_MB = 1024 * 1024
_SERVE = [sys.executable, "-c", "from app.cli import main; main()", "serve"]


async def measure(scale: Scale, venv: Path | None = None) -> Report:
    """Weigh each sample knowledge base, then start a process several times on both."""
    sizes = {}
    for kb in FOLDERS:
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            async with service(Path(folder), [kb]):
                seconds = time.perf_counter() - began
            sizes[kb] = {"mb": weight(Path(folder)), "ingest_seconds": round(seconds, 2)}
    with tempfile.TemporaryDirectory() as folder:
        async with service(Path(folder)):
            pass
        starts = [
            await asyncio.to_thread(one_start, Path(folder), labelled()[0])
            for _ in range(RUNS[scale])
        ]
    figures: dict[str, Any] = {
        "runs": len(starts),
        "ready_seconds": _spread([ready for ready, _ in starts]),
        "first_answer_seconds": _spread([answered for _, answered in starts]),
        "data": sizes,
    }
    if venv is not None:
        figures["venv_mb"] = weight(venv)
    return Report("start", figures, _tables(figures))


def one_start(data_dir: Path, question: Labelled) -> tuple[float, float]:
    """Return seconds from the start of a process until it is ready and until it has answered."""
    with closing(socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.perf_counter()
    address = f"http://127.0.0.1:{port}"
    with _serving(data_dir, port) as process, httpx.Client(base_url=address) as client:
        _wait(process, client, began)
        ready = time.perf_counter() - began
        reply = client.post("/ask", json={"kb": question.kb, "question": question.question})
        reply.raise_for_status()
        if reply.json()["status"] != "answered":
            raise RuntimeError(f"the first question was not answered: {reply.json()['status']}")
        return ready, time.perf_counter() - began


@contextmanager
def _serving(data_dir: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"YOUJU_DATA_DIR": str(data_dir), "YOUJU_LLM": "off"}
    process = subprocess.Popen(
        [*_SERVE, "--port", str(port)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=_LONGEST)


def _wait(process: subprocess.Popen[str], client: httpx.Client, began: float) -> None:
    """Return once the service is ready; raise with what it said if it ended or took too long."""
    while process.poll() is None and time.perf_counter() - began < _LONGEST:
        with contextlib.suppress(httpx.TransportError):  # nobody listens yet
            if client.get("/readyz").status_code == httpx.codes.OK:
                return
        time.sleep(_LOOK)
    process.terminate()
    raise RuntimeError(f"the service did not become ready: {process.communicate()[1]}")


def weight(folder: Path) -> float:
    """Return the megabytes that a folder takes on disk, links not followed."""
    blocks = {
        (found.st_dev, found.st_ino): found.st_blocks
        for path in [folder, *folder.rglob("*")]
        for found in [path.lstat()]
    }
    return round(sum(blocks.values()) * 512 / _MB, 1)


def _spread(seconds: list[float]) -> dict[str, float]:
    low, median, high = np.percentile(seconds, (0, 50, 100))
    return {
        "min": round(float(low), 2),
        "median": round(float(median), 2),
        "max": round(float(high), 2),
    }


def _tables(figures: dict[str, Any]) -> list[Table]:
    names = {"ready_seconds": "until ready", "first_answer_seconds": "until the first answer"}
    times = [
        (name, *(f"{figures[key][part]:.2f}" for part in ("min", "median", "max")))
        for key, name in names.items()
    ]
    sizes = [
        (f"data folder of {kb}", f"{size['mb']:.1f}", f"{size['ingest_seconds']:.1f}")
        for kb, size in figures["data"].items()
    ]
    if "venv_mb" in figures:
        sizes.append(("virtual environment", f"{figures['venv_mb']:.0f}", ""))
    return [
        Table(
            f"Start of a process on an ingested data folder, {figures['runs']} runs (s)",
            ("", "min", "median", "max"),
            times,
        ),
        Table("Size on disk (MB), and ingest from nothing (s)", ("", "MB", "s"), sizes),
    ]


def parser() -> argparse.ArgumentParser:
    """Return the options of this script."""
    found = arguments("Measure start and sizes.", RESULTS / "start.json")
    found.add_argument("--venv", type=Path, help="a virtual environment to weigh")
    return found


if __name__ == "__main__":
    options = parser().parse_args()
    sys.exit(finish(asyncio.run(measure(options.scale, options.venv)), options))
