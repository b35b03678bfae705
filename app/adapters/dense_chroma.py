"""The vector index: one Chroma collection per knowledge base."""

import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import chromadb
import numpy as np
from chromadb.api.client import Client
from chromadb.api.models.Collection import Collection as ChromaCollection
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from app.adapters.embedder_settings import setting_of
from graphs.errors import DenseUnavailable, YoujuError
from graphs.evidence.passages import Hit
from graphs.ports import Embedder, Matrix, Vector

_BATCH = 5_000
"""Chroma takes 5,461 ids at most in one call."""


class FingerprintMismatch(YoujuError):
    """The stored vectors come from another embedder than the one in use."""

    def __init__(self, kb: str, stored: str, used: str) -> None:
        how = f"run `youju reindex --kb {kb}`"
        if (former := setting_of(stored)) != setting_of(used):
            how = (
                f"set {former} as before, or change the embedder with "
                f"`youju reindex --kb {kb} --change-embedder`"
            )
        super().__init__(
            f"knowledge base {kb!r} was indexed with {stored}, the service uses {used}; {how}"
        )
        self.kb, self.stored, self.used = kb, stored, used


class DenseIndex:
    """Vectors by passage id. Synchronous and thread-safe; one process only (see `lock`)."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._path = path
        self._fingerprint = embedder.fingerprint
        self._dimension = embedder.dimension
        self._open: dict[str, ChromaCollection] = {}
        self._opened: Client | None = None
        self._opening = threading.Lock()

    def ensure(self, kb: str) -> None:
        """Open the collection of `kb` and make it if missing; raise FingerprintMismatch."""
        self._collection(kb)

    def query(
        self, kb: str, vector: Vector, limit: int, exclude: Collection[str] = ()
    ) -> list[Hit]:
        """Return the nearest ids by cosine, best first; `exclude` filters documents in Chroma."""
        where = {"document": {"$nin": list(exclude)}} if exclude else None
        with _translated():
            found = self._collection(kb).query(
                query_embeddings=np.asarray([vector], dtype=np.float32),
                n_results=limit,
                where=where,  # type: ignore[arg-type] # Chroma's Where is an invariant dict
                include=["distances"],
            )
        distances = (found["distances"] or [[]])[0]
        return [
            Hit(key, 1.0 - float(gap)) for key, gap in zip(found["ids"][0], distances, strict=True)
        ]

    def vectors(self, kb: str, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the stored vectors; ids without one are left out."""
        found: dict[str, Vector] = {}
        for part in _parts(ids):
            with _translated():
                got = self._collection(kb).get(ids=list(part), include=["embeddings"])
            rows = np.asarray(got["embeddings"], dtype=np.float32)
            found.update(zip(got["ids"], rows, strict=True))
        return found

    def upsert(self, kb: str, ids: Sequence[str], documents: Sequence[str], rows: Matrix) -> None:
        """Store one vector per id with the document it belongs to."""
        for begin in range(0, len(ids), _BATCH):
            part = slice(begin, begin + _BATCH)
            with _translated():
                self._collection(kb).upsert(
                    ids=list(ids[part]),
                    embeddings=rows[part],
                    metadatas=[{"document": name} for name in documents[part]],
                )

    def delete(self, kb: str, ids: Sequence[str]) -> None:
        """Remove vectors; unknown ids do no harm."""
        for part in _parts(ids):
            with _translated():
                self._collection(kb).delete(ids=list(part))

    def ids(self, kb: str) -> set[str]:
        """Return every stored id."""
        with _translated():
            return set(self._collection(kb).get(include=[])["ids"])

    def count(self, kb: str) -> int:
        """Return how many vectors are stored."""
        with _translated():
            return self._collection(kb).count()

    def drop(self, kb: str) -> None:
        """Remove the collection with all vectors."""
        self._open.pop(kb, None)
        with _translated():
            try:
                self._client().delete_collection(_name(kb))
            except NotFoundError:
                return  # never made, or removed before a crash

    def close(self) -> None:
        """Let go of the files."""
        self._open.clear()
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def _client(self) -> Client:
        """Open the files at first use, so that a broken index leaves keyword search alone."""
        with self._opening:
            if self._opened is None:
                self._path.mkdir(parents=True, exist_ok=True)
                settings = Settings(anonymized_telemetry=False)
                try:
                    client = chromadb.PersistentClient(path=str(self._path), settings=settings)
                except AttributeError as error:  # Chroma's second try on files it could not read
                    raise DenseUnavailable(f"vector index: {error}") from error
                self._opened = cast(Client, client)  # ClientAPI leaves out `close`
            return self._opened

    def _collection(self, kb: str) -> ChromaCollection:
        known = self._open.get(kb)
        if known is not None:
            return known
        with _translated():
            collection = self._client().get_or_create_collection(
                _name(kb),
                embedding_function=None,
                metadata={"embedder": self._fingerprint, "dimension": self._dimension},
                configuration={"hnsw": {"space": "cosine"}},
            )
        stored = collection.metadata or {}
        if (stored.get("embedder"), stored.get("dimension")) != (
            self._fingerprint,
            self._dimension,
        ):
            raise FingerprintMismatch(kb, str(stored.get("embedder")), self._fingerprint)
        self._open[kb] = collection
        return collection


@contextmanager
def _translated() -> Iterator[None]:
    """Turn Chroma's errors, whose classes differ by mode, into DenseUnavailable."""
    try:
        yield
    except (ChromaError, ValueError, TypeError, OSError) as error:
        raise DenseUnavailable(f"vector index: {error}") from error


def _name(kb: str) -> str:
    return f"kb-{kb}"


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for begin in range(0, len(ids), _BATCH):
        yield ids[begin : begin + _BATCH]
