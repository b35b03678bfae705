"""A real embeddings server in the wire format of OpenAI: the default embedder's vectors over HTTP."""

import asyncio
import base64
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response

from app.adapters.embed_use import UseEmbedder
from graphs.ports import Matrix


@dataclass
class Fault:
    """One reply that goes wrong. `raw` is a body sent as it is."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    raw: bytes | None = None


@dataclass
class EmbeddingsServer:
    """Answers with embeddings once the queued faults are used up, and keeps every request."""

    faults: list[Fault] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    down: bool = False
    """Answers 503 to everything."""
    knows_base64: bool = True
    most_texts: int = 2048
    most_characters: int = 100_000
    change: Callable[[Matrix], Matrix] = lambda rows: rows
    """What becomes of the vectors before they are sent."""
    url: str = ""
    model: UseEmbedder = field(default_factory=UseEmbedder)

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        self.requests.append(body | {"_headers": dict(request.headers), "_texts": texts})
        if self.down:
            return _error(503, "down")
        if self.faults:
            fault = self.faults.pop(0)
            await asyncio.sleep(fault.delay)
            if fault.raw is not None:
                return Response(fault.raw, fault.status, fault.headers, "application/json")
            if fault.status != 200:
                return _error(fault.status, f"scripted {fault.status}", fault.headers)
        form = body.get("encoding_format", "float")
        if form == "base64" and not self.knows_base64:
            return _error(400, "encoding_format must be float")
        if len(texts) > self.most_texts:
            return _error(413, f"at most {self.most_texts} inputs")
        if any(len(text) > self.most_characters for text in texts):
            return _error(400, "this model's maximum context length is exceeded")
        rows = self.change(await asyncio.to_thread(self.model.embed, texts))
        data = [
            {"object": "embedding", "index": i, "embedding": _written(row, form)}
            for i, row in enumerate(rows)
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        whole = {"object": "list", "model": body["model"], "usage": usage}
        return JSONResponse(whole | {"data": data[::-1]})  # the order is the index's to tell


def _written(row: np.ndarray[Any, np.dtype[np.float32]], form: str) -> str | list[float]:
    if form == "base64":
        return base64.b64encode(row.astype("<f4").tobytes()).decode()
    return [float(value) for value in row]


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": {"message": message}}, status, headers)


@contextmanager
def serve() -> Iterator[EmbeddingsServer]:
    """Run a server on a free port, in a thread of its own."""
    embeddings = EmbeddingsServer()
    embeddings.model.load()
    app = FastAPI()
    app.add_api_route("/v1/embeddings", embeddings.answer, methods=["POST"])
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    embeddings.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield embeddings
    finally:
        server.should_exit = server.force_exit = True
        thread.join(timeout=10)
