"""Posting lists of the keyword index as arrays, and BM25 over them.

FTS5 keeps the index; its own `bm25()` visits every row that holds any term, several times slower
than reading each term's posting list once. The formula and the constants are FTS5's.
"""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.fusion import K1, idf

B = 0.75
"""BM25's length normalisation."""
_KEPT = 4_000_000
"""Postings kept in memory for one knowledge base (8 bytes each)."""
_HEAVY = 2_000
"""Terms in at least this many passages and over half of all are left out where others stand."""

Numbers = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Posting:
    """The passages that hold a term, by rising row number, and BM25's term-frequency part."""

    numbers: Numbers
    impact: Floats


_EMPTY = Posting(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))


@dataclass(slots=True)
class IndexState:
    """One knowledge base's index at one change stamp. Arrays never change once they are here."""

    stamp: int
    rows: int
    tokens: int
    lengths: Floats
    """Terms of each passage by row number, 0 where there is none."""
    frequency: dict[str, int] = field(default_factory=dict)
    postings: OrderedDict[str, Posting] = field(default_factory=OrderedDict)
    kept: int = 0
    guard: threading.Lock = field(default_factory=threading.Lock)

    def impact(self, numbers: Numbers, counts: NDArray[np.int64]) -> Floats:
        """Return tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean length))."""
        mean = self.tokens / self.rows if self.rows else 1.0
        norm = K1 * (1 - B + B * self.lengths[numbers] / mean)
        found: Floats = (counts * (K1 + 1) / (counts + norm)).astype(np.float32)
        return found

    def keep(self, token: str, posting: Posting) -> None:
        """Remember a posting list; the longest unused ones leave first."""
        with self.guard:
            if token not in self.postings:
                self.kept += len(posting.numbers)
            self.postings[token] = posting
            while self.kept > _KEPT and len(self.postings) > 1:
                self.kept -= len(self.postings.popitem(last=False)[1].numbers)

    def known(self, token: str) -> Posting | None:
        """Return a remembered posting list and mark it as used."""
        with self.guard:
            posting = self.postings.get(token)
            if posting is not None:
                self.postings.move_to_end(token)
            return posting


Read = Callable[[str], Posting]


def read_posting(
    connection: sqlite3.Connection, instances: str, state: IndexState, token: str
) -> Posting:
    """Return the posting list of a token, from memory or from the index.

    SQLite joins the row numbers to one text: a single step that lets other threads run.
    """
    posting = state.known(token)
    if posting is None:
        row = connection.execute(
            f"SELECT group_concat(doc) FROM {instances} WHERE term = ?", (token,)
        ).fetchone()
        posting = _EMPTY
        if row[0]:
            docs = np.fromstring(row[0], dtype=np.int32, sep=",")
            later = np.flatnonzero(docs[1:] != docs[:-1]) + 1
            first = np.concatenate(([0], later))
            counts = np.concatenate((later, [len(docs)])) - first
            posting = Posting(docs[first], state.impact(docs[first], counts))
        state.keep(token, posting)
    return posting


def heavy(state: IndexState, token: str) -> bool:
    """Tell whether a token stands in so many passages that BM25 gives it next to nothing."""
    frequency = state.frequency[token]
    return frequency >= _HEAVY and 2 * frequency > state.rows


def score_all(state: IndexState, tokens: Sequence[str], read: Read) -> NDArray[np.float64]:
    """Return raw BM25 by row number. `state.frequency` must know every token."""
    total = np.zeros(len(state.lengths), dtype=np.float64)
    light = [token for token in tokens if not heavy(state, token)]
    for token in light if any(state.frequency[t] for t in light) else tokens:
        posting = read(token)
        total[posting.numbers] += idf(state.rows, state.frequency[token]) * posting.impact
    return total


def score_some(
    state: IndexState, tokens: Iterable[str], numbers: Sequence[int], read: Read
) -> list[float]:
    """Return raw BM25 of the given rows, 0 where a row holds no token."""
    wanted = np.asarray(numbers, dtype=np.int32)
    total = np.zeros(len(wanted), dtype=np.float64)
    for token in tokens:
        posting = read(token)
        if not len(posting.numbers):
            continue
        places = np.searchsorted(posting.numbers, wanted)
        places[places == len(posting.numbers)] = 0
        held = posting.numbers[places] == wanted
        weight = idf(state.rows, state.frequency[token])
        total[held] += weight * posting.impact[places[held]]
    return [float(score) for score in total]


def best(scores: NDArray[np.float64], limit: int) -> list[tuple[int, float]]:
    """Return (row number, score) of the best rows above 0; ties by row number."""
    found = np.flatnonzero(scores > 0)
    if len(found) > limit:
        values = scores[found]
        least = np.partition(values, len(found) - limit)[len(found) - limit]
        found = found[values >= least]
    order = np.argsort(-scores[found], kind="stable")[:limit]
    return [(int(number), float(scores[number])) for number in found[order]]
