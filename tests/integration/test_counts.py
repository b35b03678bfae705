"""Counts that are kept between searches notice every change."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.adapters.counts import Counts
from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.ingest.reports import Source

PUMP = "# 真空泵\n\n## 试转\n每月试转一次。\n\n## 切换\n先启动备用泵，再停运行泵。\n"
WATER = "# 循环水\n\n## 滤网\n压差升高时人工清理。\n"


@pytest.fixture
async def library(tmp_path: Path, embedder: UseEmbedder) -> AsyncIterator[StoredLibrary]:
    opened = StoredLibrary(tmp_path, embedder)
    await Indexer(opened).ingest("plant", [Source("pump.md", PUMP.encode())])
    yield opened
    opened.close()


async def test_count_is_taken_once_until_something_changes(library: StoredLibrary) -> None:
    counts, taken = Counts(library.stores.database, "plant"), []

    def count() -> int:
        taken.append(1)
        return len(taken)

    assert [counts.kept("a", count), counts.kept("a", count)] == [1, 1]
    await Indexer(library).ingest("plant", [Source("water.md", WATER.encode())])
    assert counts.kept("a", count) == 2


async def test_info_follows_documents_and_settings(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    assert (await kb.info()).documents == 1
    await Indexer(library).ingest("plant", [Source("water.md", WATER.encode())])
    grown = await kb.info()
    assert grown.documents == 2
    await Indexer(library).ingest("plant", [Source("kb.yaml", "contact: 值长".encode())])
    assert (await kb.info()).contact == "值长"
    (document, _) = await library.documents("plant")
    await library.delete_document("plant", document.id)
    assert (await kb.info()).passages < grown.passages


async def test_hidden_rows_are_counted_while_they_come_in(library: StoredLibrary) -> None:
    counts = Counts(library.stores.database, "plant")
    assert counts.hidden(()) == 0
    (document,) = await library.documents("plant")
    assert counts.hidden({document.id}) == document.chunks > 0
    with library.stores.database.write() as connection:
        connection.execute("UPDATE documents SET incoming = 'v2', revision = revision + 1")
        library.stores.catalogue.touch(connection, "plant", dirty=True)
    assert counts.hidden(()) == document.chunks


async def test_keyword_search_brings_the_counts_of_its_terms(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    terms = ["备用", "泵", "nothing"]
    found = await kb.keyword_search(terms, 5)
    assert found.hits == await kb.keyword(terms, 5)
    assert found.frequency == await kb.document_frequency(terms)
    assert found.passages == (await kb.info()).passages
