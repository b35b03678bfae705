"""What confirmed links taught about each knowledge base, run by run, and the reading of it."""

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from app.adapters.database import Database
from graphs.evidence.learned import Adapter, Counts, Expansion, Known
from graphs.evidence.text import index_terms
from graphs.ports import Vector

_RUNS = 5
"""Runs kept for `undo`."""


@dataclass(frozen=True, slots=True)
class KnownLink:
    """A known question with one document that answers it, and the passage that it expands."""

    question: str
    document_id: str
    passage_id: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class LearningRun:
    """One run of learning. Where `applied` is false its questions are kept and change nothing.

    `created` is Unix seconds; `report` is what the trial found, as JSON.
    """

    embedder: str
    applied: bool
    adapter: Adapter
    weights: tuple[float, ...]
    fitted: bool
    """Whether the weights come from these links, or are the shipped ones."""
    report: str
    created: float = 0.0


class LearnedStore:
    """The tables of learning runs."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest(self, kb: str) -> tuple[int, LearningRun] | None:
        """Return number and content of the run that counts, or None."""
        sql = "SELECT * FROM learnings WHERE kb = ? ORDER BY run DESC LIMIT 1"
        with self._database.read() as connection:
            row = connection.execute(sql, (kb,)).fetchone()
        return (row["run"], _run_of(row)) if row else None

    def links(self, run: int) -> list[KnownLink]:
        """Return the known questions of a run, those of deleted documents left out."""
        sql = "SELECT * FROM known_questions WHERE run = ? ORDER BY question, document_id"
        with self._database.read() as connection:
            return [
                KnownLink(
                    row["question"],
                    row["document_id"],
                    row["passage_id"],
                    np.frombuffer(row["vector"], dtype=np.float32),
                )
                for row in connection.execute(sql, (run,))
            ]

    def save(self, kb: str, run: LearningRun, links: Sequence[KnownLink]) -> None:
        """Store a run as the one that counts; links to documents that are gone are left out."""
        adapter = run.adapter.left.tobytes() + run.adapter.right.tobytes()
        with self._database.write() as connection:
            number = connection.execute(
                "INSERT INTO learnings(kb, created, embedder, applied, dimension, adapter, weights, "
                "fitted, report) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (kb, time.time(), run.embedder, run.applied, len(run.adapter.left), adapter,
                 json.dumps(run.weights), run.fitted, run.report),
            ).lastrowid  # fmt: skip
            connection.executemany(
                "INSERT OR IGNORE INTO known_questions(run, question, document_id, passage_id, "
                "vector) SELECT ?, ?, id, ?, ? FROM documents WHERE id = ? AND kb = ?",
                [(number, link.question, link.passage_id,
                  link.vector.astype(np.float32).tobytes(), link.document_id, kb)
                 for link in links],
            )  # fmt: skip
            connection.execute(
                "DELETE FROM learnings WHERE kb = :kb AND run NOT IN "
                "(SELECT run FROM learnings WHERE kb = :kb ORDER BY run DESC LIMIT :kept)",
                {"kb": kb, "kept": _RUNS},
            )
            _changed(connection, kb)

    def undo(self, kb: str) -> bool:
        """Drop the newest run, so that the one before it counts; tell whether there was one."""
        sql = "DELETE FROM learnings WHERE run = (SELECT max(run) FROM learnings WHERE kb = ?)"
        with self._database.write() as connection:
            dropped = connection.execute(sql, (kb,)).rowcount > 0
            _changed(connection, kb)
        return dropped


def expansion_of(links: Sequence[tuple[KnownLink, Vector]]) -> Expansion:
    """Return the expansion of passages; each link comes with the vector of its passage.

    A vector moves half the way to the mean of its questions.
    """
    by_passage: dict[str, list[tuple[KnownLink, Vector]]] = {}
    for link, vector in links:
        by_passage.setdefault(link.passage_id, []).append((link, vector))
    rows: list[Vector] = []
    terms: list[Counts] = []
    for held in by_passage.values():
        moved = held[0][1] + np.mean([link.vector for link, _ in held], axis=0)
        rows.append(moved / max(float(np.linalg.norm(moved)), 1e-9))
        terms.append(Counter(term for link, _ in held for term in _terms(link.question)))
    documents = tuple(held[0][0].document_id for held in by_passage.values())
    dimension = len(rows[0]) if rows else 0
    matrix = np.array(rows, dtype=np.float32).reshape(len(rows), dimension)
    known = Known(
        tuple(link.question for link, _ in links),
        np.array([link.vector for link, _ in links], dtype=np.float32).reshape(-1, dimension),
        tuple(link.passage_id for link, _ in links),
        tuple(link.document_id for link, _ in links),
    )
    return Expansion(tuple(by_passage), documents, matrix, tuple(terms), known)


@lru_cache(maxsize=20_000)
def _terms(question: str) -> tuple[str, ...]:
    return tuple(index_terms(question))


def _changed(connection: sqlite3.Connection, kb: str) -> None:
    """Count a change, so that what is kept in memory of the knowledge base is read anew."""
    connection.execute("UPDATE kbs SET generation = generation + 1 WHERE name = ?", (kb,))


def _run_of(row: sqlite3.Row) -> LearningRun:
    left, right = np.split(np.frombuffer(row["adapter"], dtype=np.float32), 2)
    dimension = row["dimension"]
    return LearningRun(
        row["embedder"],
        bool(row["applied"]),
        Adapter(left.reshape(dimension, -1), right.reshape(-1, dimension)),
        tuple(json.loads(row["weights"])),
        bool(row["fitted"]),
        row["report"],
        row["created"],
    )
