import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn
from http_client import Client
from scripted_app import scripted_services
from scripted_graph import Script

from app.main import create_app
from app.settings import Settings


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
