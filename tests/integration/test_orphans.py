"""After any sequence of changes, kills among them, every row of every store belongs to something."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from stored import contents, counts, orphans

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.ingest.reports import Source

KB = "kb"
SCRIPT = Path(__file__).with_name("killed_ingest.py")
POINTS = (
    ("documents.stage.after", 3),
    ("chunks.insert.after", 12),
    ("chunks.mark_indexed.after", 12),
    ("dense.upsert.before", 2),
    ("dense.upsert.after", 2),
    ("documents.switch.before", 3),
    ("documents.switch.after", 3),
    ("dense.delete.before", 1),
    ("signatures.save.after", 2),
    ("signatures.decide.before", 2),
    ("vocabulary.save_vectors.after", 1),
)
PARTS = "真空泵 凝汽器 给水泵 轴承 阀门 冷却塔 滤网 汽封 加热器 除氧器".split()


def text(chance: random.Random, number: int) -> str:
    sections = [
        f"## {chance.choice(PARTS)}{index}\n\n{chance.choice(PARTS)}的定值为 {chance.randint(1, 99)} kPa，"
        f"每 {chance.randint(1, 30)} 天检查一次（QX-2025-{chance.randint(100, 999)}）。\n"
        for index in range(chance.randint(1, 9))
    ]
    return f"# 规程{number}号{chance.choice(PARTS)}\n\n" + "\n".join(sections)


def table(chance: random.Random) -> str:
    rows = [f"{chance.choice(PARTS)},{chance.randint(1, 99)},{i}" for i in range(40)]
    return "设备,定值,序号\n" + "\n".join(rows)


def page(chance: random.Random, number: int) -> str:
    body = "".join(f"<h2>{p}</h2><p>{p}每周检查。</p>" for p in chance.sample(PARTS, 3))
    return f"<html><head><title>说明{number}</title></head><body>{body}</body></html>"


def file(chance: random.Random, number: int) -> Source:
    made = {"md": text(chance, number), "csv": table(chance), "html": page(chance, number)}
    ending = ("md", "md", "csv", "html")[number % 4]
    return Source(f"file-{number}.{ending}", made[ending].encode())


def kill(data: Path, folder: Path, sources: list[Source], point: str, number: int) -> None:
    folder.mkdir()
    for source in sources:
        (folder / source.name).write_bytes(source.data)
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(data), str(folder), point, str(number), KB],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode in (0, -9), done.stderr.decode()


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_random_changes_and_kills_leave_no_orphan(
    tmp_path: Path, embedder: UseEmbedder, seed: int
) -> None:
    chance = random.Random(seed)
    data, alive = tmp_path / "data", dict[str, Source]()
    for step in range(6):
        sources = [file(chance, number) for number in chance.sample(range(12), 4)]
        if step % 2:
            point = chance.choice(POINTS)
            kill(data, tmp_path / f"step-{step}", sources, point[0], chance.randint(1, point[1]))
        library = StoredLibrary(data, embedder)
        indexer = Indexer(library)
        await indexer.repair()
        assert orphans(library.stores) == {}, f"after the repair of step {step}"
        await indexer.ingest(KB, sources)
        alive.update((source.name, source) for source in sources)
        for document in await library.documents(KB):
            if chance.random() < 0.3:
                await library.delete_document(KB, document.id)
                del alive[document.name]
        assert orphans(library.stores) == {}, f"after step {step}"
        library.close()

    library = StoredLibrary(data, embedder)
    fresh = StoredLibrary(tmp_path / "fresh", embedder)
    await Indexer(fresh).ingest(KB, list(alive.values()))
    assert contents(library.stores, KB) == contents(fresh.stores, KB)
    for document in await library.documents(KB):
        await library.delete_document(KB, document.id)
    assert orphans(library.stores) == {}
    assert set(counts(library.stores, KB).values()) == {0}
    library.close()
    fresh.close()
