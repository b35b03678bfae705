"""The tables of `kb.sqlite`: the steps from each earlier version of them to the present one."""

_FIRST = """
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
"""
"""Version 0.1, which did not number its schema."""

_CONVERSION = """
ALTER TABLE chunks ADD COLUMN lead TEXT NOT NULL DEFAULT '';
ALTER TABLE versions ADD COLUMN markdown INTEGER;
ALTER TABLE versions ADD COLUMN pages TEXT NOT NULL DEFAULT '[]';
ALTER TABLE versions ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE versions ADD COLUMN date TEXT;
ALTER TABLE versions ADD COLUMN source_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE versions ADD COLUMN converter TEXT NOT NULL DEFAULT 'text-1';
"""
"""What a converter found beside the text, and which bytes and converter a text came from."""

_NEAR_DUPLICATES = """
ALTER TABLE documents ADD COLUMN near_duplicate_of TEXT;
ALTER TABLE documents ADD COLUMN compared INTEGER NOT NULL DEFAULT 0;
CREATE INDEX documents_near_duplicates ON documents(near_duplicate_of);
CREATE TABLE signatures (
    document_id TEXT PRIMARY KEY REFERENCES documents(id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    signature BLOB NOT NULL
) STRICT;
CREATE TABLE signature_bands (
    kb TEXT NOT NULL,
    band INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    place INTEGER NOT NULL,
    document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    PRIMARY KEY (kb, band, hash, place)
) STRICT, WITHOUT ROWID;
CREATE INDEX signature_bands_document ON signature_bands(document_id);
"""
"""Which documents say nearly the same. `compared` is the revision for which that is known, `place`
the order in which documents came."""

_PAGES = "ALTER TABLE chunks ADD COLUMN turns TEXT NOT NULL DEFAULT '[]'"
"""Where in a chunk's text the next pages begin."""

_OLD_TEXTS = """
ALTER TABLE versions ADD COLUMN retired REAL;
UPDATE versions SET retired = CAST(strftime('%s', 'now') AS REAL) WHERE NOT EXISTS
    (SELECT 1 FROM documents d WHERE d.id = document_id
     AND (d.version = versions.version OR d.incoming = versions.version));
CREATE TABLE deleted_documents (
    id TEXT PRIMARY KEY,
    kb TEXT NOT NULL REFERENCES kbs(name) ON DELETE CASCADE,
    deleted REAL NOT NULL
) STRICT;
"""
"""When a newer text took a version's place, and which documents were deleted: their ids alone."""

_CALIBRATIONS = """
CREATE TABLE calibrations (
    kb TEXT NOT NULL REFERENCES kbs(name) ON DELETE CASCADE,
    models TEXT NOT NULL,
    created REAL NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kb, models)
) STRICT;
"""
"""What labelled questions taught about a knowledge base, per set of models."""

_LEARNING = """
CREATE TABLE learnings (
    run INTEGER PRIMARY KEY AUTOINCREMENT,
    kb TEXT NOT NULL REFERENCES kbs(name) ON DELETE CASCADE,
    created REAL NOT NULL,
    embedder TEXT NOT NULL,
    applied INTEGER NOT NULL,
    dimension INTEGER NOT NULL,
    adapter BLOB NOT NULL,
    weights TEXT NOT NULL,
    fitted INTEGER NOT NULL,
    report TEXT NOT NULL
) STRICT;
CREATE INDEX learnings_kb ON learnings(kb);
CREATE TABLE known_questions (
    run INTEGER NOT NULL REFERENCES learnings(run) ON DELETE CASCADE,
    question TEXT NOT NULL,
    document_id TEXT NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
    passage_id TEXT NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (run, question, document_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX known_questions_document ON known_questions(document_id);
"""
"""What confirmed links taught: each run holds all questions known by then, the newest one counts."""

_PASSAGE_VECTORS = """
CREATE TABLE passage_vectors (
    number INTEGER PRIMARY KEY REFERENCES chunks(number) ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;
"""
"""Vectors of whole passages, so that scoring what other doors found asks no vector index."""

_MODEL = """
CREATE TABLE model_spending (
    day TEXT PRIMARY KEY,
    calls INTEGER NOT NULL DEFAULT 0,
    tokens INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE model_replies (
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    kb TEXT NOT NULL REFERENCES kbs(name) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    reply TEXT NOT NULL,
    used REAL NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, key)
) STRICT;
CREATE INDEX model_replies_kb ON model_replies(kb);
CREATE INDEX model_replies_used ON model_replies(used);
CREATE TABLE embedded_texts (
    owner TEXT NOT NULL,
    embedder TEXT NOT NULL,
    hash TEXT NOT NULL,
    vector BLOB NOT NULL,
    used REAL NOT NULL,
    hits INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (owner, embedder, hash)
) STRICT;
CREATE INDEX embedded_texts_used ON embedded_texts(used);
"""
"""What models cost by day, and what they said: replies hold for one version of a knowledge base."""

_ORDERS = "ALTER TABLE chunks ADD COLUMN orders TEXT"
"""Places of sentences that address the answering system; NULL where nobody looked for them yet."""

_WEB_PAGES = """
CREATE TABLE web_pages (
    id TEXT PRIMARY KEY,
    document_id TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    version TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    date TEXT,
    language TEXT NOT NULL,
    url TEXT NOT NULL,
    orders TEXT NOT NULL,
    found REAL NOT NULL
) STRICT;
CREATE INDEX web_pages_found ON web_pages(found);
"""
"""Pages of the web that questions found; they belong to no knowledge base."""

STEPS = (
    _FIRST, _CONVERSION, _NEAR_DUPLICATES, _PAGES, _OLD_TEXTS, _CALIBRATIONS, _LEARNING,
    _PASSAGE_VECTORS, _MODEL, _ORDERS, _WEB_PAGES,
)  # fmt: skip
"""Step n leads from schema n to schema n + 1; a step that was released never changes."""
