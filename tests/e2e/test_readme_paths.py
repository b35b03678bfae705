"""The README's table of paths: every example takes the path that the table says."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.ingest.reports import Source
from app.runs import Graph
from app.settings import Settings
from app.wiring import open_core

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = Path(__file__).parents[2]
SAMPLES = {"power-plant": "power_plant", "travel": "travel_policy"}


def _table() -> list[tuple[str, str, str]]:
    """Return (path, status, question) of each row."""
    section = (ROOT / "README.md").read_text("utf-8").split("## What happens on each path", 1)[1]
    table = re.search(r"(?:^\|.*\n)+", section, re.MULTILINE)
    assert table
    rows = [line.strip("|").split("|") for line in table.group().splitlines()[2:]]
    return [
        (path, re.findall(r"`(\w+)`", gets)[0], example.strip()) for path, _, gets, example in rows
    ]


def _kb_of(question: str) -> str:
    for kb, folder in SAMPLES.items():
        lines = (ROOT / "examples" / folder / "questions.jsonl").read_text("utf-8").splitlines()
        if any(json.loads(line)["question"] == question for line in lines):
            return kb
    raise AssertionError(f"no sample question reads {question}")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def graph(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Graph]:
    settings = Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("data"), llm="off")
    async with open_core(settings) as core:
        for kb, folder in SAMPLES.items():
            files = sorted((ROOT / "examples" / folder).iterdir())
            taken = [file for file in files if file.suffix in (".md", ".txt")]
            await core.indexer.ingest(kb, [Source(file.name, file.read_bytes()) for file in taken])
        yield core.builder.compile()


@pytest.mark.parametrize(("path", "status", "question"), _table())
async def test_example_takes_its_path(graph: Graph, path: str, status: str, question: str) -> None:
    asked = {"question": question, "kb": _kb_of(question)}
    result = (await graph.ainvoke(asked))["result"]
    assert result["status"] == status
    for branch in ("precise", "broaden"):
        assert (f"retrieve_{branch}" in result["path"]) == (f"{branch} →" in path)
    assert ("retrieve_initial" in result["path"]) == (status != "direct")
