import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from scripted_app import scripted_services
from scripted_graph import Script

from app.main import create_app
from app.settings import Settings


class Client(httpx.AsyncClient):
    """An HTTP client that knows the event stream's format."""

    async def events(self, method: str, url: str, **request: Any) -> list[dict[str, Any]]:
        headers = {"Accept": "text/event-stream", **request.pop("headers", {})}
        async with self.stream(method, url, headers=headers, **request) as response:
            assert response.status_code == 200, await response.aread()
            return [event async for event in parse(response)]

    async def until(self, run_id: str, status: str) -> dict[str, Any]:
        for _ in range(200):
            run = (await self.get(f"/runs/{run_id}")).json()
            if run["status"] == status:
                return dict(run)
            await asyncio.sleep(0.02)
        raise AssertionError(f"run stayed {run['status']}")


async def parse(response: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    event: dict[str, Any] = {}
    async for line in response.aiter_lines():
        if not line:
            if event:
                yield event
            event = {}
        elif line.startswith(":"):
            yield {"type": "heartbeat"}
        else:
            name, _, value = line.partition(": ")
            event[{"event": "type"}.get(name, name)] = (
                json.loads(value) if name != "event" else value
            )


def streamed(events: list[dict[str, Any]]) -> str:
    """Return what a client holds at the end: the tokens after the last reset, joined."""
    text = ""
    for event in events:
        if event["type"] == "reset":
            text = ""
        elif event["type"] == "token":
            text += event["data"]["text"]
    return text


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        _env_file=None,
        data_dir=tmp_path,
        default_kb="plant",
        llm="off",
        max_upload_mb=1,
        heartbeat_seconds=0.2,
        shutdown_seconds=0.2,
    )


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
async def client(settings: Settings, script: Script) -> AsyncIterator[Client]:
    app = create_app(settings, scripted_services(script))
    config = uvicorn.Config(
        app, port=0, log_level="warning", ws="none", lifespan="on", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:
        if serving.done():
            serving.result()
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    async with Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
        client.app = app  # type: ignore[attr-defined]
        yield client
    server.should_exit = True
    await serving
