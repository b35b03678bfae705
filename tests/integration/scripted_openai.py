"""An OpenAI-compatible server over real HTTP that answers by script."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse


@dataclass
class Reply:
    """One scripted answer. `when` limits it to requests whose messages hold this text."""

    content: str | dict[str, Any] | Callable[[str], str | dict[str, Any]] | None = ""
    """Text, an object, or a function of the prompt that gives one."""
    when: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    usage: tuple[int, int] | None = (11, 7)
    finish: str | None = "stop"
    pieces: int = 3
    """Characters per piece of a stream."""
    cut: bool = False
    """Whether a stream breaks off in the middle of its body."""
    calls_tools: bool = True
    """Whether a request with a tool is answered by a call of it."""
    raw: bytes | None = None
    """A body that is sent as it is."""

    def text(self, prompt: str) -> str | None:
        content = self.content(prompt) if callable(self.content) else self.content
        return json.dumps(content, ensure_ascii=False) if isinstance(content, dict) else content


@dataclass
class ScriptedOpenAI:
    """Answers requests with the queued replies, in order, and keeps every request."""

    replies: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    refuse: Callable[[dict[str, Any]], str | None] = lambda _body: None
    """Returns the message of a refusal, or None; a refused request uses up no reply."""
    refusal: int = 400
    """The status of a refusal."""
    strays: list[str] = field(default_factory=list)
    """Paths of requests to anything but chat completions."""
    url: str = ""
    running: int = 0
    most_running: int = 0

    def script(self, *replies: Reply | str | dict[str, Any]) -> None:
        self.replies += [r if isinstance(r, Reply) else Reply(r) for r in replies]

    def take(self, body: dict[str, Any]) -> Reply:
        said = prompt_of(body)
        for reply in self.replies:
            if reply.when in said:
                self.replies.remove(reply)
                return reply
        return Reply({"error": {"message": "the script is empty"}}, status=404)

    async def stray(self, request: Request) -> Response:
        self.strays.append(request.url.path)
        return JSONResponse({}, 404)

    async def answer(self, request: Request) -> Response:
        body = await request.json()
        self.requests.append(body | {"_headers": dict(request.headers)})
        if message := self.refuse(body):
            return JSONResponse({"error": {"message": message}}, self.refusal)
        reply = self.take(body)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            await asyncio.sleep(reply.delay)
        finally:
            self.running -= 1
        if reply.raw is not None:
            return Response(reply.raw, reply.status, reply.headers, "application/json")
        if reply.status != 200:
            return JSONResponse(
                {"error": {"message": f"scripted {reply.status}"}}, reply.status, reply.headers
            )
        if body.get("stream"):
            return StreamingResponse(_stream(body, reply), media_type="text/event-stream")
        return JSONResponse(_completion(body, reply))


def prompt_of(body: dict[str, Any]) -> str:
    """Return all messages of a request as one text."""
    return "\n".join(str(message["content"]) for message in body["messages"])


def _completion(body: dict[str, Any], reply: Reply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text(prompt_of(body))}
    if reply.calls_tools and body.get("tools"):
        function = {"name": body["tools"][0]["function"]["name"], "arguments": message["content"]}
        calls = [{"id": "t1", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    whole: dict[str, Any] = {
        "id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
    }  # fmt: skip
    if reply.usage:
        whole["usage"] = _usage(reply)
    return whole


async def _stream(body: dict[str, Any], reply: Reply) -> AsyncIterator[bytes]:
    def event(**more: Any) -> bytes:
        chunk = {
            "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": body["model"],
            "choices": [], **more,
        }  # fmt: skip
        return f"data: {json.dumps(chunk)}\n\n".encode()

    def delta(content: dict[str, Any], finish: str | None = None) -> bytes:
        return event(choices=[{"index": 0, "delta": content, "finish_reason": finish}])

    yield delta({"role": "assistant", "content": ""})
    text = reply.text(prompt_of(body)) or ""
    for start in range(0, len(text), reply.pieces):
        yield delta({"content": text[start : start + reply.pieces]})
        await asyncio.sleep(0)
    if reply.cut:
        raise ConnectionError("scripted cut")
    yield delta({}, reply.finish)
    if reply.usage and (body.get("stream_options") or {}).get("include_usage"):
        yield event(usage=_usage(reply))
    yield b"data: [DONE]\n\n"


def _usage(reply: Reply) -> dict[str, int]:
    assert reply.usage
    prompt, completion = reply.usage
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


@contextmanager
def serve() -> Iterator[ScriptedOpenAI]:
    """Run a scripted server on a free port, in a thread of its own."""
    script = ScriptedOpenAI()
    app = FastAPI()
    app.add_api_route("/v1/chat/completions", script.answer, methods=["POST"])
    app.add_api_route("/{path:path}", script.stray, methods=["GET", "POST", "PATCH", "PUT"])
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    script.url = f"http://127.0.0.1:{port}/v1"
    try:
        yield script
    finally:
        server.should_exit = server.force_exit = True
        thread.join(timeout=10)
