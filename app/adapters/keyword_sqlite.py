"""The keyword index: one FTS5 table per knowledge base over the product's own index terms."""

import re
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.adapters.database import Database, mapped
from app.adapters.headings_sqlite import HeadingIndex, names_of
from app.adapters.keyword_state import KeywordStates, Reading, tables
from app.adapters.postings import Numbers, best, score_all, score_some
from graphs.evidence.passages import Hit
from graphs.evidence.text import index_terms
from graphs.ports import Matrix

_UNSAFE = re.compile(r"[^a-z0-9\u3400-\u4db5\u4e00-\u9fcb]")
_ESCAPE = "\ue000"
"""unicode61 counts private-use characters as letters, so an escaped term stays one token."""
_ESCAPED = re.compile(f"{_ESCAPE}([0-9a-f]+){_ESCAPE}")
_RARE, _RARE_SHARE = 10, 0.01
"""A short title that stands in more passages (or a larger share) than this is a common word."""
_VISIBLE = "chunks c JOIN documents d ON d.id = c.document_id AND d.revision = c.revision"


def encode(term: str) -> str:
    """Return `term` so that unicode61 keeps it whole; injective, the same for index and query."""
    return _UNSAFE.sub(lambda match: f"{_ESCAPE}{ord(match.group()):x}{_ESCAPE}", term)


def decode(token: str) -> str:
    """Return the term that `encode` was given."""
    if _ESCAPE not in token:
        return token
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), token)


def decoded(terms: str) -> Mapping[str, int]:
    """Return the terms of an indexed row with how often each stands there, in order."""
    counts = Counter(terms.split())
    if _ESCAPE not in terms:
        return counts
    return {decode(token): count for token, count in counts.items()}


@dataclass(frozen=True, slots=True)
class Indexed:
    """What is indexed of a passage: its encoded terms, and the names it can be called by."""

    terms: str
    names: tuple[str, ...] = ()


def searchable(title: str, section: Sequence[str], text: str, lead: str = "") -> Indexed:
    """Return what is indexed of a passage: its terms, then those of its headings once more.

    `lead` is the header of a table that the text goes on with: its terms count as the text's.
    """
    headings = " ".join(dict.fromkeys((title, *section)))
    parts = (lead, text, headings)
    terms = " ".join(encode(term) for part in parts for term in index_terms(part))
    return Indexed(terms, names_of((title, *section)))


class KeywordIndex:
    """BM25 (k1 = 1.2, b = 0.75) over `chunks.number` as row id."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._states = KeywordStates(database)
        self._headings = HeadingIndex(database)

    def create(self, connection: sqlite3.Connection, kb: str) -> None:
        """Make the tables of a knowledge base if they are missing."""
        self._states.create(connection, kb)

    def drop(self, connection: sqlite3.Connection, kb: str) -> None:
        """Remove the tables of a knowledge base."""
        self._states.drop(connection, kb)
        self._headings.drop(connection, kb)

    def add(self, connection: sqlite3.Connection, kb: str, number: int, indexed: Indexed) -> None:
        """Index one passage under its row number, replacing what stood there."""
        connection.execute(
            f"INSERT OR REPLACE INTO {tables(kb).rows}(rowid, terms) VALUES (?, ?)",
            (number, indexed.terms),
        )
        self._states.count(connection, kb, number, len(indexed.terms.split()))
        self._headings.add(connection, kb, number, indexed.names)

    def remove(self, connection: sqlite3.Connection, kb: str, numbers: Iterable[int]) -> None:
        """Take passages out of the index."""
        gone = list(numbers)
        connection.executemany(
            f"DELETE FROM {tables(kb).rows} WHERE rowid = ?", ((n,) for n in gone)
        )
        self._states.forget(connection, kb, gone)
        self._headings.remove(connection, kb, gone)

    def search(
        self,
        kb: str,
        terms: Iterable[str],
        limit: int,
        exclude: Collection[str],
        skip: int,
    ) -> list[Hit]:
        """Return the best passages for any term by raw BM25, best first.

        `skip` is how many rows may be hidden or excluded: they are ranked and left out, which is
        far cheaper than looking every match up before ranking. Exact but for one rule: in a large
        knowledge base, terms of over half of the passages are left out beside rarer ones (their
        idf is 1e-6).
        """
        tokens = [token for term in dict.fromkeys(terms) if (token := encode(term))]
        if not tokens or limit <= 0:
            return []
        with self._states.reading(kb) as reading:
            reading.learn(tokens)
            ranked = best(score_all(reading.state, tokens, reading.posting), limit + skip)
            visible = _visible(reading.connection, [number for number, _ in ranked], exclude)
        hits = [Hit(visible[number], score) for number, score in ranked if number in visible]
        return hits[:limit]

    def scores(self, kb: str, terms: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
        """Return raw BM25 of those of `ids` that hold a term."""
        tokens = [token for term in dict.fromkeys(terms) if (token := encode(term))]
        if not tokens or not ids:
            return {}
        with self._states.reading(kb) as reading:
            reading.learn(tokens)
            numbers = _numbers(reading.connection, ids)
            scores = score_some(reading.state, tokens, list(numbers.values()), reading.posting)
        return {id_: score for id_, score in zip(numbers, scores, strict=True) if score > 0}

    def document_frequency(self, kb: str, terms: Iterable[str]) -> dict[str, int]:
        """Return in how many passages each term stands."""
        by_term = {term: encode(term) for term in terms}
        with self._states.reading(kb) as reading:
            reading.learn(by_term.values())
            return {term: reading.state.frequency[token] for term, token in by_term.items()}

    def passage_terms(self, kb: str, ids: Sequence[str]) -> dict[str, Mapping[str, int]]:
        """Return the terms of each passage, headings included, with how often each stands there."""
        found: dict[str, Mapping[str, int]] = {}
        with self._states.reading(kb) as reading:
            numbers = _numbers(reading.connection, ids)
            rows = reading.connection.execute(
                f"SELECT rowid, terms FROM {tables(kb).rows} WHERE rowid IN ({_marks(numbers)})",
                tuple(numbers.values()),
            )
            terms = {row["rowid"]: row["terms"] for row in rows}
        for id_, number in numbers.items():
            found[id_] = decoded(terms.get(number, ""))
        return found

    def titled(
        self, kb: str, texts: Sequence[str], limit: int, exclude: Collection[str]
    ) -> list[list[str]]:
        """Return for each text the ids of the passages whose title or heading it names."""

        def common(name: str, carriers: int) -> bool:
            terms = index_terms(name if name.isascii() else name.replace(" ", ""))
            with self._states.reading(kb) as reading:
                reading.learn(tokens := [encode(term) for term in terms])
                held = min(reading.state.frequency[token] for token in tokens)
                return held - carriers > max(_RARE, reading.state.rows * _RARE_SHARE)

        return self._headings.titled(kb, texts, limit, exclude, common)

    def cooccurrence(self, kb: str, terms: Sequence[str], others: Sequence[str]) -> Matrix:
        """Return shape (len(terms), len(others)): passages that hold both phrases."""
        with self._states.reading(kb) as reading:
            left = [_holders(reading, phrase) for phrase in terms]
            right = [_holders(reading, phrase) for phrase in others]
        counts = [[len(np.intersect1d(a, b, assume_unique=True)) for b in right] for a in left]
        return np.array(counts, dtype=np.float32).reshape(len(terms), len(others))


def _holders(reading: Reading, phrase: str) -> Numbers:
    """Return the rows that hold all index terms of `phrase`."""
    held: Numbers | None = None
    for token in dict.fromkeys(encode(term) for term in index_terms(phrase)):
        numbers = reading.posting(token).numbers
        held = numbers if held is None else np.intersect1d(held, numbers, assume_unique=True)
    return np.zeros(0, dtype=np.int32) if held is None else held


def _visible(
    connection: sqlite3.Connection, numbers: Sequence[int], exclude: Collection[str]
) -> dict[int, str]:
    """Return the ids of those rows that a search may show."""
    source = f"{_VISIBLE} WHERE c.number IN ({_marks(numbers)}) AND d.id NOT IN ({_marks(exclude)})"
    found = mapped(connection, "c.id", "c.number", source, (*numbers, *exclude))
    return {number: id_ for id_, number in found.items()}


def _numbers(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, int]:
    """Return the row numbers of visible passages by id."""
    return mapped(
        connection, "c.id", "c.number", f"{_VISIBLE} WHERE c.id IN ({_marks(ids)})", tuple(ids)
    )


def _marks(values: Collection[object]) -> str:
    return ",".join("?" * len(values))
