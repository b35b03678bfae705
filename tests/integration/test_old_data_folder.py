"""A data folder of version 0.1 opens with everything in it."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from app.adapters.database import Database
from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.ingest.preparing import document_id
from app.ingest.reports import Source
from graphs.errors import StoreUnavailable

SCHEMA = Path(__file__).with_name("schema_0_1.sql").read_text("utf-8")
ID = document_id("old", "valve.md")
TEXT = "# 阀门手册\n\n开启压力为 1.2 MPa。\n"
ROWS = """
INSERT INTO kbs(name, created, contact, generation) VALUES ('old', 1.0, '设备部', 7);
INSERT INTO documents(id, kb, name, revision, version, title, date, codes, fingerprint, updated)
VALUES ('DOC', 'old', 'valve.md', 1, 'v1', '阀门手册', '2024-05-01', '["SC-1"]', 'text-1/x/y', 2.0);
INSERT INTO chunks(number, id, kb, document_id, revision, version, ordinal, title, section, text,
start, "end", content_hash, date, page, language, kind, codes, indexed)
VALUES (5, 'c1', 'old', 'DOC', 1, 'v1', 0, '阀门手册', '["阀门手册"]', '开启压力为 1.2 MPa。',
8, 23, 'h', '2024-05-01', NULL, 'zh', 'text', '["SC-1"]', 1);
INSERT INTO chunk_codes VALUES ('old', 'SC-1', 5, 0);
INSERT INTO phrases VALUES ('DOC', '压力', 1, 0);
CREATE VIRTUAL TABLE kw_old_fts USING fts5(terms, tokenize="unicode61 remove_diacritics 0");
CREATE VIRTUAL TABLE kw_old_vocab USING fts5vocab('kw_old_fts', 'row');
INSERT INTO kw_old_fts(rowid, terms) VALUES (5, '开启 压力');
"""


@pytest.fixture
def folder(tmp_path: Path, embedder: UseEmbedder) -> Path:
    connection = sqlite3.connect(tmp_path / "kb.sqlite")
    connection.executescript(SCHEMA + ROWS.replace("DOC", ID))
    connection.execute("INSERT INTO versions VALUES (?, 'v1', ?, 2.0)", (ID, TEXT))
    half = embedder.embed(["开启压力为 1.2 MPa。"]).astype(np.float16).tobytes()
    connection.execute("INSERT INTO sentence_vectors VALUES (5, ?)", (half,))
    connection.commit()
    connection.close()
    return tmp_path


async def test_old_folder_keeps_everything_and_can_be_searched(
    folder: Path, embedder: UseEmbedder
) -> None:
    for _ in range(2):  # the second time it is up to date
        library = StoredLibrary(folder, embedder)
        [document] = await library.documents("old")
        assert (document.id, document.title, document.date) == (ID, "阀门手册", "2024-05-01")
        assert document.codes == ("SC-1",)
        opened = await library.open("old")
        [hit] = await opened.keyword(["压力"], 5)
        [passage] = await opened.passages([hit.id])
        assert passage.text == "开启压力为 1.2 MPa。"
        assert await opened.exact(["SC-1"]) == ["c1"]
        assert await opened.canonical_text(ID, "v1") == TEXT
        assert (await opened.sentence_vectors(["c1"]))["c1"].shape == (1, 512)
        library.close()


async def test_old_folder_is_repaired_and_takes_the_same_file_anew(
    folder: Path, embedder: UseEmbedder
) -> None:
    library = StoredLibrary(folder, embedder)
    indexer = Indexer(library)
    await indexer.repair()  # its vector folder is missing
    assert library.stores.dense.ids("old") == {"c1"}
    name = Source("valve.md", TEXT.encode())
    assert [file.outcome for file in (await indexer.ingest("old", [name])).files] == ["changed"]
    assert [file.outcome for file in (await indexer.ingest("old", [name])).files] == ["unchanged"]
    [document] = await library.documents("old")
    assert document.id == ID
    assert await (await library.open("old")).canonical_text(ID, "v1") == TEXT
    library.close()


def test_folder_of_a_newer_version_is_refused_and_left_alone(folder: Path) -> None:
    connection = sqlite3.connect(folder / "kb.sqlite")
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    with pytest.raises(StoreUnavailable, match="newer version of Youju"):
        Database(folder / "kb.sqlite")


def test_step_that_fails_leaves_the_old_tables(folder: Path) -> None:
    connection = sqlite3.connect(folder / "kb.sqlite")
    connection.execute("ALTER TABLE versions ADD COLUMN markdown TEXT")  # in the way of the step
    connection.close()
    with pytest.raises(StoreUnavailable):
        Database(folder / "kb.sqlite")
    connection = sqlite3.connect(folder / "kb.sqlite")
    columns = [row[1] for row in connection.execute("PRAGMA table_info(chunks)")]
    connection.close()
    assert "lead" not in columns
