"""A chat server whose replies a program writes and whose tokens a real model server counts.

Costs are to say what is sent and asked for, not how clever a small model is: the program grades as
covered what it is shown, and drafts the sentence that shares most words with the question, word for
word and cited. What a request and a reply cost is the count of the real server's tokenizer, over its
own chat template.
"""

import json
import re
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from graphs.evidence.text import sentences, words

_FACET = re.compile(r"(?m)^- (f\d+):")
_PASSAGE = re.compile(r"<passage n=(\d+)[^>]*>\n(.*?)\n</passage>", re.DOTALL)
_MARKS = re.compile(r"[#|>*\s]+")
"""Markdown of headings and tables, which a draft does not copy."""
_STATEMENT = re.compile(r"(?m)^(\d+)\. ")


class CarefulModel:
    """Writes replies and keeps account. `counter` is the base URL of the real server."""

    def __init__(self, counter: str) -> None:
        self._address = counter

    @asynccontextmanager
    async def open(self, _: FastAPI) -> AsyncIterator[None]:
        """Hold the connection to the real server."""
        async with httpx.AsyncClient(base_url=self._address, timeout=60) as self._counter:
            yield

    async def answer(self, request: Request) -> Response:
        """Reply to a chat completion with usage, streamed where that is asked for."""
        body = await request.json()
        messages = body["messages"]
        text = reply_to(str(messages[0]["content"]), str(messages[-1]["content"]))
        usage = await self._usage(messages, text)
        if body.get("stream"):
            return StreamingResponse(_stream(body, text, usage), media_type="text/event-stream")
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse(_head(body, "chat.completion") | {"choices": [choice], "usage": usage})

    async def _usage(self, messages: list[dict[str, Any]], text: str) -> dict[str, int]:
        applied = await self._counter.post("/apply-template", json={"messages": messages})
        prompt = await self._count(applied.raise_for_status().json()["prompt"])
        completion = await self._count(text)
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        }

    async def _count(self, text: str) -> int:
        found = await self._counter.post("/tokenize", json={"content": text})
        return len(found.raise_for_status().json()["tokens"])


def reply_to(system: str, user: str) -> str:
    """Return what a careful model would say to one of the product's prompts."""
    question = _after(user, "Question:")
    if system.startswith("You judge whether"):
        shown = _PASSAGE.findall(user)
        return _json(
            facets=[{"facet": id_, "passages": [1]} for id_ in _FACET.findall(user)],
            relevance=[5, *([3] * (len(shown) - 1))],
            contradictions=[],
            subject_found=True,
            retrieve=False,
            verdict="answer",
            reason="The first passage states what is asked.",
        )
    if system.startswith("You answer"):
        return _draft(question, [(int(n), text) for n, text in _PASSAGE.findall(user)])
    if system.startswith("You check"):
        numbers = [int(n) for n in _STATEMENT.findall(_after(user, "quotes:"))]
        verdicts = [{"index": n, "supported": True, "modality_kept": True} for n in numbers]
        return _json(verdicts=verdicts, useful=4)
    if system.startswith("You read questions"):
        # no facets: the embedded reading of the same question supplies them
        return _json(
            language="en",
            intent="retrieve",
            direct_reason="",
            question_resolved=question,
            first_query=question,
            facets=[],
            sub_questions=[],
        )
    return _json(main=" ".join(words(question)), more=[])


def _draft(question: str, passages: list[tuple[int, str]]) -> str:
    asked = set(words(question))
    lines = [
        (len(asked & set(words(text[start:end]))), -number, -start, text[start:end])
        for number, text in passages
        for start, end in sentences(text)
    ]
    if not lines:
        return "Nothing is known."
    _, number, _, sentence = max(lines)
    return f"{_MARKS.sub(' ', sentence).strip()} [P{-number}]\n"


def _after(user: str, mark: str) -> str:
    """Return the lines behind a mark up to the next empty line."""
    return user.partition(mark)[2].strip().partition("\n\n")[0].strip()


def _json(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False)


def _head(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {"id": "c1", "object": kind, "created": 1, "model": body["model"]}


async def _stream(body: dict[str, Any], text: str, usage: dict[str, int]) -> AsyncIterator[bytes]:
    def event(**more: Any) -> bytes:
        chunk = _head(body, "chat.completion.chunk") | {"choices": []} | more
        return f"data: {json.dumps(chunk)}\n\n".encode()

    delta = {"role": "assistant", "content": text}
    yield event(choices=[{"index": 0, "delta": delta, "finish_reason": None}])
    yield event(choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
    yield event(usage=usage)
    yield b"data: [DONE]\n\n"


@contextmanager
def serve(counter: str) -> Iterator[str]:
    """Run the server on a free port, in a thread of its own; yield its base URL."""
    model = CarefulModel(counter)
    app = FastAPI(lifespan=model.open)
    app.add_api_route("/v1/chat/completions", model.answer, methods=["POST"])
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
