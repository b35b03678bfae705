"""Near-copies of documents: found, reported, and kept from crowding out others."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import open_services
from graphs.evidence.text import query_terms

FORM = """# 巡检说明 {n}

一号循环水泵房巡检人员应当每两小时检查轴承温度、润滑油位、盘根泄漏情况和电机电流，\
并把读数填入巡检表。发现轴承温度升高时应当先检查冷却水阀门的位置，再检查润滑油的颜色和油位。\
巡检编号 {n}。巡检结束后应当清理现场，关闭照明，并把钥匙交还给集控室值班人员签字登记。
"""
OTHER = "# 轴承手册\n\n水泵轴承温度的报警值为 75 摄氏度，跳闸值为 85 摄氏度。\n"
QUESTION = "循环水泵房巡检人员检查润滑油位、盘根泄漏和轴承温度并填入巡检表"


@pytest.fixture
async def library(tmp_path: Path, embedder: UseEmbedder) -> AsyncIterator[StoredLibrary]:
    opened = StoredLibrary(tmp_path, embedder)
    yield opened
    opened.close()


def form(number: int) -> Source:
    return Source(f"form-{number:02d}.md", FORM.format(n=number).encode())


async def test_copies_do_not_crowd_out_another_document(library: StoredLibrary) -> None:
    copies = [form(number) for number in range(40)]
    await Indexer(library).ingest("kb", [*copies, Source("manual.md", OTHER.encode())])
    opened = await library.open("kb")
    vector = library.stores.embedder.embed([QUESTION])[0]
    nearest = library.stores.dense.query("kb", vector, 20)
    documents = library.stores.chunks.documents_of([hit.id for hit in nearest])
    [manual] = [d for d in await library.documents("kb") if d.name == "manual.md"]
    assert manual.id not in documents.values(), "the copies take all places of the bare index"
    for hits in (
        await opened.dense(vector, 20),
        await opened.keyword(query_terms(QUESTION), 20),
    ):
        found = [passage.document_id for passage in await opened.passages([h.id for h in hits])]
        assert manual.id in found
        assert len(found) == 4, "one copy and two more to compare it with stay"
        assert [hit.score for hit in hits] == sorted((h.score for h in hits), reverse=True)


async def test_copies_are_reported_and_kept_with_the_documents(library: StoredLibrary) -> None:
    report = await Indexer(library).ingest("kb", [form(1), form(2), Source("m.md", OTHER.encode())])
    assert [file.near_duplicate_of for file in report.files] == [None, "form-01.md", None]
    first, second, other = await library.documents("kb")
    assert second.near_duplicate_of == first.id
    assert (first.near_duplicate_of, other.near_duplicate_of) == (None, None)
    opened = await library.open("kb")
    passages = await opened.passages(sorted(library.stores.dense.ids("kb")))
    assert {p.document_id for p in passages if p.near_duplicates} == {first.id, second.id}


async def test_copy_of_a_deleted_or_changed_document_is_compared_again(
    library: StoredLibrary,
) -> None:
    indexer = Indexer(library)
    await indexer.ingest("kb", [form(1), form(2), form(3)])
    first, second, third = await library.documents("kb")
    assert second.near_duplicate_of == first.id
    await library.delete_document("kb", first.id)
    second, third = await library.documents("kb")
    assert (second.near_duplicate_of, third.near_duplicate_of) == (None, second.id)
    await indexer.ingest("kb", [Source(second.name, OTHER.encode())])
    assert [d.near_duplicate_of for d in await library.documents("kb")] == [None, None]


async def test_earlier_document_that_becomes_alike_is_found(library: StoredLibrary) -> None:
    indexer = Indexer(library)
    await indexer.ingest("kb", [Source("a.md", OTHER.encode()), form(2)])
    await indexer.ingest("kb", [Source("a.md", FORM.format(n=1).encode())])
    first, second = await library.documents("kb")
    assert (first.near_duplicate_of, second.near_duplicate_of) == (None, first.id)


async def test_versions_of_one_document_are_no_copies(library: StoredLibrary) -> None:
    def version(year: int) -> Source:
        head = f"# 循环水泵巡检规程（{year}年版）\n\n生效日期：{year}-01-01\n"
        return Source(f"rules-{year}.md", (head + FORM.split("\n", 1)[1].format(n=7)).encode())

    report = await Indexer(library).ingest("kb", [version(2023), version(2024)])
    assert [file.near_duplicate_of for file in report.files] == [None, None]
    old, new = await library.documents("kb")
    assert old.superseded_by == new.id


async def test_answer_from_a_copied_document_warns(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, llm="off", default_kb="kb")
    async with open_services(settings) as services:
        await services.indexer.ingest("kb", [form(1), form(2)])
        config = {"configurable": {"thread_id": "t"}}
        asked = {"question": "巡检人员应当多久检查一次轴承温度？", "kb": "kb", "options": {}}
        state = await services.graph.ainvoke(asked, config)
    codes = [warning["code"] for warning in state["result"]["warnings"]]
    assert state["result"]["status"] == "answered"
    assert "near_duplicate_documents" in codes
