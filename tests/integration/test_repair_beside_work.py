"""A large ingest that was cut off: the next start answers while it is finished."""

import asyncio
from pathlib import Path

import httpx
import pytest

from app import wiring
from app.commands.inside import running
from app.ingest.reports import Progress, Source
from app.settings import Settings
from app.wiring import open_services

LIFT = b"# Lift plan LP-7\n\n## Load\nThe lift carries at most 630 kg.\n"
LEDGER = "# Ledger\n\n" + "".join(
    f"## Entry {number}\nEntry {number} of the ledger was booked by clerk {number % 9}.\n\n"
    for number in range(1, 601)
)


class Cut(Exception):
    """Stands for the end of the process."""


def _cut(progress: Progress) -> None:
    if progress.chunks > 0:
        raise Cut


async def _documents(client: httpx.AsyncClient) -> list[str]:
    listed = (await client.get("/kb/lifts/documents")).json()["documents"]
    return [document["name"] for document in listed]


async def _until(client: httpx.AsyncClient, names: list[str]) -> None:
    for _ in range(1000):
        if await _documents(client) == names:
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the cut ingest was never finished")


async def test_start_after_a_cut_ingest_answers_before_it_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, llm="off", default_kb="lifts")
    async with open_services(settings) as services:
        await services.indexer.ingest("lifts", [Source("plan.md", LIFT)])
        with pytest.raises(Cut):
            await services.indexer.ingest("lifts", [Source("ledger.md", LEDGER.encode())], _cut)
    monkeypatch.setattr(wiring, "REPAIR_SECONDS", 0.0)
    async with running(settings) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://youju") as client:
            assert await _documents(client) == ["plan.md"]
            body = {"question": "How many kg does the lift carry?"}
            answer = (await client.post("/ask", json=body)).json()
            assert "630 kg" in answer["answer"]
            await _until(client, ["ledger.md", "plan.md"])
            hits = await client.post("/kb/lifts/search", json={"query": "Entry 599 ledger clerk"})
            assert "Entry 599" in hits.json()["hits"][0]["text"]


async def test_stop_in_a_repair_leaves_it_to_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, llm="off")
    async with open_services(settings) as services:
        with pytest.raises(Cut):
            await services.indexer.ingest("lifts", [Source("ledger.md", LEDGER.encode())], _cut)
    with monkeypatch.context() as patched:
        patched.setattr(wiring, "REPAIR_SECONDS", 0.0)
        async with open_services(settings) as services:
            assert await services.library.documents("lifts") == []
    monkeypatch.setattr(wiring, "REPAIR_SECONDS", 100.0)
    async with open_services(settings) as services:
        (ledger,) = await services.library.documents("lifts")
        assert ledger.chunks == len(
            await asyncio.to_thread(services.library.stores.dense.ids, "lifts")
        )
