"""A real HTTP server that speaks as SearxNG, Tavily and Serper do."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response


@dataclass
class WebServer:
    """Answers every search with these pages, and keeps every request."""

    pages: list[dict[str, str]] = field(default_factory=list)
    """`url`, `title`, `text` and, where there is one, `date`."""
    status: int = 200
    delay: float = 0.0
    raw: bytes | None = None
    """A body that is sent as it is."""
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""

    async def searxng(self, request: Request) -> Response:
        rows = [
            {
                "url": p["url"], "title": p["title"], "content": p["text"], "engines": ["test"],
                "engine": "test", "category": "general", "publishedDate": p.get("date"),
            }
            for p in self.pages
        ]  # fmt: skip
        query = dict(request.query_params)
        if query.get("format") != "json":
            return Response("<html></html>", 403)
        return await self._reply(request, query, {"query": query.get("q"), "results": rows})

    async def search(self, request: Request) -> Response:
        """Serper sends its key in a header of its own, Tavily as a bearer."""
        body = await request.json()
        if "x-api-key" in request.headers:
            rows = [
                {"link": p["url"], "title": p["title"], "snippet": p["text"]} | _dated(p, "date")
                for p in self.pages
            ]
            return await self._reply(request, body, {"organic": rows})
        rows = [
            {"url": p["url"], "title": p["title"], "content": p["text"], "score": 0.9}
            | _dated(p, "published_date")
            for p in self.pages
        ]
        return await self._reply(request, body, {"query": body["query"], "results": rows})

    async def _reply(self, request: Request, asked: dict[str, Any], whole: Any) -> Response:
        self.requests.append(asked | {"_headers": dict(request.headers)})
        await asyncio.sleep(self.delay)
        if self.raw is not None:
            return Response(self.raw, self.status, media_type="application/json")
        if self.status != 200:
            return JSONResponse({"detail": {"error": "scripted"}}, self.status)
        return JSONResponse(whole)


def _dated(page: dict[str, str], name: str) -> dict[str, str]:
    return {name: page["date"]} if "date" in page else {}


@contextmanager
def serve() -> Iterator[WebServer]:
    """Run a server on a free port."""
    script = WebServer()
    app = FastAPI()
    app.get("/")(script.searxng)
    app.post("/search")(script.search)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    script.url = f"http://127.0.0.1:{port}"
    try:
        yield script
    finally:
        server.should_exit = True
        thread.join(5)
