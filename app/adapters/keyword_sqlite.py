"""The keyword index: one FTS5 table per knowledge base over the product's own index terms."""

import re
import sqlite3
from collections.abc import Collection, Iterable, Sequence

import numpy as np

from app.adapters.database import Database
from graphs.evidence.passages import Hit
from graphs.evidence.text import index_terms
from graphs.ports import Matrix

_UNSAFE = re.compile(r"[^a-z0-9\u3400-\u4db5\u4e00-\u9fcb]")
_ESCAPE = "\ue000"
"""unicode61 counts private-use characters as letters, so an escaped term stays one token."""
_VISIBLE = (
    "JOIN chunks c ON c.number = kw.rowid "
    "JOIN documents d ON d.id = c.document_id AND d.revision = c.revision"
)


def encode(term: str) -> str:
    """Return `term` so that unicode61 keeps it whole; injective, the same for index and query."""
    return _UNSAFE.sub(lambda match: f"{_ESCAPE}{ord(match.group()):x}{_ESCAPE}", term)


def searchable(title: str, section: Sequence[str], text: str) -> str:
    """Return what is indexed of a passage: its terms, then those of its headings once more."""
    headings = " ".join(dict.fromkeys((title, *section)))
    return " ".join(encode(term) for part in (text, headings) for term in index_terms(part))


class KeywordIndex:
    """BM25 (k1 = 1.2, b = 0.75: FTS5's constants) over `chunks.number` as row id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, connection: sqlite3.Connection, kb: str) -> None:
        """Make the tables of a knowledge base if they are missing."""
        table, vocabulary = _tables(kb)
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING "
            'fts5(terms, tokenize="unicode61 remove_diacritics 0")'
        )
        connection.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {vocabulary} USING fts5vocab('{table}', 'row')"
        )

    def drop(self, connection: sqlite3.Connection, kb: str) -> None:
        """Remove the tables of a knowledge base."""
        table, vocabulary = _tables(kb)
        connection.execute(f"DROP TABLE IF EXISTS {vocabulary}")
        connection.execute(f"DROP TABLE IF EXISTS {table}")

    def add(self, connection: sqlite3.Connection, kb: str, number: int, terms: str) -> None:
        """Index one passage under its row number, replacing what stood there."""
        table, _ = _tables(kb)
        connection.execute(
            f"INSERT OR REPLACE INTO {table}(rowid, terms) VALUES (?, ?)", (number, terms)
        )

    def remove(self, connection: sqlite3.Connection, kb: str, numbers: Iterable[int]) -> None:
        """Take passages out of the index."""
        table, _ = _tables(kb)
        connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", ((n,) for n in numbers))

    def search(
        self, kb: str, terms: Sequence[str], limit: int, exclude: Collection[str], skip: int
    ) -> list[Hit]:
        """Return the best passages for any of `terms`, raw BM25, best first.

        `skip` is how many rows may be hidden or excluded: they are fetched and left out, which is
        far cheaper than looking every match up before ranking.
        """
        query = _any_of(terms)
        if not query or limit <= 0:
            return []
        table, _ = _tables(kb)
        marks = ",".join("?" * len(exclude))
        sql = (
            f"SELECT c.id AS id, kw.score AS score FROM (SELECT rowid, -bm25({table}) AS score "
            f"FROM {table} WHERE {table} MATCH ? ORDER BY rank LIMIT ?) kw {_VISIBLE} "
            f"WHERE d.id NOT IN ({marks}) ORDER BY score DESC, c.number LIMIT ?"
        )
        with self._database.read() as connection:
            rows = connection.execute(sql, (query, limit + skip, *exclude, limit)).fetchall()
        return [Hit(row["id"], row["score"]) for row in rows]

    def scores(self, kb: str, terms: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
        """Return raw BM25 of those of `ids` that hold a term.

        The plus sign keeps FTS5 from running the whole query once per row number.
        """
        query = _any_of(terms)
        if not query or not ids:
            return {}
        table, _ = _tables(kb)
        marks = ",".join("?" * len(ids))
        sql = (
            f"SELECT c.id AS id, -bm25({table}) AS score FROM {table} kw {_VISIBLE} "
            f"WHERE {table} MATCH ? "
            f"AND +kw.rowid IN (SELECT number FROM chunks WHERE id IN ({marks}))"
        )
        with self._database.read() as connection:
            rows = connection.execute(sql, (query, *ids)).fetchall()
        return {row["id"]: row["score"] for row in rows}

    def document_frequency(self, kb: str, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many passages each term stands."""
        _, vocabulary = _tables(kb)
        found = dict.fromkeys(terms, 0)
        by_token = {encode(term): term for term in found}
        marks = ",".join("?" * len(by_token))
        sql = f"SELECT term, doc FROM {vocabulary} WHERE term IN ({marks})"
        with self._database.read() as connection:
            for row in connection.execute(sql, tuple(by_token)):
                found[by_token[row["term"]]] = row["doc"]
        return found

    def cooccurrence(self, kb: str, terms: Sequence[str], others: Sequence[str]) -> Matrix:
        """Return shape (len(terms), len(others)): passages that hold both phrases."""
        with self._database.read() as connection:
            postings: dict[str, frozenset[int]] = {}
            left = [self._holders(connection, kb, phrase, postings) for phrase in terms]
            right = [self._holders(connection, kb, phrase, postings) for phrase in others]
        counts = [[len(a & b) for b in right] for a in left]
        return np.array(counts, dtype=np.float32).reshape(len(terms), len(others))

    def _holders(
        self,
        connection: sqlite3.Connection,
        kb: str,
        phrase: str,
        postings: dict[str, frozenset[int]],
    ) -> frozenset[int]:
        """Return the rows that hold all index terms of `phrase`; `postings` caches by term."""
        tokens = dict.fromkeys(encode(term) for term in index_terms(phrase))
        held: frozenset[int] | None = None
        table, _ = _tables(kb)
        for token in tokens:
            if token not in postings:
                rows = connection.execute(
                    f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (f'"{token}"',)
                )
                postings[token] = frozenset(row[0] for row in rows)
            held = postings[token] if held is None else held & postings[token]
        return held or frozenset()


def _any_of(terms: Sequence[str]) -> str:
    return " OR ".join(f'"{token}"' for token in dict.fromkeys(map(encode, terms)) if token)


def _tables(kb: str) -> tuple[str, str]:
    """Return the names of the index and of its term list.

    FTS5 adds `_data`, `_idx` and so on to the first: the fixed ends keep the tables of `ab` and
    of `ab-data` apart.
    """
    stem = f"kw_{kb.replace('-', '_')}"
    return f"{stem}_fts", f"{stem}_vocab"
