"""Everything that a data folder holds of a knowledge base, for comparing two of them."""

from typing import Any

import numpy as np

from app.adapters.knowledge_base import Stores
from graphs.ports import Matrix

QUERIES = {
    "documents": "SELECT id, name, version, incoming, title, date, language, codes, supersedes, "
    "superseded_by, near_duplicate_of, fingerprint FROM documents WHERE kb = :kb",
    "chunks": "SELECT c.id, c.version, c.ordinal, c.title, c.section, c.text, c.start, c.end, "
    "c.content_hash, c.date, c.language, c.kind, c.codes, c.lead, c.page, c.indexed, k.terms, length(s.vectors) "
    "FROM chunks c JOIN documents d ON d.id = c.document_id AND d.revision = c.revision "
    "LEFT JOIN {table} k ON k.rowid = c.number "
    "LEFT JOIN sentence_vectors s ON s.number = c.number WHERE c.kb = :kb",
    "codes": "SELECT c.id, k.code, k.own FROM chunk_codes k JOIN chunks c ON c.number = k.number "
    "WHERE k.kb = :kb",
    "phrases": "SELECT p.* FROM phrases p JOIN documents d ON d.id = p.document_id "
    "WHERE d.kb = :kb",
}


class Near:
    """Vectors that equal others up to what the order of a sum changes in their last digits."""

    def __init__(self, rows: Matrix) -> None:
        self.rows = rows

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Near) and bool(np.allclose(self.rows, other.rows, atol=2e-3))

    __hash__ = None  # type: ignore[assignment]


def contents(stores: Stores, kb: str) -> dict[str, Any]:
    """Return the rows of every store in a comparable order; row numbers are left out."""
    table = f"kw_{kb.replace('-', '_')}_fts"
    with stores.database.read() as connection:
        found: dict[str, Any] = {
            name: sorted(
                map(repr, map(tuple, connection.execute(sql.format(table=table), {"kb": kb})))
            )
            for name, sql in QUERIES.items()
        }
    ids = sorted(stores.dense.ids(kb))
    rows = stores.dense.vectors(kb, ids)
    found["vectors"] = {key: Near(rows[key]) for key in ids}
    inner = stores.chunks.sentence_vectors(ids, stores.embedder.dimension)
    own = stores.chunks.passage_vectors(ids)
    found["passage vectors"] = {key: Near(own[key]) for key in ids}
    found["sentences"] = {key: Near(matrix) for key, matrix in inner.items()}
    return found


def counts(stores: Stores, kb: str) -> dict[str, int]:
    """Return how many rows each store holds, visible or not."""
    table = f"kw_{kb.replace('-', '_')}_fts"
    with stores.database.read() as connection:

        def one(sql: str) -> int:
            return int(connection.execute(sql).fetchone()[0])

        return {
            "documents": one(f"SELECT count(*) FROM documents WHERE kb = '{kb}'"),
            "chunks": one(f"SELECT count(*) FROM chunks WHERE kb = '{kb}'"),
            "keywords": one(f"SELECT count(*) FROM {table}"),
            "sentences": one("SELECT count(*) FROM sentence_vectors"),
            "passage vectors": one("SELECT count(*) FROM passage_vectors"),
            "codes": one(f"SELECT count(*) FROM chunk_codes WHERE kb = '{kb}'"),
            "versions": one("SELECT count(*) FROM versions"),
            "phrases": one("SELECT count(*) FROM phrases"),
            "phrase_vectors": one("SELECT count(*) FROM phrase_vectors"),
            "vectors": stores.dense.count(kb),
        }


OWNERS = {
    "chunk_codes": ("number", "chunks", "number"),
    "sentence_vectors": ("number", "chunks", "number"),
    "passage_vectors": ("number", "chunks", "number"),
    "keyword_rows": ("number", "chunks", "number"),
    "headings": ("number", "chunks", "number"),
    "kw_kb_fts": ("rowid", "chunks", "number"),
    "chunks": ("document_id", "documents", "id"),
    "versions": ("document_id", "documents", "id"),
    "phrases": ("document_id", "documents", "id"),
    "signatures": ("document_id", "documents", "id"),
    "signature_bands": ("document_id", "documents", "id"),
    "phrase_vectors": ("phrase", "phrases", "phrase"),
    "heading_names": ("name", "headings", "name"),
    "documents": ("kb", "kbs", "name"),
    "keyword_totals": ("kb", "kbs", "name"),
    "backgrounds": ("kb", "kbs", "name"),
    "calibrations": ("kb", "kbs", "name"),
    "model_replies": ("kb", "kbs", "name"),
    "deleted_documents": ("kb", "kbs", "name"),
    "learnings": ("kb", "kbs", "name"),
    "known_questions": ("document_id", "documents", "id"),
}
"""Every table of a data folder whose only knowledge base is `kb`: column, owner, its column."""
ROOTS = {"kbs", "model_spending", "embedded_texts", "web_pages"}


def orphans(stores: Stores) -> dict[str, int]:
    """Return for every table and for the vector index how many rows belong to nothing."""
    with stores.database.read() as connection:
        names = {
            row["name"]
            for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if not row["name"].startswith(("sqlite_", "kw_kb_fts_", "kw_kb_vocab", "kw_kb_places"))
        }
        unknown = names - OWNERS.keys() - ROOTS
        assert not unknown, f"tables that nobody looks after: {unknown}"
        found = {
            table: int(
                connection.execute(
                    f"SELECT count(*) FROM {table} "
                    f"WHERE {column} NOT IN (SELECT {key} FROM {owner})"
                ).fetchone()[0]
            )
            for table, (column, owner, key) in OWNERS.items()
            if table in names
        }
        found["hidden chunks"] = connection.execute(
            "SELECT count(*) FROM chunks c JOIN documents d ON d.id = c.document_id "
            "WHERE c.revision <> d.revision"
        ).fetchone()[0]
    chunks, _ = stores.chunks.chunk_ids("kb")
    found["vectors"] = len(stores.dense.ids("kb") ^ chunks)
    return {name: count for name, count in found.items() if count}
