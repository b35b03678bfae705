"""A request that the server cancels when it stops gets the contract's error, not a bare one."""

import asyncio
import json
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.responses import StreamingResponse

from app import error_responses

SCOPE: dict[str, Any] = {
    "type": "http", "method": "GET", "query_string": b"", "headers": [], "http_version": "1.1",
    "scheme": "http", "server": ("youju", 80), "client": ("here", 1), "root_path": "",
}  # fmt: skip


def slow_app(reached: asyncio.Event) -> FastAPI:
    """Return an app whose routes wait for ever, one before its answer and one within it."""
    app = FastAPI()
    error_responses.install(app)

    @app.get("/waits")
    async def wait() -> None:
        reached.set()
        await asyncio.Event().wait()

    async def parts() -> Any:
        yield b"begun"
        reached.set()
        await asyncio.Event().wait()

    @app.get("/streams")
    async def stream() -> StreamingResponse:
        return StreamingResponse(parts())

    return app


async def cancelled(path: str) -> tuple[list[Any], asyncio.Task[None]]:
    """Cancel a request as the server does and return what it sent."""
    reached, sent = asyncio.Event(), []

    async def receive() -> Any:
        await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    request = slow_app(reached)(SCOPE | {"path": path, "raw_path": path.encode()}, receive, send)
    task = asyncio.create_task(request)
    await reached.wait()
    task.cancel()
    await asyncio.wait([task])
    return sent, task


async def test_request_that_is_cut_before_its_answer_gets_503_with_a_hint() -> None:
    sent, _ = await cancelled("/waits")
    assert sent[0]["status"] == 503
    error = json.loads(sent[1]["body"])["error"]
    assert error["code"] == "interrupted"
    assert "again" in error["hint"]


async def test_answer_that_is_cut_is_no_second_answer() -> None:
    sent, task = await cancelled("/streams")
    assert [m["type"] for m in sent].count("http.response.start") == 1
    with pytest.raises(asyncio.CancelledError):
        task.result()
