"""The child process that reads files: one request after the other over its standard streams.

A request is two lengths (ending, content), the seconds it may take, then ending and content; the
reply is a length and JSON. Started by `pool`; run as `python -m app.ingest.converters.child`.
"""

import json
import os
import resource
import select
import signal
import struct
import sys
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from typing import BinaryIO

from app.ingest.converters.converted import Converted, FileRejected
from app.ingest.converters.formats import FORMATS

REQUEST = struct.Struct(">QQQ")
REPLY = struct.Struct(">Q")
MEMORY = 3 * 1024**3
"""Bytes of address space: what a file needs beyond makes its converter fail, not the machine."""
_IDLE_SECONDS = 120
_GROWN = 512 * 1024**2
"""Peak of resident memory in bytes, after which the parent takes another child."""
_GRACE_SECONDS = 5


def convert_here(suffix: str, data: bytes) -> Converted:
    """Return the canonical text of a file, read in this process; raise FileRejected."""
    module = import_module(f"app.ingest.converters.{FORMATS[suffix].module}")
    read: Callable[[bytes], Converted] = module.read
    converted = read(data)
    if not converted.text.strip():
        raise FileRejected("empty_file", "the file holds no text", "upload a file with content")
    return converted


def main() -> None:
    """Answer requests until the parent closes the pipe or is quiet for two minutes."""
    requests = sys.stdin.buffer
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get between the replies
    _limit_memory()
    while select.select([requests], [], [], _IDLE_SECONDS)[0]:
        head = requests.read(REQUEST.size)
        if len(head) < REQUEST.size:
            return
        suffix, size, seconds = REQUEST.unpack(head)
        name = requests.read(suffix).decode()
        signal.alarm(seconds + _GRACE_SECONDS)  # ends this process if the parent is gone, too
        answer = _answer(name, requests.read(size))
        answer["last"] = _peak_memory() > _GROWN
        _send(replies, answer)
        signal.alarm(0)


def _answer(suffix: str, data: bytes) -> dict[str, object]:
    try:
        return {"converted": asdict(convert_here(suffix, data))}
    except FileRejected as refusal:
        return {"rejected": [refusal.code, refusal.message, refusal.hint]}
    except (MemoryError, RecursionError) as error:
        return {"exhausted": repr(error)}
    except Exception as error:
        # The boundary of one file: libraries raise anything at broken input. The parent logs it.
        return {"failed": f"{type(error).__name__}: {error}"}


def _send(replies: BinaryIO, answer: dict[str, object]) -> None:
    body = json.dumps(answer).encode()
    replies.write(REPLY.pack(len(body)) + body)
    replies.flush()


def _peak_memory() -> int:
    """Return the peak of this process's own resident memory in bytes."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            lines = [line.split() for line in status if line.startswith("VmHWM:")]
    except OSError:
        lines = []  # not Linux
    if lines:
        return int(lines[0][1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # Linux counts the parent's in, too
    return peak if sys.platform == "darwin" else peak * 1024


def _limit_memory() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ValueError, OSError):
        return  # macOS takes no such limit; the time limit still holds


if __name__ == "__main__":
    main()
