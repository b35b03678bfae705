"""Vectors that outlive a change of the index: a corpus is embedded once, indexed many times."""

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from graphs.ports import Embedder, Matrix

_PART = 500
"""Keys bound to one statement."""


class KeptVectors:
    """An embedder that looks every text up in a file first. Thread-safe."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._file.execute("PRAGMA journal_mode=WAL")
        self._file.execute("PRAGMA synchronous=OFF")  # what a power cut loses is made again
        self._file.execute(
            "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) "
            "STRICT, WITHOUT ROWID"
        )

    @property
    def fingerprint(self) -> str:
        """The embedder's fingerprint."""
        return self._embedder.fingerprint

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text; only texts not kept are embedded."""
        keys = [self._key(text) for text in texts]
        found = self._read(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            rows = self._embedder.embed(list(missing.values()))
            found |= dict(zip(missing, rows, strict=True))
            self._write({key: found[key] for key in missing})
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([found[key] for key in keys])

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _key(self, text: str) -> bytes:
        whole = f"{self.fingerprint}\x1f{text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(whole).digest()

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, Matrix]:
        found: dict[bytes, Matrix] = {}
        for begin in range(0, len(keys), _PART):
            part = keys[begin : begin + _PART]
            marks = ",".join("?" * len(part))
            with self._lock:
                rows = self._file.execute(
                    f"SELECT key, vector FROM vectors WHERE key IN ({marks})", tuple(part)
                ).fetchall()
            found |= {key: np.frombuffer(vector, dtype=np.float32) for key, vector in rows}
        return found

    def _write(self, rows: dict[bytes, Matrix]) -> None:
        with self._lock:
            self._file.execute("BEGIN")
            self._file.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                [(key, row.astype(np.float32).tobytes()) for key, row in rows.items()],
            )
            self._file.execute("COMMIT")
