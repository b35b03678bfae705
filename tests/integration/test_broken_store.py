"""A store that breaks under a question: over HTTP it still ends in a labelled answer."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import httpx

from app.commands.inside import running
from app.settings import Settings

PLAN = "# Lift plan LP-7\n\n## Load\nThe lift carries at most 630 kg.\n"


@asynccontextmanager
async def service(data_dir: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Yield a client of the real service, which holds one document."""
    settings = Settings(_env_file=None, data_dir=data_dir, llm="off", default_kb="lifts")
    async with running(settings) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://youju") as client:
            sent = await client.post(
                "/kb/lifts/documents", params={"name": "plan.md"}, content=PLAN.encode()
            )
            assert sent.is_success
            yield client


async def test_keyword_index_that_is_gone_ends_in_a_refusal_as_json_and_as_events(
    tmp_path: Path,
) -> None:
    async with service(tmp_path) as client:
        with closing(sqlite3.connect(tmp_path / "kb.sqlite")) as connection:
            connection.execute("DROP TABLE kw_lifts_fts")
        body = {"question": "How many kg does the lift carry?"}
        answered = await client.post("/ask", json=body)
        assert answered.status_code == 200
        answer = answered.json()
        assert answer["status"] == "insufficient"
        assert answer["statements"] == []
        assert answer["path"] == ["analyze_query", "retrieve_initial", "finalize"]
        log = (await client.get(f"/runs/{answer['run_id']}/events")).text
    events = [block.split("\n") for block in log.split("\n\n") if block]
    assert [lines[0] for lines in events] == [f"id: {n}" for n in range(1, len(events) + 1)]
    read = [(name[7:], json.loads(data[6:])) for _, name, data in events]
    failed = [data["node"] for kind, data in read if kind == "node" and data.get("failed")]
    assert failed == ["retrieve_initial"]
    assert [kind for kind, _ in read][-2:] == ["answer", "done"]
    assert "".join(data["text"] for kind, data in read if kind == "token") == answer["answer"]
