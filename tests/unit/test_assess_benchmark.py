"""The benchmark of noise removal and assessment, on a few questions."""

from pathlib import Path

import pytest

from app.interpreter import keep_what_is_loaded
from app.settings import Settings
from app.wiring import open_core
from benchmarks import assess
from benchmarks.samples import documents, labelled
from graphs.evidence.matters import matters
from graphs.evidence.text import words
from graphs.ports import Matrix

KB = "power-plant"


class CountingEmbedder:
    """Counts the texts that the real embedder is asked for."""

    def __init__(self, embedder: assess.Embedder) -> None:
        self._embedder = embedder
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension
        self.texts = 0

    def embed(self, texts: list[str]) -> Matrix:
        self.texts += len(texts)
        return self._embedder.embed(texts)


async def test_step_is_timed_with_and_without_embedding(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, llm="off")
    async with open_core(settings) as core:
        await core.indexer.ingest(KB, documents(KB))
        report = await assess.report_on(core, labelled(3, [KB]))
    figures = report.figures
    assert {*figures} == {assess.SELECTION, assess.WITH, assess.WITHOUT}
    for each in figures.values():
        assert 1 <= each["wall"]["count"] == each["cpu"]["count"] <= 3
    assert figures[assess.SELECTION]["wall"]["p50"] < figures[assess.WITHOUT]["wall"]["p50"]
    assert [target.limit for target in report.targets] == [40, 18]


def test_text_is_embedded_once_until_it_is_forgotten(embedder: assess.Embedder) -> None:
    counting = CountingEmbedder(embedder)
    remembering = assess.Remembering(counting)
    first = remembering.embed(["水泵", "a pump", "水泵"])
    assert counting.texts == 2
    assert (remembering.embed(["a pump"]) == first[1]).all()
    assert counting.texts == 2
    remembering.forget()
    remembering.embed(["a pump"])
    assert counting.texts == 3
    assert remembering.embed([]).shape == (0, embedder.dimension)


@pytest.mark.usefixtures("embedder")
def test_what_is_loaded_once_is_not_forgotten() -> None:
    words("循环水泵的振动")
    keep_what_is_loaded()  # as the service does: frozen objects must be found all the same
    caches = assess._caches()
    assert matters in caches
    assert all((each.cache_parameters()["maxsize"] or 0) > 1 for each in caches)
    assert all(each.__module__.startswith("graphs.") for each in caches)
