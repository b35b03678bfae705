"""Key phrases with their vectors, and the measured backgrounds of rerankers."""

import sqlite3
from collections.abc import Mapping, Sequence

import numpy as np

from app.adapters.database import Database
from graphs.ports import Background, Matrix, Vocabulary

_LIMIT = 4_000
_PAIRS = 4_000
_SEED = 20_240_701
_UNMEASURED = (0.12, 0.10)
"""Mean and deviation of unrelated phrases, used below two phrases (seen with USE)."""


class VocabularyStore:
    """What a knowledge base talks about, in its own words."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set_phrases(
        self,
        connection: sqlite3.Connection,
        document_id: str,
        phrases: Mapping[str, tuple[int, bool]],
    ) -> None:
        """Replace a document's phrases: phrase to (chunks that hold it, stands in a heading)."""
        connection.execute("DELETE FROM phrases WHERE document_id = ?", (document_id,))
        connection.executemany(
            "INSERT INTO phrases(document_id, phrase, chunks, heading) VALUES (?, ?, ?, ?)",
            [(document_id, key, count, int(top)) for key, (count, top) in phrases.items()],
        )

    def missing(self, kb: str, embedder: str) -> list[str]:
        """Return the phrases of the vocabulary that have no vector yet."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT v.phrase FROM ({_RANKED}) v LEFT JOIN phrase_vectors p "
                "ON p.phrase = v.phrase AND p.embedder = :embedder WHERE p.phrase IS NULL",
                {"kb": kb, "embedder": embedder, "limit": _LIMIT},
            )
            return [row["phrase"] for row in rows]

    def save_vectors(
        self, connection: sqlite3.Connection, embedder: str, phrases: Sequence[str], rows: Matrix
    ) -> None:
        """Store one float16 vector per phrase."""
        connection.executemany(
            "INSERT OR REPLACE INTO phrase_vectors(embedder, phrase, vector) VALUES (?, ?, ?)",
            [
                (embedder, phrase, row.astype(np.float16).tobytes())
                for phrase, row in zip(phrases, rows, strict=True)
            ],
        )

    def prune(self, connection: sqlite3.Connection) -> None:
        """Forget the vectors of phrases that no document holds any more."""
        connection.execute(
            "DELETE FROM phrase_vectors WHERE phrase NOT IN (SELECT phrase FROM phrases)"
        )

    def read(self, kb: str, embedder: str, dimension: int) -> Vocabulary:
        """Return the vocabulary, most frequent phrase first."""
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT v.phrase, v.df, p.vector FROM ({_RANKED}) v JOIN phrase_vectors p "
                "ON p.phrase = v.phrase AND p.embedder = :embedder ORDER BY v.df DESC, v.phrase",
                {"kb": kb, "embedder": embedder, "limit": _LIMIT},
            ).fetchall()
        flat = np.frombuffer(b"".join(row["vector"] for row in rows), dtype=np.float16)
        vectors = flat.astype(np.float32).reshape(-1, dimension)
        mean, deviation = _background(vectors)
        return Vocabulary(
            phrases=tuple(row["phrase"] for row in rows),
            vectors=vectors,
            frequency=tuple(row["df"] for row in rows),
            background_mean=mean,
            background_deviation=deviation,
        )

    def background(self, kb: str, fingerprint: str) -> Background | None:
        """Return a reranker's measured background, or None."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT mean, deviation, pairs FROM backgrounds WHERE kb = ? AND fingerprint = ?",
                (kb, fingerprint),
            ).fetchone()
        return Background(row["mean"], row["deviation"], row["pairs"]) if row else None

    def save_background(self, kb: str, fingerprint: str, background: Background) -> None:
        """Store a reranker's measured background."""
        with self._database.write() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO backgrounds(kb, fingerprint, mean, deviation, pairs) "
                "VALUES (?, ?, ?, ?, ?)",
                (kb, fingerprint, background.mean, background.deviation, background.pairs),
            )


_RANKED = (
    "SELECT p.phrase, sum(p.chunks) AS df FROM phrases p "
    "JOIN documents d ON d.id = p.document_id WHERE d.kb = :kb GROUP BY p.phrase "
    "ORDER BY max(p.heading) DESC, df DESC, p.phrase LIMIT :limit"
)


def _background(vectors: Matrix) -> tuple[float, float]:
    """Return mean and deviation of the cosine of random phrase pairs; the seed is fixed."""
    count = len(vectors)
    if count < 2:
        return _UNMEASURED
    random = np.random.default_rng(_SEED)
    left = random.integers(0, count, _PAIRS)
    right = (left + random.integers(1, count, _PAIRS)) % count
    cosines = np.einsum("ij,ij->i", vectors[left], vectors[right])
    return float(cosines.mean()), max(float(cosines.std()), 0.01)
