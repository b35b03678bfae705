"""What worker processes do of an ingest. Each holds an embedder of its own."""

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.adapters.keyword_sqlite import Indexed, searchable
from app.ingest.atoms import SplitLimits
from app.ingest.converters.converted import Converted
from app.ingest.preparing import Prepared, prepare
from graphs.evidence import text
from graphs.evidence.passages import Passage
from graphs.ports import Embedder, Matrix

_NICE = 5
"""Answering goes first where both want a processor."""
_embedder: Embedder | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A converted file that is to be prepared; see `prepare`."""

    kb: str
    name: str
    converted: Converted
    limits: SplitLimits
    made_with: str


@dataclass(frozen=True, slots=True)
class Analysed:
    """A document with the keyword rows of its first passages."""

    prepared: Prepared
    indexed: list[Indexed]


def begin(make: Callable[[], Embedder]) -> None:
    """Set up a worker process: it ends with its parent, however that one ends."""
    global _embedder  # a process pool hands its workers no other place
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which ends the pool
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with contextlib.suppress(OSError):  # some sandboxes forbid it
        os.nice(_NICE)
    text.load()
    _embedder = make()
    _embedder.embed(["有据"])


def embed(texts: Sequence[str]) -> Matrix:
    """Embed in a worker process."""
    if _embedder is None:
        raise RuntimeError("this process was not set up by `begin`")
    return _embedder.embed(texts)


def analyse(task: Task, rows: int) -> Analysed:
    """Prepare a document, with the keyword rows of its first `rows` passages."""
    prepared = prepare(task.kb, task.name, task.converted, task.limits, task.made_with)
    return Analysed(prepared, index(prepared.passages[:rows]))


def index(passages: Sequence[Passage]) -> list[Indexed]:
    """Return the keyword rows of passages."""
    return [searchable(p.title, p.section, p.text, p.heading_row) for p in passages]


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(0)
