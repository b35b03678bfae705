import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from killed_ingest import KB, sources
from stored import contents

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer

SCRIPT = Path(__file__).with_name("killed_ingest.py")


def manual(figure: int, sections: int = 230) -> str:
    """Return a document of more than one transaction; every third section depends on `figure`."""
    parts = ["# 运行手册\n\n编号：SC-2025-01\n\n本手册供运行人员使用。\n"]
    for number in range(sections):
        value = figure if number % 3 == 0 else 7
        parts.append(f"\n## 第{number}号阀门\n阀门{number}的开启压力为{number}.{value}兆帕。\n")
    return "".join(parts)


def write(folder: Path, figure: int) -> Path:
    folder.mkdir()
    (folder / "a-short.md").write_text("# 短文\n\n备用真空泵应每月试转一次。\n", encoding="utf-8")
    (folder / "b-manual.md").write_text(manual(figure), encoding="utf-8")
    (folder / "c-last.txt").write_text("末页\n\n交接班应当面进行。\n", encoding="utf-8")
    return folder


async def ingested(data: Path, folder: Path, embedder: UseEmbedder) -> StoredLibrary:
    library = StoredLibrary(data, embedder)
    await Indexer(library).ingest(KB, sources(folder))
    return library


def killed(data: Path, folder: Path, point: str, number: int) -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(data), str(folder), point, str(number)],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == -9, done.stderr.decode()


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("sources") / "first", 1)


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("sources") / "second", 2)


POINTS = [
    ("documents.stage.after", 2),
    ("chunks.insert.after", 120),
    ("dense.upsert.before", 3),
    ("dense.upsert.after", 2),
    ("chunks.mark_indexed.after", 150),
    ("documents.switch.before", 2),
    ("dense.delete.before", 2),
    ("vocabulary.save_vectors.after", 1),
]


@pytest.mark.parametrize(("point", "number"), POINTS)
async def test_killed_first_ingest_then_repair_and_rest_equals_an_undisturbed_one(
    tmp_path: Path, first: Path, embedder: UseEmbedder, point: str, number: int
) -> None:
    killed(tmp_path / "killed", first, point, number)
    library = StoredLibrary(tmp_path / "killed", embedder)
    indexer = Indexer(library)
    await indexer.repair()
    before = contents(library.stores, KB)
    assert all("None)" not in row for row in before["chunks"]), "a chunk lacks words or vectors"
    assert len(before["chunks"]) == len(before["vectors"])
    await indexer.ingest(KB, sources(first))
    expected = await ingested(tmp_path / "whole", first, embedder)
    assert contents(library.stores, KB) == contents(expected.stores, KB)
    library.close()
    expected.close()


@pytest.mark.parametrize(("point", "number"), [
    ("chunks.insert.before", 1), ("chunks.insert.after", 40), ("dense.upsert.after", 1),
    ("documents.switch.before", 1), ("documents.switch.after", 1), ("dense.delete.before", 1),
])  # fmt: skip
async def test_killed_replacement_is_finished_by_the_repair_pass(
    tmp_path: Path, first: Path, second: Path, embedder: UseEmbedder, point: str, number: int
) -> None:
    library = await ingested(tmp_path / "killed", first, embedder)
    library.close()
    shutil.copytree(tmp_path / "killed", tmp_path / "whole")
    killed(tmp_path / "killed", second, point, number)

    library = StoredLibrary(tmp_path / "killed", embedder)
    kb = await library.open(KB)
    old = await kb.keyword(["阀门"], 1_000)
    assert len(old) == 230, "between kill and repair readers see one whole version"
    await Indexer(library).repair()
    expected = await ingested(tmp_path / "whole", second, embedder)
    assert contents(library.stores, KB) == contents(expected.stores, KB)
    assert (await Indexer(library).ingest(KB, sources(second))).count("unchanged") == 3
    library.close()
    expected.close()
