import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.adapters.database import Database
from app.adapters.embed_use import UseEmbedder
from app.adapters.keyword_sqlite import Indexed, KeywordIndex, encode
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.ingest.reports import Source
from graphs.errors import UnknownKnowledgeBase
from graphs.evidence.fusion import cosines
from graphs.evidence.text import index_terms, query_terms, sentences
from graphs.ports import Background, KnowledgeBase, Library

PUMP = """# 真空泵手册（ZK-2025-01）

## 试转
备用真空泵每月试转一次。试转时检查电流；检查工作水温。

## 切换
先启动备用泵，再停运行泵。

## 缺陷 QX-2025-088
日期：2025-07-16
抽气能力不足，工作水温过高。
"""
WATER = "# 循环水手册\n\n## 滤网\n旋转滤网压差升高时人工清理，参见 QX-2025-088。\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, embedder: UseEmbedder) -> Path:
    path = tmp_path_factory.mktemp("data")
    library = StoredLibrary(path, embedder)
    files = [Source("pump.md", PUMP.encode()), Source("water.md", WATER.encode())]
    asyncio.run(Indexer(library).ingest("plant", files))
    library.close()
    return path


@pytest.fixture
async def library(folder: Path, embedder: UseEmbedder) -> AsyncIterator[StoredLibrary]:
    opened = StoredLibrary(folder, embedder)
    yield opened
    opened.close()


async def test_stored_classes_satisfy_the_ports(library: StoredLibrary) -> None:
    port: Library = library
    kb: KnowledgeBase = await port.open("plant")
    assert (await kb.info()).documents == 2
    with pytest.raises(UnknownKnowledgeBase):
        await port.open("nothing")


async def test_dense_and_stored_vectors_agree(
    library: StoredLibrary, embedder: UseEmbedder
) -> None:
    kb = await library.open("plant")
    vector = embedder.embed(["多久试转一次真空泵"])[0]
    hits = await kb.dense(vector, 3)
    assert len(hits) == 3
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    stored = await kb.passage_vectors([*(hit.id for hit in hits), "unknown"])
    scores = cosines(stored, vector)
    assert scores == pytest.approx({hit.id: hit.score for hit in hits}, abs=1e-4)
    [best] = await kb.passages([hits[0].id])
    assert best.section[-1] == "试转"


async def test_vectors_kept_in_the_index_alone_are_found_there(
    library: StoredLibrary, embedder: UseEmbedder
) -> None:
    kb = await library.open("plant")
    ids = sorted(library.stores.dense.ids("plant"))
    before = await kb.passage_vectors(ids)
    assert sorted(before) == sorted(library.stores.chunks.passage_vectors(ids)) == ids
    with library.stores.database.write() as connection:  # as an earlier version left it
        connection.execute("DELETE FROM passage_vectors WHERE number % 2")
        connection.execute("UPDATE chunks SET indexed = 0 WHERE number % 3 = 0")
    assert len(library.stores.chunks.passage_vectors(ids)) < len(ids) - 1
    after = await kb.passage_vectors(ids)
    assert sorted(after) == ids
    assert all(np.allclose(after[id_], before[id_], atol=2e-3) for id_ in ids)


async def test_excluded_document_is_never_found(
    library: StoredLibrary, embedder: UseEmbedder
) -> None:
    kb = await library.open("plant")
    [pump] = [doc.id for doc in await library.documents("plant") if doc.name == "pump.md"]
    vector = embedder.embed(["真空泵"])[0]
    found = [
        *(hit.id for hit in await kb.dense(vector, 10, exclude=[pump])),
        *(hit.id for hit in await kb.keyword(query_terms("真空泵 清理"), 10, exclude=[pump])),
        *(await kb.exact(["QX-2025-088"], exclude=[pump])),
    ]
    assert found
    assert all(passage.document_id != pump for passage in await kb.passages(found))


async def test_keyword_and_keyword_scores_agree(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    terms = query_terms("QX-2025-088 抽气能力")
    hits = await kb.keyword(terms, 5)
    assert "抽气能力不足" in (await kb.passages([hits[0].id]))[0].text
    assert all(hit.score > 0 for hit in hits)
    scores = await kb.keyword_scores(terms, [hit.id for hit in hits] + ["unknown"])
    assert scores == {hit.id: pytest.approx(hit.score) for hit in hits}
    assert await kb.keyword([], 5) == []
    assert await kb.keyword(['"', "OR", "*", "x y"], 5) == []


async def test_document_frequency_counts_passages(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    found = await kb.document_frequency(["滤网", "qx-2025-088", "不存在"])
    assert found == {"滤网": 1, "qx-2025-088": 2, "不存在": 0}


async def test_cooccurrence_counts_passages_that_hold_both(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    matrix = await kb.cooccurrence(["旋转滤网", "真空泵"], ["压差", "工作水温", "不存在"])
    assert matrix.shape == (2, 3)
    assert matrix.tolist() == [[1, 0, 0], [0, 2, 0]]
    assert (await kb.cooccurrence([], ["压差"])).shape == (0, 1)


async def test_code_in_heading_or_text_comes_before_document_code(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    own = await kb.passages(await kb.exact(["qx-2025-088"]))
    assert {passage.section[-1] for passage in own} == {"缺陷 QX-2025-088", "滤网"}
    document = await kb.passages(await kb.exact(["ZK-2025-01"]))
    assert len(document) == 3
    assert all("ZK-2025-01" in passage.codes for passage in document)


async def test_passages_keep_the_order_and_leave_out_what_is_gone(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    ids = await kb.exact(["ZK-2025-01"])
    found = await kb.passages([ids[2], "gone", ids[0], ids[2]])
    assert [passage.id for passage in found] == [ids[2], ids[0]]


async def test_following_stays_in_the_document_and_skips_repeats(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    first, second, third = await kb.exact(["ZK-2025-01"])
    assert [p.id for p in await kb.following([first])] == [second]
    assert [p.id for p in await kb.following([first, second], 2)] == [third]
    assert await kb.following([third]) == []


async def test_sentence_vectors_follow_the_sentences(
    library: StoredLibrary, embedder: UseEmbedder
) -> None:
    kb = await library.open("plant")
    for passage in await kb.passages(await kb.exact(["ZK-2025-01"])):
        rows = (await kb.sentence_vectors([passage.id]))[passage.id]
        spans = sentences(passage.text)
        assert rows.shape == (len(spans), embedder.dimension)
        again = embedder.embed([passage.text[start:end] for start, end in spans])
        assert np.abs(np.einsum("ij,ij->i", rows, again) - 1).max() < 1e-2


async def test_vocabulary_holds_the_own_words_and_their_background(
    library: StoredLibrary,
) -> None:
    kb = await library.open("plant")
    words = await kb.vocabulary()
    assert {"真空泵", "工作水温", "旋转滤网"} <= set(words.phrases)
    assert words.vectors.shape == (len(words.phrases), 512)
    assert list(words.frequency) == sorted(words.frequency, reverse=True)
    assert -0.2 < words.background_mean < 0.5
    assert words.background_deviation > 0
    assert (await kb.vocabulary()) is words


async def test_background_is_kept_per_reranker(library: StoredLibrary) -> None:
    kb = await library.open("plant")
    await library.save_background("plant", "lexical-1", Background(0.1, 0.05, 300))
    assert await kb.background("lexical-1") == Background(0.1, 0.05, 300)
    assert await kb.background("other") is None


async def test_writer_in_another_process_is_seen_by_a_reader(
    library: StoredLibrary, folder: Path
) -> None:
    kb = await library.open("plant")
    before = await kb.vocabulary()
    script = (
        "import sys; from pathlib import Path; from app.adapters.database import Database\n"
        "database = Database(Path(sys.argv[1]))\n"
        "with database.write() as connection:\n"
        "    connection.execute(\"UPDATE kbs SET contact = 'desk', generation = generation + 1\")\n"
    )
    command = [sys.executable, "-c", script, str(folder / "kb.sqlite")]
    await asyncio.to_thread(subprocess.run, command, check=True)
    assert (await kb.info()).contact == "desk"
    assert (await kb.vocabulary()) is not before


TERMS = st.text(min_size=1, max_size=12).flatmap(
    lambda text: st.sampled_from(index_terms(text) or ["qx-2025-094"])
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(
    st.lists(
        st.one_of(TERMS, st.text(alphabet="aé-_./%鿕㐀汽0\ue000\U00020000", min_size=1)),
        min_size=1,
        max_size=5,
    )
)
def test_every_term_is_one_token_in_index_and_query(
    tmp_path_factory: pytest.TempPathFactory, terms: list[str]
) -> None:
    database = Database(tmp_path_factory.mktemp("terms") / "kb.sqlite")
    index = KeywordIndex(database)
    with database.write() as connection:
        index.create(connection, "kb")
        index.add(connection, "kb", 1, Indexed(" ".join(map(encode, terms))))
    assert index.document_frequency("kb", terms) == dict.fromkeys(terms, 1)
    database.close()
