"""Child processes that read files, kept for the next file and ended when one hangs or crashes."""

import atexit
import json
import logging
import os
import selectors
import subprocess
import sys
import threading
import time
from typing import Any

from app.ingest.converters.child import REPLY, REQUEST
from app.ingest.converters.converted import Converted, FileRejected

logger = logging.getLogger(__name__)

SECONDS = 120
SECONDS_PER_MB = 30
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
"""Variables that a child gets: a file that takes one over finds no keys there."""
_MEGABYTE = 1024 * 1024


class ConverterPool:
    """At most `size` children; the first file starts one (about half a second)."""

    def __init__(
        self, size: int | None = None, seconds: int = SECONDS, module: str | None = None
    ) -> None:
        self._seconds = seconds
        self._module = module or "app.ingest.converters.child"
        self._room = threading.Semaphore(size or os.cpu_count() or 1)
        self._idle: list[_Child] = []
        self._guard = threading.Lock()
        atexit.register(self.close)

    def convert(self, suffix: str, data: bytes) -> Converted:
        """Return the canonical text of a file; raise FileRejected, also after a hang or a crash."""
        seconds = self._seconds + SECONDS_PER_MB * (len(data) // _MEGABYTE)
        with self._room:
            answer = self._ask(suffix, data, seconds)
        if "converted" in answer:
            fields = answer["converted"]
            return Converted(**{**fields, "pages": tuple(fields["pages"])})
        if "rejected" in answer:
            raise FileRejected(*answer["rejected"])
        if "exhausted" in answer:
            raise FileRejected(
                "too_complex", "the file nests too deeply, or reading it takes more memory than allowed",
                "split it into smaller files, or save a copy without pictures and formatting",
            )  # fmt: skip
        logger.warning("a %s file could not be read: %s", suffix, answer["failed"])
        raise FileRejected(
            "corrupt", f"the file is damaged or not a usual {suffix} file",
            "open it in the program that made it, save it again and upload the copy",
        )  # fmt: skip

    def close(self) -> None:
        """End the children that wait for work."""
        with self._guard:
            idle, self._idle = self._idle, []
        for child in idle:
            child.end()

    def _ask(self, suffix: str, data: bytes, seconds: int) -> dict[str, Any]:
        child = self._take()
        try:
            answer = child.ask(suffix, data, seconds)
        except TimeoutError as error:
            child.end()
            raise FileRejected(
                "too_slow", f"reading the file took more than {seconds} seconds",
                "split it into smaller files, or save a copy of it in its own program",
            ) from error  # fmt: skip
        except (EOFError, BrokenPipeError) as error:
            if child.has_left():
                return self._ask(suffix, data, seconds)  # it had been idle for too long
            child.end()
            raise FileRejected(
                "crashed", "the converter broke down on this file",
                "open it in the program that made it, save it again and upload the copy",
            ) from error  # fmt: skip
        except BaseException:
            child.end()  # interrupted between request and reply: it must not answer the next one
            raise
        if answer["last"]:
            child.end()
            return answer
        with self._guard:
            self._idle.append(child)
        return answer

    def _take(self) -> "_Child":
        while True:
            with self._guard:
                child = self._idle.pop() if self._idle else None
            if child is None:
                return _Child(self._module)
            if child.alive:
                return child
            child.end()


class _Child:
    """One child process between two requests."""

    def __init__(self, module: str) -> None:
        self.served = 0
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment["PYTHONPATH"] = os.pathsep.join(sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # Ctrl-C is the parent's; its end closes our pipe
        )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def has_left(self) -> bool:
        """Tell whether the process ended by itself before it began, and release it then."""
        if self.served == 0:
            return False
        try:
            left = self._process.wait(timeout=1) == 0
        except subprocess.TimeoutExpired:
            return False
        if left:
            self.end()
        return left

    def ask(self, suffix: str, data: bytes, seconds: int) -> dict[str, Any]:
        """Send one file and return the reply. Raises TimeoutError, EOFError, BrokenPipeError."""
        ending = suffix.encode()
        deadline = time.monotonic() + seconds
        assert self._process.stdin is not None
        self._process.stdin.write(REQUEST.pack(len(ending), len(data), seconds) + ending + data)
        self._process.stdin.flush()
        (size,) = REPLY.unpack(self._receive(REPLY.size, deadline))
        answer: dict[str, Any] = json.loads(self._receive(size, deadline))
        self.served += 1
        return answer

    def end(self) -> None:
        """Kill the process and release its pipes."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                try:
                    stream.close()
                except BrokenPipeError:
                    continue  # what was not sent yet has nobody left to read it

    def _receive(self, size: int, deadline: float) -> bytes:
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        parts: list[bytes] = []
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while size > 0:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise TimeoutError
                part = os.read(pipe, min(size, _MEGABYTE))
                if not part:
                    raise EOFError
                parts.append(part)
                size -= len(part)
        return b"".join(parts)
