"""The latency benchmark on a base so small that only its figures' making is shown."""

from pathlib import Path

import numpy as np

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from benchmarks import latency
from benchmarks.large_bases import build, made_texts, pool


async def test_every_mode_is_timed_at_every_size(tmp_path: Path) -> None:
    report = await latency.measure("tiny", tmp_path)
    assert set(report.figures) == {"200"}
    times = report.figures["200"]
    assert set(times) == {*latency.MODES, *latency.ASIDE}
    assert all(time["count"] == 12 and time["p50"] > 0 for time in times.values())
    assert times["hybrid + rerank"]["p50"] > times["rerank"]["p50"]
    (target,) = report.targets
    slower = max(times["dense"]["p95"], times["keyword"]["p95"])
    assert abs(target.limit - (1.5 * slower + times["rerank"]["p95"])) < 0.1


async def test_base_is_built_once_and_is_the_same_wherever_it_is_built(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    base = pool(made_texts(20), embedder)
    texts = []
    for name in ("left", "right"):
        await build(tmp_path / name, "large", 40, base, embedder)
        library = StoredLibrary(tmp_path / name, embedder)
        kb = await library.open("large")
        found = await kb.passages(["p0000000", "p0000039"])
        vectors = library.stores.dense.vectors("large", ["p0000039"])
        texts.append([passage.text for passage in found])
        assert (await kb.info()).passages == 40
        assert np.isclose(np.linalg.norm(vectors["p0000039"]), 1.0, atol=1e-5)
        library.close()
    assert texts[0] == texts[1]
    before = (tmp_path / "left" / "kb.sqlite").stat().st_mtime_ns
    await build(tmp_path / "left", "large", 40, base, embedder)
    assert (tmp_path / "left" / "kb.sqlite").stat().st_mtime_ns == before
