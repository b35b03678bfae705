import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from stored import contents, counts

from app.adapters.dense_chroma import FingerprintMismatch
from app.adapters.embed_use import UseEmbedder
from app.adapters.library import InvalidKnowledgeBaseName, StoredLibrary
from app.ingest.atoms import SplitLimits
from app.ingest.indexing import Indexer
from app.ingest.reports import Progress, Source
from graphs.errors import DenseUnavailable, UnknownKnowledgeBase

EXAMPLES = Path(__file__).parents[2] / "examples"
VALVE = Source(
    "valve.md", "# 阀门手册\n\n## 开启\n开启压力为 1.2 MPa。\n\n## 关闭\n缓慢关闭。\n".encode()
)


def example(folder: str) -> list[Source]:
    paths = sorted((EXAMPLES / folder).iterdir())
    return [
        Source(path.name, path.read_bytes()) for path in paths if path.suffix in {".md", ".txt"}
    ]


@pytest.fixture
async def library(tmp_path: Path, embedder: UseEmbedder) -> AsyncIterator[StoredLibrary]:
    opened = StoredLibrary(tmp_path, embedder)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("kb", "folder"), [("power-plant", "power_plant"), ("travel", "travel_policy")]
)
async def test_sample_documents_are_stored_with_exact_offsets(
    library: StoredLibrary, kb: str, folder: str
) -> None:
    report = await Indexer(library).ingest(kb, example(folder))
    assert {file.outcome for file in report.files} == {"added"}
    assert report.seconds < 15
    opened = await library.open(kb)
    for passage in await opened.passages(sorted(library.stores.dense.ids(kb))):
        text = await opened.canonical_text(passage.document_id, passage.version)
        assert text is not None
        assert text[passage.start : passage.end] == passage.text
    stored = counts(library.stores, kb)
    assert (
        len(
            {
                stored[each]
                for each in ("chunks", "keywords", "vectors", "sentences", "passage vectors")
            }
        )
        == 1
    )


async def test_records_carry_their_own_date_and_code(library: StoredLibrary) -> None:
    await Indexer(library).ingest("power-plant", example("power_plant"))
    opened = await library.open("power-plant")
    [passage] = [
        passage
        for passage in await opened.passages(await opened.exact(["QX-2025-094"]))
        if "QX-2025-094" in passage.codes
    ]
    assert passage.date == "2025-08-06"
    assert passage.section[-1].startswith("QX-2025-094")


async def test_newer_policy_supersedes_the_older_one_only(library: StoredLibrary) -> None:
    indexer = Indexer(library)
    await indexer.ingest("travel", example("travel_policy"))
    by_name = {document.name: document for document in await library.documents("travel")}
    old, new = by_name["policy-2023-05.md"], by_name["policy-2024-07.md"]
    assert old.superseded_by == new.id
    assert [d.name for d in by_name.values() if d.superseded_by] == [old.name]
    opened = await library.open("travel")
    [first, *_] = await opened.passages(await opened.exact(["POL-2023-05"], exclude=[new.id]))
    assert first.superseded_by == new.id
    await library.delete_document("travel", new.id)
    remaining = await library.document("travel", old.id)
    assert remaining is not None
    assert remaining.superseded_by is None


async def test_same_file_twice_changes_nothing(library: StoredLibrary) -> None:
    indexer = Indexer(library)
    await indexer.ingest("kb", [VALVE])
    before = contents(library.stores, "kb")
    report = await indexer.ingest("kb", [VALVE])
    assert [file.outcome for file in report.files] == ["unchanged"]
    assert contents(library.stores, "kb") == before


async def test_changed_file_replaces_its_chunks_and_keeps_the_old_text(
    library: StoredLibrary,
) -> None:
    indexer = Indexer(library)
    [added] = (await indexer.ingest("kb", [VALVE])).files
    assert added.document_id is not None
    old = await library.document("kb", added.document_id)
    assert old is not None
    data = VALVE.data.replace(b"1.2", b"1.6")
    [changed] = (await indexer.ingest("kb", [Source(VALVE.name, data)])).files
    assert (changed.outcome, changed.document_id) == ("changed", added.document_id)
    opened = await library.open("kb")
    passages = await opened.passages(sorted(library.stores.dense.ids("kb")))
    assert "1.6" in "".join(passage.text for passage in passages)
    assert "1.2" not in "".join(passage.text for passage in passages)
    assert {passage.version for passage in passages} != {old.version}
    assert "1.2" in (await opened.canonical_text(old.id, old.version) or "")
    stored = counts(library.stores, "kb")
    assert (
        len(
            {
                stored[each]
                for each in ("chunks", "keywords", "vectors", "sentences", "passage vectors")
            }
        )
        == 1
    )
    assert stored["versions"] == 2


async def test_changed_title_is_indexed_anew_for_unchanged_text(library: StoredLibrary) -> None:
    indexer = Indexer(library)
    body = "\n\n真空泵每月试转。\n"
    await indexer.ingest("kb", [Source("a.md", f"---\ntitle: 旧名\n---{body}".encode())])
    data = f"---\ntitle: 轮换制度\n---{body}".encode()
    await indexer.ingest("kb", [Source("a.md", data)])
    opened = await library.open("kb")
    assert len(await opened.keyword(["轮换"], 5)) == 1
    assert await opened.keyword(["旧名"], 5) == []


async def test_other_splitter_settings_replace_the_chunks(library: StoredLibrary) -> None:
    text = "# 手册\n\n" + "\n\n".join(
        f"段落{i}：检查真空泵的电流和声音是否正常。" for i in range(20)
    )
    source = Source("a.md", text.encode())
    [wide] = (await Indexer(library).ingest("kb", [source])).files
    small = Indexer(library, limits=SplitLimits(maximum=100, minimum=20))
    [narrow] = (await small.ingest("kb", [source])).files
    assert narrow.outcome == "changed"
    assert narrow.chunks > wide.chunks
    assert counts(library.stores, "kb")["vectors"] == narrow.chunks
    assert counts(library.stores, "kb")["versions"] == 1


async def test_bad_files_are_reported_and_the_rest_is_taken(library: StoredLibrary) -> None:
    files = [
        Source("empty.md", b""),
        Source("picture.md", b"\x89PNG\x00\x00"),
        Source("a.exe", b"MZ"),
        Source("\x00.md", b"text"),
        VALVE,
        Source("large.txt", b"x" * 2_000),
    ]
    report = await Indexer(library, max_bytes=1_000).ingest("kb", files)
    codes = [file.error.code if file.error else file.outcome for file in report.files]
    assert codes == [
        "empty_file", "binary_file", "unsupported_type", "bad_name", "added", "too_large",
    ]  # fmt: skip
    assert (await library.list())[0].documents == 1


async def test_deleted_document_leaves_no_row_in_any_store(library: StoredLibrary) -> None:
    [file] = (await Indexer(library).ingest("kb", [VALVE])).files
    assert file.document_id is not None
    assert await library.delete_document("kb", file.document_id)
    assert not await library.delete_document("kb", file.document_id)
    assert set(counts(library.stores, "kb").values()) == {0}
    opened = await library.open("kb")
    assert (await opened.info()).documents == 0
    assert (await opened.vocabulary()).phrases == ()


async def test_deleted_knowledge_base_is_gone_and_can_be_made_again(
    library: StoredLibrary,
) -> None:
    indexer = Indexer(library)
    await indexer.ingest("kb", [VALVE])
    await library.delete("kb")
    with pytest.raises(UnknownKnowledgeBase):
        await library.open("kb")
    await indexer.ingest("kb", [VALVE])
    assert counts(library.stores, "kb")["chunks"] == counts(library.stores, "kb")["vectors"] > 0


async def test_names_that_look_like_each_others_tables_stay_apart(library: StoredLibrary) -> None:
    indexer = Indexer(library)
    for name in ("ab", "ab-data", "ab-fts", "ab-vocab"):
        await indexer.ingest(name, [VALVE])
    await library.delete("ab")
    opened = await library.open("ab-data")
    assert await opened.keyword(["压力"], 5)


@pytest.mark.parametrize("name", ["", "a", "Upper", "a_b", "a" * 41, "a b", "电厂", "ab\n"])
async def test_impossible_name_is_refused(library: StoredLibrary, name: str) -> None:
    with pytest.raises(InvalidKnowledgeBaseName):
        await Indexer(library).ingest(name, [VALVE])
    assert await library.list() == []


async def test_card_is_stored_and_not_indexed(library: StoredLibrary) -> None:
    card = "description: 设备手册\ncontact: 设备部\nglossary:\n  凝汽器: [冷凝器]\nunrelated:\n- [炉膛负压, 凝汽器真空]\n"
    report = await Indexer(library).ingest("kb", [VALVE, Source("kb.yaml", card.encode())])
    assert [file.outcome for file in report.files] == ["added", "settings"]
    [info] = await library.list()
    assert (info.description, info.contact, info.documents) == ("设备手册", "设备部", 1)
    assert info.glossary == {"凝汽器": ("冷凝器",)}
    assert info.unrelated == (("炉膛负压", "凝汽器真空"),)


@pytest.mark.parametrize(
    "card",
    [
        b"contact: [1",
        b"unknown: 1",
        b"- list",
        b"\xff\xfe",
        b'glossary: {kiln: ["\\ud801"]}',
        b'contact: "a\\0b"',
        b"a: " + b"[" * 3000,
    ],
)
async def test_bad_card_is_reported_and_keeps_the_old_one(
    library: StoredLibrary, card: bytes
) -> None:
    indexer = Indexer(library)
    await indexer.ingest("kb", [Source("kb.yaml", b"contact: me")])
    [file] = (await indexer.ingest("kb", [Source("kb.yaml", card)])).files
    assert file.error is not None
    assert file.error.code == "invalid_card"
    assert (await library.list())[0].contact == "me"


async def test_two_ingests_at_once_and_reading_meanwhile_lose_nothing(
    library: StoredLibrary,
) -> None:
    indexer = Indexer(library)
    await indexer.ingest("kb", [VALVE])
    opened = await library.open("kb")
    sources = example("travel_policy")
    writing = asyncio.gather(
        indexer.ingest("kb", sources[:2]), indexer.ingest("kb", [*sources[1:], VALVE])
    )
    reads = 0
    while not writing.done():
        assert await opened.keyword(["压力"], 5)
        reads += 1
        await asyncio.sleep(0.005)
    await writing
    assert reads > 5
    stored = counts(library.stores, "kb")
    assert stored["documents"] == 5
    assert (
        len(
            {
                stored[each]
                for each in ("chunks", "keywords", "vectors", "sentences", "passage vectors")
            }
        )
        == 1
    )


async def test_progress_counts_files_and_chunks(library: StoredLibrary) -> None:
    seen: list[Progress] = []
    report = await Indexer(library).ingest("kb", [VALVE, Source("x.pdf", b"x")], seen.append)
    assert (seen[-1].done, seen[-1].total, seen[-1].chunks) == (2, 2, report.chunks)


class OtherEmbedder(UseEmbedder):
    """The same vectors under another name."""

    @property
    def fingerprint(self) -> str:
        return "other-1"


async def test_other_embedder_is_refused_until_reindexed(tmp_path: Path) -> None:
    library = StoredLibrary(tmp_path, UseEmbedder())
    await Indexer(library).ingest("kb", [VALVE])
    before = contents(library.stores, "kb")
    library.close()

    library = StoredLibrary(tmp_path, OtherEmbedder())
    indexer = Indexer(library)
    with pytest.raises(FingerprintMismatch, match="youju reindex --kb kb"):
        await library.open("kb")
    with pytest.raises(FingerprintMismatch):
        await indexer.ingest("kb", [VALVE])
    [report] = await indexer.repair()
    assert "youju reindex --kb kb" in report.problem
    await indexer.reindex("kb")
    opened = await library.open("kb")
    assert (await opened.vocabulary()).phrases
    after = contents(library.stores, "kb")
    assert after["vectors"] == before["vectors"]
    assert [file.outcome for file in (await indexer.ingest("kb", [VALVE])).files] == ["unchanged"]
    library.close()


async def test_lost_vector_folder_is_made_anew_by_the_repair_pass(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    library = StoredLibrary(tmp_path / "one", embedder)
    await Indexer(library).ingest("kb", [VALVE])
    before = contents(library.stores, "kb")
    library.close()
    (tmp_path / "two").mkdir()
    for path in (tmp_path / "one").glob("kb.sqlite*"):
        path.rename(tmp_path / "two" / path.name)
    library = StoredLibrary(tmp_path / "two", embedder)
    [report] = await Indexer(library).repair()
    assert report.embedded == len(before["vectors"])
    assert contents(library.stores, "kb") == before
    assert not (await Indexer(library).repair())[0].changed
    library.close()


async def test_background_is_measured_after_changes_only(library: StoredLibrary) -> None:
    measured: list[str] = []

    async def measure(kb: str) -> None:
        measured.append(kb)

    indexer = Indexer(library, measure_background=measure)
    await indexer.ingest("kb", [VALVE])
    await indexer.ingest("kb", [VALVE])
    assert measured == ["kb"]


async def test_unreadable_vector_index_leaves_keyword_search_working(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    library = StoredLibrary(tmp_path, embedder)
    await Indexer(library).ingest("kb", [VALVE])
    library.close()
    for path in sorted((tmp_path / "chroma").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    (tmp_path / "chroma" / "chroma.sqlite3").write_bytes(b"no database" * 100)

    library = StoredLibrary(tmp_path, embedder)
    [report] = await Indexer(library).repair()
    assert report.problem
    opened = await library.open("kb")
    assert await opened.keyword(["压力"], 5)
    for _ in range(2):
        with pytest.raises(DenseUnavailable):
            await opened.dense(embedder.embed(["压力"])[0], 5)
    library.close()


async def test_vectors_left_by_a_broken_deletion_are_removed_by_the_repair_pass(
    library: StoredLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    [file] = (await Indexer(library).ingest("kb", [VALVE])).files
    assert file.document_id is not None

    def broken(*_: object) -> None:
        raise DenseUnavailable("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(library.stores.dense, "delete", broken)
        with pytest.raises(DenseUnavailable):
            await library.delete_document("kb", file.document_id)
    assert counts(library.stores, "kb")["vectors"] == file.chunks
    [report] = await Indexer(library).repair()
    assert report.removed == file.chunks
    assert set(counts(library.stores, "kb").values()) == {0}


async def test_a_failed_batch_removes_no_knowledge_base_that_another_one_fills(
    library: StoredLibrary,
) -> None:
    """The failed one comes first: the other waits for the lock while it fails."""
    indexer = Indexer(library)
    damaged = Source("scan.pdf", b"%PDF-1.4\n" + b"\xde\xad" * 1000)
    failed, taken = await asyncio.gather(
        indexer.ingest("shared", [damaged]), indexer.ingest("shared", [VALVE])
    )
    assert failed.count("failed") == taken.count("added") == 1
    assert [document.name for document in await library.documents("shared")] == ["valve.md"]


async def test_an_upload_that_waits_for_a_deletion_makes_the_knowledge_base_anew(
    library: StoredLibrary,
) -> None:
    indexer = Indexer(library)
    await indexer.ingest("shared", [VALVE])
    async with library.writing("shared"):
        deletion = asyncio.create_task(library.delete("shared"))
        await asyncio.sleep(0.05)  # it waits in front
        upload = asyncio.create_task(indexer.ingest("shared", [VALVE]))
        await asyncio.sleep(0.05)
    await deletion
    report = await upload
    assert report.count("added") == 1
    assert len(await library.documents("shared")) == 1


async def test_a_broken_character_in_a_record_is_replaced_and_costs_no_other_file(
    library: StoredLibrary,
) -> None:
    record = Source("records.jsonl", b'{"title": "a \\ud800 b", "text": "Valve 7 leaks."}\n')
    report = await Indexer(library).ingest("shared", [VALVE, record])
    assert report.count("added") == 2
