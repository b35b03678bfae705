import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.adapters.lock import DataFolderBusy, DataLock, read_holder

HOLD = """
import sys, time
from pathlib import Path
from app.adapters.lock import DataLock
lock = DataLock(Path(sys.argv[1]))
lock.acquire("http://127.0.0.1:8123")
print("held", flush=True)
time.sleep(60)
"""


def test_second_holder_learns_pid_and_address(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "held"
        with pytest.raises(DataFolderBusy) as caught:
            DataLock(tmp_path).acquire()
        assert str(process.pid) in str(caught.value)
        assert "http://127.0.0.1:8123" in str(caught.value)
        holder = read_holder(tmp_path)
        assert holder is not None
        assert (holder.pid, holder.address) == (process.pid, "http://127.0.0.1:8123")
        process.send_signal(signal.SIGKILL)
    assert read_holder(tmp_path) is None
    lock = DataLock(tmp_path)
    lock.acquire()
    lock.release()


def test_free_folder_has_no_holder(tmp_path: Path) -> None:
    assert read_holder(tmp_path) is None
    lock = DataLock(tmp_path / "new")
    lock.acquire()
    assert read_holder(tmp_path / "new") is not None
    lock.release()
    assert read_holder(tmp_path / "new") is None


def test_address_can_be_announced_later(tmp_path: Path) -> None:
    lock = DataLock(tmp_path)
    lock.acquire()
    lock.announce("http://127.0.0.1:9")
    holder = read_holder(tmp_path)
    assert holder is not None
    assert (holder.pid, holder.address) == (os.getpid(), "http://127.0.0.1:9")
    lock.release()
    lock.release()
