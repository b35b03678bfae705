"""Ingest a folder and die by SIGKILL at a chosen point: `killed_ingest.py DATA SOURCE POINT N [KB]`."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.ingest.reports import Source

KB = "plant"


def sources(folder: Path) -> list[Source]:
    return [Source(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]


def dying(call: Callable[..., Any], when: str, number: int) -> Callable[..., Any]:
    """Return `call` that kills the process before or after its `number`-th run."""
    runs = 0

    def wrapped(*arguments: Any, **named: Any) -> Any:
        nonlocal runs
        runs += 1
        if when == "before" and runs == number:
            os.kill(os.getpid(), signal.SIGKILL)
        result = call(*arguments, **named)
        if when == "after" and runs == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return wrapped


def main() -> None:
    data, source, point, number = (
        Path(sys.argv[1]),
        Path(sys.argv[2]),
        sys.argv[3],
        int(sys.argv[4]),
    )
    library = StoredLibrary(data, UseEmbedder())
    part, method, when = point.split(".")
    owner = getattr(library.stores, part)
    setattr(owner, method, dying(getattr(owner, method), when, number))
    kb = sys.argv[5] if len(sys.argv) > 5 else KB
    asyncio.run(Indexer(library).ingest(kb, sources(source)))
    library.close()


if __name__ == "__main__":
    main()
