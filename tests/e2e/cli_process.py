"""The command line as processes of their own, without a home folder and without a model."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from app.adapters.lock import read_holder

ROOT = Path(__file__).parents[2]
VENV = Path(sys.prefix)
YOUJU = VENV / "bin" / "youju"
START_SECONDS = 90


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    path = {"PATH": os.environ["PATH"], "YOUJU_DATA_DIR": str(data_dir), "YOUJU_LLM": "off"}
    return path | more


def youju(data_dir: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in the folder that holds the data folder."""
    return subprocess.run(
        [str(YOUJU), *arguments],
        cwd=data_dir.parent,
        env=environment(data_dir, **more),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@dataclass(frozen=True, slots=True)
class Served:
    """A server that accepts connections, what it said so far, and its process."""

    data_dir: Path
    address: str
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def said(self) -> str:
        return self.log.read_text("utf-8")

    def get(self, url: str) -> Any:
        response = httpx.get(self.address + url, timeout=30, trust_env=False)
        assert response.is_success, response.text
        return response.json()


@contextmanager
def serving(
    data_dir: Path, command: Sequence[str | Path], cwd: Path | None = None, **more: str
) -> Iterator[Served]:
    """Start a server in a process group of its own and wait until it announces its address."""
    log = data_dir.parent / f"{data_dir.name}.log"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command,
            cwd=cwd or data_dir.parent,
            env=environment(data_dir, **more),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield Served(data_dir, _address(data_dir, process, log), log, process)
        finally:
            process.terminate()


def _address(data_dir: Path, process: subprocess.Popen[bytes], log: Path) -> str:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        holder = read_holder(data_dir)
        if holder is not None and holder.address is not None:
            return holder.address
        time.sleep(0.1)
    raise AssertionError(f"the server did not start:\n{log.read_text('utf-8')}")
