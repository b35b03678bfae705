"""The adapter and the LLM reasoner against a real model server: what travels, not how well."""

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from app.adapters.llm_openai import OpenAIChat
from graphs.errors import ModelOutputInvalid, RerankerUnavailable
from graphs.evidence.passages import Evidence, Passage
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import Message
from graphs.reasoners.llm_rerank import LLMReranker
from graphs.reasoners.llm_schemas import GradeOut, QueriesOut
from prompts import load

BRIEF: list[Message] = [("system", "Answer in one short sentence."), ("user", "Say hello.")]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [
            sys.executable,
            str(Path(__file__).parents[2] / "benchmarks" / "model_server.py"),
            str(port),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.kill()
        process.communicate()


def _wait(health: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert process.poll() is None, "the model server ended"
        try:
            if httpx.get(health).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("the model server did not come up")


@pytest_asyncio.fixture
async def chat(url: str) -> AsyncIterator[OpenAIChat]:
    chat = OpenAIChat("smollm2", base_url=url, timeout=60, concurrency=8)
    yield chat
    await chat.aclose()


def meter() -> Meter:
    return Meter(20, 100_000, time.time() + 120)


async def test_whole_reply_arrives_with_the_usage_of_the_server(chat: OpenAIChat) -> None:
    spent = meter()
    assert await chat.complete(BRIEF, None, 300, spent)
    assert spent.calls == 1
    assert 10 < spent.input_tokens < 60
    assert 0 < spent.output_tokens <= 300


async def test_stream_arrives_piece_by_piece_with_usage(chat: OpenAIChat) -> None:
    spent = meter()
    pieces = [piece async for piece in chat.stream(BRIEF, 300, spent)]
    assert len(pieces) > 2
    assert spent.calls == 1
    assert spent.output_tokens >= len(pieces) - 2


async def test_prompt_of_a_node_gives_a_reply_within_the_bounds_of_its_schema(
    chat: OpenAIChat,
) -> None:
    messages = load("rewrite_precise").render(
        question="真空泵出力不足怎么处理？",
        covered="- 真空泵",
        missing="- 处理措施",
        searched="- 真空泵出力不足",
        passages="(none)",
    )
    spent = meter()
    queries = await chat.complete(messages, QueriesOut, 1500, spent)
    assert 1 <= len(queries.main) <= 200
    assert len(queries.more) <= 2
    assert spent.calls == 1


async def test_reply_longer_than_the_limit_is_invalid(chat: OpenAIChat) -> None:
    with pytest.raises(ModelOutputInvalid):
        await chat.complete(BRIEF, GradeOut, 8, meter())


async def test_eight_calls_at_once_all_arrive(chat: OpenAIChat) -> None:
    spent = [meter() for _ in range(8)]

    async def one(number: int) -> str:
        if number % 2:
            return await chat.complete(BRIEF, None, 200, spent[number])
        return "".join([piece async for piece in chat.stream(BRIEF, 200, spent[number])])

    replies = await asyncio.gather(*(one(number) for number in range(8)))
    assert all(replies)
    assert [m.calls for m in spent] == [1] * 8


async def test_passages_travel_to_a_small_model_and_come_back_as_a_whole_ranking(
    chat: OpenAIChat,
) -> None:
    """The model is too small to rank well: it either gives a whole ranking or is found of no use."""
    texts = [f"第{n}号水泵的额定压力为 {n} kPa，每月检查一次。" for n in range(1, 7)]
    ranked = [Evidence(passage_of(n, text), 0.9 - n / 10) for n, text in enumerate(texts)]
    spent, failure, found = meter(), None, ranked
    try:
        found = await LLMReranker(chat, 2048).rerank("三号水泵的额定压力是多少？", ranked, spent)
    except RerankerUnavailable as error:
        failure = error.__cause__
    assert failure is None or isinstance(failure, ModelOutputInvalid)
    assert {item.passage for item in found} == {item.passage for item in ranked}
    assert [item.score for item in found] == sorted((e.score for e in found), reverse=True)
    assert spent.calls == 1
    assert spent.input_tokens > 300


def passage_of(number: int, text: str) -> Passage:
    return Passage(
        id=f"p{number}", document_id="d", title="水泵手册", section=("水泵",), text=text, start=0,
        end=len(text), version="v", ordinal=number, content_hash=str(number),
    )  # fmt: skip
