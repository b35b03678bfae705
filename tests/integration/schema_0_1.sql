CREATE TABLE IF NOT EXISTS kbs (
    name TEXT PRIMARY KEY,
    created REAL NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    contact TEXT NOT NULL DEFAULT '',
    glossary TEXT NOT NULL DEFAULT '{}',
    unrelated TEXT NOT NULL DEFAULT '[]',
    generation INTEGER NOT NULL DEFAULT 0,
    dirty INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE IF NOT EXISTS documents (
    id TEXT PRIMARY KEY,
    kb TEXT NOT NULL REFERENCES kbs(name) ON DELETE CASCADE,
    name TEXT NOT NULL,
    revision INTEGER NOT NULL DEFAULT 0,
    incoming TEXT,
    version TEXT NOT NULL DEFAULT '',
    title TEXT NOT NULL DEFAULT '',
    date TEXT,
    language TEXT NOT NULL DEFAULT 'zh',
    codes TEXT NOT NULL DEFAULT '[]',
    supersedes TEXT NOT NULL DEFAULT '[]',
    superseded_by TEXT,
    fingerprint TEXT NOT NULL DEFAULT '',
    updated REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS documents_kb ON documents(kb);
CREATE TABLE IF NOT EXISTS versions (
    document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    version TEXT NOT NULL,
    text TEXT NOT NULL,
    created REAL NOT NULL,
    PRIMARY KEY (document_id, version)
) STRICT;
CREATE TABLE IF NOT EXISTS chunks (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kb TEXT NOT NULL,
    document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    version TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    title TEXT NOT NULL,
    section TEXT NOT NULL,
    text TEXT NOT NULL,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    date TEXT,
    page INTEGER,
    language TEXT NOT NULL,
    kind TEXT NOT NULL,
    codes TEXT NOT NULL,
    indexed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS chunks_document ON chunks(document_id, revision, ordinal);
CREATE INDEX IF NOT EXISTS chunks_kb ON chunks(kb, indexed);
CREATE TABLE IF NOT EXISTS chunk_codes (
    kb TEXT NOT NULL,
    code TEXT NOT NULL,
    number INTEGER NOT NULL REFERENCES chunks(number) ON DELETE CASCADE,
    own INTEGER NOT NULL,
    PRIMARY KEY (kb, code, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS chunk_codes_number ON chunk_codes(number);
CREATE TABLE IF NOT EXISTS sentence_vectors (
    number INTEGER PRIMARY KEY REFERENCES chunks(number) ON DELETE CASCADE,
    vectors BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS phrases (
    document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    phrase TEXT NOT NULL,
    chunks INTEGER NOT NULL,
    heading INTEGER NOT NULL,
    PRIMARY KEY (document_id, phrase)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS phrase_vectors (
    embedder TEXT NOT NULL,
    phrase TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (embedder, phrase)
) STRICT;
CREATE TABLE IF NOT EXISTS backgrounds (
    kb TEXT NOT NULL REFERENCES kbs(name) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,
    mean REAL NOT NULL,
    deviation REAL NOT NULL,
    pairs INTEGER NOT NULL,
    PRIMARY KEY (kb, fingerprint)
) STRICT;
