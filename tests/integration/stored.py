"""Everything that a data folder holds of a knowledge base, for comparing two of them."""

from typing import Any

from app.adapters.knowledge_base import Stores

QUERIES = {
    "documents": "SELECT id, name, version, incoming, title, date, language, codes, supersedes, "
    "superseded_by, fingerprint FROM documents WHERE kb = :kb",
    "chunks": "SELECT c.id, c.version, c.ordinal, c.title, c.section, c.text, c.start, c.end, "
    "c.content_hash, c.date, c.language, c.kind, c.codes, c.indexed, k.terms, s.vectors "
    "FROM chunks c JOIN documents d ON d.id = c.document_id AND d.revision = c.revision "
    "LEFT JOIN {table} k ON k.rowid = c.number "
    "LEFT JOIN sentence_vectors s ON s.number = c.number WHERE c.kb = :kb",
    "codes": "SELECT c.id, k.code, k.own FROM chunk_codes k JOIN chunks c ON c.number = k.number "
    "WHERE k.kb = :kb",
    "phrases": "SELECT p.* FROM phrases p JOIN documents d ON d.id = p.document_id "
    "WHERE d.kb = :kb",
}


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
    found["vectors"] = {key: rows[key].round(4).tolist() for key in ids}
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
            "codes": one(f"SELECT count(*) FROM chunk_codes WHERE kb = '{kb}'"),
            "versions": one("SELECT count(*) FROM versions"),
            "phrases": one("SELECT count(*) FROM phrases"),
            "phrase_vectors": one("SELECT count(*) FROM phrase_vectors"),
            "vectors": stores.dense.count(kb),
        }
