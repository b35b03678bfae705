"""An HTTP client for tests that reads event streams."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx


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
