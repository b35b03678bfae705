"""The exclusive lock on a data folder: one process owns its vector index."""

import fcntl
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from graphs.errors import YoujuError

_NAME = "youju.lock"
_PATIENCE = 0.5
"""Seconds to try again: a reader that probes the lock holds it for an instant."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who owns a data folder. `address` is None unless it serves HTTP; `started` is Unix seconds."""

    pid: int
    address: str | None
    started: float


class DataFolderBusy(YoujuError):
    """Another process owns the data folder."""

    def __init__(self, data_dir: Path, holder: Holder | None) -> None:
        who = "another process"
        if holder is not None:
            where = f" serving {holder.address}" if holder.address else ""
            who = f"process {holder.pid}{where}"
        super().__init__(f"{data_dir} is in use by {who}; stop it or talk to its address")
        self.holder = holder


class DataLock:
    """Holds a data folder until `release` or the end of the process."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._handle: int | None = None
        self._started = 0.0

    def acquire(self, address: str | None = None) -> None:
        """Take the folder, or raise DataFolderBusy with the holder's pid and address."""
        if self._handle is not None:
            return
        self._data_dir.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._data_dir / _NAME, os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + _PATIENCE
        while not _try_lock(handle, fcntl.LOCK_EX):
            if time.monotonic() >= until:
                os.close(handle)
                raise DataFolderBusy(self._data_dir, _read(self._data_dir / _NAME))
            time.sleep(0.02)
        self._handle, self._started = handle, time.time()
        self.announce(address)

    def announce(self, address: str | None) -> None:
        """Write where the holder serves, once that is known."""
        if self._handle is None:
            raise RuntimeError("announce needs an acquired lock")
        content = json.dumps({"pid": os.getpid(), "address": address, "started": self._started})
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, content.encode(), 0)

    def release(self) -> None:
        """Give the folder back; a second call does nothing."""
        if self._handle is not None:
            os.ftruncate(self._handle, 0)
            os.close(self._handle)  # closing drops the lock
            self._handle = None


def read_holder(data_dir: Path) -> Holder | None:
    """Return who owns `data_dir`, or None if nobody does."""
    path = data_dir / _NAME
    if not path.exists():
        return None
    handle = os.open(path, os.O_RDONLY)
    try:
        if _try_lock(handle, fcntl.LOCK_SH):
            return None
    finally:
        os.close(handle)
    for _ in range(10):  # the holder may be about to write its line
        holder = _read(path)
        if holder is not None:
            return holder
        time.sleep(0.02)
    return Holder(pid=0, address=None, started=0.0)


def _try_lock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(path: Path) -> Holder | None:
    try:
        content = json.loads(path.read_text() or "null")
    except json.JSONDecodeError:
        return None  # caught between truncate and write
    if not isinstance(content, dict):
        return None
    return Holder(content["pid"], content["address"], content["started"])
