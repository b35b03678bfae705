"""The model adapter against a scripted server over real HTTP: every path and every failure."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Iterator
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.runnables import RunnableLambda
from scripted_openai import Reply, ScriptedOpenAI, serve

from app.adapters.database import Database
from app.adapters.llm_breaker import Breaker
from app.adapters.llm_budget import Limits, ServerBudget
from app.adapters.llm_guard import CallGuard
from app.adapters.llm_openai import OpenAIChat
from graphs.errors import ModelOutputInvalid, ModelUnavailable
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import (
    BudgetExhausted,
    ContextTooLong,
    Message,
    estimate_messages,
    estimate_tokens,
)
from graphs.reasoners.llm_schemas import GradeOut, QueriesOut

MESSAGES: list[Message] = [("system", "Write queries."), ("user", "凝汽器真空下降")]
QUERIES = {"main": "真空泵", "more": ["凝汽器"]}


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with serve() as script:
        yield script


@pytest_asyncio.fixture
async def chat(server: ScriptedOpenAI) -> AsyncIterator[OpenAIChat]:
    chat = OpenAIChat("scripted", api_key="k", base_url=server.url, timeout=0.5)
    yield chat
    await chat.aclose()


def meter(calls: int = 10, tokens: int = 20_000, seconds: float = 20.0) -> Meter:
    return Meter(calls, tokens, time.time() + seconds)


async def queries(chat: OpenAIChat, spent: Meter | None = None) -> QueriesOut:
    return await chat.complete(MESSAGES, QueriesOut, 200, spent or meter())


async def drawn(chat: OpenAIChat, spent: Meter | None = None) -> str:
    return "".join([piece async for piece in chat.stream(MESSAGES, 200, spent or meter())])


async def collect(chat: OpenAIChat, spent: Meter, seen: list[str]) -> None:
    async for piece in chat.stream(MESSAGES, 200, spent):
        seen.append(piece)


async def test_structured_reply_is_validated_and_booked_from_reported_usage(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply(QUERIES, usage=(123, 45)))
    spent = meter()
    assert await queries(chat, spent) == QueriesOut(main="真空泵", more=["凝汽器"])
    assert (spent.calls, spent.calls_left) == (1, 9)
    assert (spent.input_tokens, spent.output_tokens) == (123, 45)
    sent = server.requests[0]
    assert sent["temperature"] == 0
    assert sent["max_tokens"] == 200
    assert "max_completion_tokens" not in sent
    shape = sent["response_format"]["json_schema"]
    assert shape["strict"] is True
    assert shape["schema"]["additionalProperties"] is False
    assert shape["schema"]["required"] == ["main", "more"]
    assert shape["schema"]["properties"]["more"]["maxItems"] == 2
    assert sent["_headers"]["authorization"] == "Bearer k"


async def test_schema_without_references_reaches_the_server(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script({})
    with pytest.raises(ModelOutputInvalid):
        await chat.complete(MESSAGES, GradeOut, 200, meter())
    assert "$ref" not in str(server.requests[0]["response_format"])


async def test_missing_usage_is_estimated_from_characters(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply(QUERIES, usage=None))
    spent = meter()
    await queries(chat, spent)
    assert spent.input_tokens == estimate_messages(MESSAGES)
    assert spent.output_tokens > 0
    assert estimate_tokens("真空泵abc") == 4


def without_schema(body: dict[str, Any]) -> str | None:
    kind = body.get("response_format", {}).get("type")
    return "response_format json_schema is not available" if kind == "json_schema" else None


async def test_schema_refused_calls_a_function_and_remembers_it(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = without_schema
    server.script(QUERIES, QUERIES)
    spent = meter()
    assert (await queries(chat, spent)).main == "真空泵"
    assert spent.calls == len(server.requests) == 3
    sent = server.requests[-1]
    assert sent["tools"][0]["function"]["name"] == "QueriesOut"
    assert sent["tool_choice"]["function"]["name"] == "QueriesOut"
    assert "response_format" not in sent
    assert (await queries(chat)).main == "真空泵"
    assert len(server.requests) == 4


@pytest.mark.parametrize("arguments", ['{"main": "真空泵", "more": [', '{"main": 3, "more": []}'])
async def test_function_called_with_what_does_not_fit_is_invalid(
    server: ScriptedOpenAI, chat: OpenAIChat, arguments: str
) -> None:
    server.refuse = without_schema
    server.script(arguments)
    with pytest.raises(ModelOutputInvalid):
        await queries(chat)


async def test_function_that_is_not_called_leads_to_json_mode(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = without_schema
    server.script(Reply(QUERIES, calls_tools=False), QUERIES)
    assert (await queries(chat)).main == "真空泵"
    await queries(chat)
    assert server.requests[-1]["response_format"] == {"type": "json_object"}


async def test_schema_and_functions_refused_fall_back_to_json_mode_and_remember_it(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = lambda body: without_schema(body) or ("no tools" if "tools" in body else None)
    server.script(QUERIES, QUERIES)
    spent = meter()
    assert (await queries(chat, spent)).main == "真空泵"
    assert spent.calls == len(server.requests) == 4
    assert server.requests[-1]["response_format"] == {"type": "json_object"}
    assert "JSON schema" in server.requests[-1]["messages"][0]["content"]
    await queries(chat)
    assert len(server.requests) == 5


def words_alone(body: dict[str, Any]) -> str | None:
    return "unknown field" if "response_format" in body or "tools" in body else None


async def test_reply_that_words_alone_bind_is_asked_for_once_more(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = words_alone
    server.script('{"main": 3, "more": []}', QUERIES)
    spent = meter()
    assert (await queries(chat, spent)).main == "真空泵"
    assert spent.calls == len(server.requests) == 6
    *_, said, asked = server.requests[-1]["messages"]
    assert said == {"role": "assistant", "content": '{"main": 3, "more": []}'}
    assert "QueriesOut at main" in asked["content"]


async def test_second_reply_that_does_not_fit_either_is_invalid(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = words_alone
    server.script("no json", "still none", QUERIES)
    with pytest.raises(ModelOutputInvalid):
        await queries(chat)
    assert len(server.requests) == 6


async def test_repair_needs_a_call_that_is_left(server: ScriptedOpenAI, chat: OpenAIChat) -> None:
    server.refuse = words_alone
    server.script("no json", QUERIES)
    with pytest.raises(ModelOutputInvalid):
        await queries(chat, meter(calls=5))
    assert len(server.requests) == 5


async def test_every_response_format_refused_falls_back_to_plain_text(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = words_alone
    server.script('好的：\n```json\n{"main": "真空泵", "more": []}\n```')
    assert (await queries(chat)).main == "真空泵"
    assert "response_format" not in server.requests[-1]


async def test_string_bounds_refused_keeps_the_schema_without_them(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = lambda body: (
        "'maxLength' is not permitted" if "maxLength" in str(body["response_format"]) else None
    )
    server.script(QUERIES)
    await queries(chat)
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


async def test_temperature_and_limit_refused_are_left_out_and_renamed(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    def refuse(body: dict[str, Any]) -> str | None:
        if "temperature" in body:
            return "Unsupported value: 'temperature'"
        return "Use 'max_completion_tokens' instead of max_tokens" if "max_tokens" in body else None

    server.refuse = refuse
    server.script(QUERIES)
    await queries(chat)
    assert server.requests[-1]["max_completion_tokens"] == 200
    assert server.requests[-1]["response_format"]["type"] == "json_schema"


async def test_prompt_longer_than_the_context_is_unavailable_at_once(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = lambda _: "the request exceeds the available context size"
    with pytest.raises(ContextTooLong):
        await queries(chat)
    assert len(server.requests) == 1


async def test_server_that_fails_again_and_again_is_left_alone(server: ScriptedOpenAI) -> None:
    guard = CallGuard(Breaker(failures=2, seconds=0.3))
    chat = OpenAIChat("m", base_url=server.url, timeout=2, retries=0, guard=guard)
    server.script(*[Reply(status=500)] * 2)
    for _ in range(2):
        assert not chat.silent_because
        with pytest.raises(ModelUnavailable):
            await queries(chat)
    assert "2 times in a row" in chat.silent_because
    with pytest.raises(ModelUnavailable, match="left alone"):
        await queries(chat)
    with pytest.raises(ModelUnavailable, match="left alone"):
        await drawn(chat)
    assert len(server.requests) == 2
    await asyncio.sleep(0.35)
    server.script(QUERIES)
    assert (await queries(chat)).main == "真空泵"
    assert not chat.silent_because
    await chat.aclose()


async def test_day_that_has_cost_its_budget_asks_no_more(
    server: ScriptedOpenAI, tmp_path: Path
) -> None:
    budget = ServerBudget(Database(tmp_path / "kb.sqlite"), Limits(tokens=150))
    chat = OpenAIChat("m", base_url=server.url, timeout=2, guard=CallGuard(budget=budget))
    server.script(Reply(QUERIES, usage=(100, 20)), Reply("x", usage=(40, 10)), QUERIES)
    await queries(chat)
    await drawn(chat)
    assert (budget.spent().calls, budget.spent().tokens) == (2, 170)
    assert budget.spent().seconds > 0
    spent = meter()
    with pytest.raises(BudgetExhausted, match="150 model tokens"):
        await queries(chat, spent)
    assert spent.exhausted
    assert len(server.requests) == 2
    again = ServerBudget(Database(tmp_path / "kb.sqlite"), Limits(calls=2))
    assert again.spent() == budget.spent()  # a restart gives nothing back
    await chat.aclose()


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
async def test_unknown_parameter_is_learned_whatever_the_status(
    server: ScriptedOpenAI, chat: OpenAIChat, status: int
) -> None:
    server.refusal = status
    server.refuse = lambda body: "no response_format here" if "response_format" in body else None
    server.script(QUERIES, QUERIES)
    await queries(chat)
    asked = len(server.requests)
    await queries(chat)
    assert len(server.requests) == asked + 1


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (413, "Payload Too Large"),
        (400, "prompt is too long: 2133 tokens > 512 maximum"),
        (400, "This model's maximum context length is 8192 tokens."),
        (422, "Input is too long for the requested model."),
    ],
)
async def test_prompt_beyond_the_context_is_told_apart(
    server: ScriptedOpenAI, chat: OpenAIChat, status: int, message: str
) -> None:
    server.refusal = status
    server.refuse = lambda _: message
    with pytest.raises(ContextTooLong):
        await queries(chat)
    assert len(server.requests) == 1


@pytest.mark.parametrize("usage", [(-500, 7), (11, -1), (2 * 10**12, 7)])
async def test_usage_that_can_not_be_is_estimated(
    server: ScriptedOpenAI, chat: OpenAIChat, usage: tuple[int, int]
) -> None:
    server.script(Reply(QUERIES, usage=usage))
    spent = meter()
    await queries(chat, spent)
    assert spent.input_tokens == estimate_messages(MESSAGES)
    assert 0 < spent.output_tokens < 100


async def test_stream_far_beyond_the_limit_is_left(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply("长" * 20_000, pieces=50))
    began = time.monotonic()
    with pytest.raises(ModelOutputInvalid, match="far beyond"):
        await drawn(chat)
    assert time.monotonic() - began < 5


async def test_deadline_in_mid_reply_is_said(server: ScriptedOpenAI) -> None:
    chat = OpenAIChat("m", base_url=server.url, timeout=30, retries=0)
    server.script(Reply(QUERIES, delay=3), Reply("a", delay=3))
    spent = meter(seconds=0.4)
    with pytest.raises(ModelUnavailable):
        await queries(chat, spent)
    assert spent.exhausted
    again = meter(seconds=0.4)
    with pytest.raises(ModelUnavailable):
        await drawn(chat, again)
    assert again.exhausted
    await chat.aclose()


async def test_calls_that_wait_in_line_find_the_breaker_open(server: ScriptedOpenAI) -> None:
    guard = CallGuard(Breaker(2, 30.0))
    chat = OpenAIChat("m", base_url=server.url, timeout=5, retries=0, concurrency=1, guard=guard)
    server.script(*[Reply(status=500) for _ in range(9)])
    results = await asyncio.gather(*(queries(chat) for _ in range(9)), return_exceptions=True)
    assert all(isinstance(each, ModelUnavailable) for each in results)
    assert len(server.requests) == 2
    await chat.aclose()


async def test_days_budget_holds_for_calls_at_once(server: ScriptedOpenAI, tmp_path: Path) -> None:
    budget = ServerBudget(Database(tmp_path / "kb.sqlite"), Limits(calls=3))
    guard = CallGuard(budget=budget)
    chat = OpenAIChat("m", base_url=server.url, timeout=5, concurrency=4, guard=guard)
    server.script(*[Reply(QUERIES, delay=0.2) for _ in range(8)])
    results = await asyncio.gather(*(queries(chat) for _ in range(8)), return_exceptions=True)
    assert sum(isinstance(each, QueriesOut) for each in results) == len(server.requests) == 3
    assert budget.spent().calls == 3
    await chat.aclose()


async def test_rate_limit_waits_as_long_as_the_server_asks(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply(status=429, headers={"Retry-After": "1"}), QUERIES)
    spent, began = meter(), time.monotonic()
    await queries(chat, spent)
    assert 1.0 <= time.monotonic() - began < 3.0
    assert spent.calls == 2


async def test_rate_limit_with_a_date_is_understood(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    until = formatdate(time.time() + 2, usegmt=True)
    server.script(Reply(status=429, headers={"Retry-After": until}), QUERIES)
    began = time.monotonic()
    await queries(chat)
    assert time.monotonic() - began >= 0.9


async def test_rate_limit_beyond_the_deadline_gives_up_at_once(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply(status=429, headers={"Retry-After": "600"}), QUERIES)
    began = time.monotonic()
    with pytest.raises(ModelUnavailable):
        await queries(chat)
    assert time.monotonic() - began < 2


async def test_server_error_is_tried_at_most_three_times(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(*[Reply(status=500) for _ in range(5)])
    spent = meter()
    with pytest.raises(ModelUnavailable):
        await queries(chat, spent)
    assert spent.calls == len(server.requests) == 3


async def test_wrong_key_is_not_tried_again(server: ScriptedOpenAI, chat: OpenAIChat) -> None:
    server.script(Reply(status=401), QUERIES)
    with pytest.raises(ModelUnavailable) as caught:
        await queries(chat)
    assert len(server.requests) == 1
    assert "scripted" not in str(caught.value)


async def test_hanging_server_runs_into_the_read_timeout_and_is_retried(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply(QUERIES, delay=3), QUERIES)
    spent = meter()
    assert (await queries(chat, spent)).main == "真空泵"
    assert spent.calls == 2


async def test_deadline_ends_a_call_that_still_waits(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply(QUERIES, delay=3))
    spent, began = meter(seconds=0.3), time.monotonic()
    with pytest.raises(ModelUnavailable):
        await queries(chat, spent)
    assert time.monotonic() - began < 1.5


async def test_nobody_listening_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    chat = OpenAIChat("m", base_url=f"http://127.0.0.1:{port}/v1", retries=1)
    spent = meter()
    with pytest.raises(ModelUnavailable):
        await queries(chat, spent)
    assert spent.calls == 2
    await chat.aclose()


async def test_no_budget_sends_nothing_and_says_so(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    for spent in (meter(calls=0), meter(tokens=20), meter(seconds=-1)):
        with pytest.raises(BudgetExhausted):
            await queries(chat, spent)
        with pytest.raises(BudgetExhausted):
            await drawn(chat, spent)
        assert spent.exhausted
    assert server.requests == []


async def test_retries_end_with_the_call_budget(server: ScriptedOpenAI, chat: OpenAIChat) -> None:
    server.script(*[Reply(status=500) for _ in range(3)])
    spent = meter(calls=2)
    with pytest.raises(ModelUnavailable) as caught:
        await queries(chat, spent)
    assert not isinstance(caught.value, BudgetExhausted)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "reply",
    [
        "",
        None,
        "no json at all",
        '{"main": "真空泵", "more": ["a"',
        {"main": 3, "more": []},
        {"main": "x", "more": "not a list"},
        {"main": "", "more": []},
        {"main": "x", "more": ["a", "b", "c"]},
        {"main": "x" * 201, "more": []},
        '{"main": "\\ud800", "more": []}',
        "[" * 20_000,
        "<think>never ends",
    ],
)
async def test_reply_that_does_not_fit_is_invalid(
    server: ScriptedOpenAI, chat: OpenAIChat, reply: Any
) -> None:
    server.script(Reply(reply))
    with pytest.raises(ModelOutputInvalid):
        await queries(chat)
    assert len(server.requests) == 1


@pytest.mark.parametrize("body", [b"<html>", b"null", b"[]", b"{}", b'{"choices": null}', b""])
async def test_body_that_is_no_completion_is_an_error_of_ours(
    server: ScriptedOpenAI, chat: OpenAIChat, body: bytes
) -> None:
    server.script(*[Reply(raw=body) for _ in range(3)])
    with pytest.raises((ModelOutputInvalid, ModelUnavailable)):
        await queries(chat)


async def test_reply_cut_by_the_token_limit_is_invalid_and_booked(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply('{"main": "真', finish="length", usage=(9, 200)))
    spent = meter()
    with pytest.raises(ModelOutputInvalid):
        await queries(chat, spent)
    assert spent.output_tokens == 200


async def test_thoughts_are_cut_out_of_a_whole_reply(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script('<think>{"main": "wrong"}</think>{"main": "真空泵", "more": []}')
    server.script('{"main": "wrong", "more": []}</think>{"main": "水室", "more": []}')
    assert (await queries(chat)).main == "真空泵"
    assert (await queries(chat)).main == "水室"


async def test_stream_comes_in_pieces_and_books_reported_usage(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply("先查循环水系统。[P1]\n再查真空泵。[P2]", usage=(50, 20)))
    spent = meter()
    pieces = [piece async for piece in chat.stream(MESSAGES, 200, spent)]
    assert "".join(pieces) == "先查循环水系统。[P1]\n再查真空泵。[P2]"
    assert len(pieces) > 3
    assert (spent.input_tokens, spent.output_tokens, spent.calls) == (50, 20, 1)


async def test_stream_without_usage_option_is_learned_and_estimated(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.refuse = lambda body: "stream_options?" if "stream_options" in body else None
    server.script("真空泵", "真空泵")
    spent = meter()
    assert await drawn(chat, spent) == "真空泵"
    assert (spent.calls, spent.output_tokens) == (2, 3)
    await drawn(chat)
    assert len(server.requests) == 3


@pytest.mark.parametrize("size", [1, 2, 7, 100])
async def test_thoughts_split_over_pieces_are_cut_out_of_a_stream(
    server: ScriptedOpenAI, chat: OpenAIChat, size: int
) -> None:
    server.script(Reply("<think>P1? <b>maybe</think>端差 < 5 ℃。[P1]", pieces=size))
    assert await drawn(chat) == "端差 < 5 ℃。[P1]"


async def test_thought_without_a_start_is_learned_for_the_next_stream(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    reply = "Let me see.</think>答。[P1]"
    server.script(Reply(reply), Reply(reply))
    with pytest.raises(ModelOutputInvalid):
        await drawn(chat)
    assert await drawn(chat) == "答。[P1]"


async def test_stream_cut_after_text_is_not_started_again(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply("先查循环水系统。[P1]\n再", cut=True), "again")
    spent, seen = meter(), list[str]()
    with pytest.raises(ModelUnavailable):
        await collect(chat, spent, seen)
    assert "".join(seen).startswith("先查循环水系统。[P1]")
    assert len(server.requests) == spent.calls == 1
    assert spent.output_tokens > 0


async def test_stream_cut_before_text_is_tried_again(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply("", cut=True), "好")
    assert await drawn(chat) == "好"


async def test_stream_that_ends_by_the_token_limit_raises_after_its_text(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply("先查循环水", finish="length"))
    seen: list[str] = []
    with pytest.raises(ModelOutputInvalid):
        await collect(chat, meter(), seen)
    assert "".join(seen) == "先查循环水"


async def test_stream_without_text_is_invalid(server: ScriptedOpenAI, chat: OpenAIChat) -> None:
    server.script("")
    with pytest.raises(ModelOutputInvalid):
        await drawn(chat)


async def test_stream_server_error_before_text_is_tried_again(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply(status=503), "好")
    assert await drawn(chat) == "好"


async def test_abandoned_stream_is_booked_and_frees_its_connection(
    server: ScriptedOpenAI,
) -> None:
    chat = OpenAIChat("m", base_url=server.url, concurrency=1)
    server.script("一二三四五六七八九十" * 20, "好")
    spent = meter()
    stream = chat.stream(MESSAGES, 200, spent)
    await anext(stream)
    await stream.aclose()
    assert spent.calls == 1
    assert await asyncio.wait_for(drawn(chat), 5) == "好"
    await chat.aclose()


async def test_calls_at_once_stay_under_the_limit(server: ScriptedOpenAI) -> None:
    chat = OpenAIChat("m", base_url=server.url, concurrency=2)
    server.script(*[Reply(QUERIES, delay=0.1) for _ in range(6)])
    await asyncio.gather(*(queries(chat) for _ in range(6)))
    assert server.most_running == 2
    await chat.aclose()


async def test_waiting_for_a_free_connection_ends_with_the_deadline(
    server: ScriptedOpenAI,
) -> None:
    chat = OpenAIChat("m", base_url=server.url, concurrency=1, timeout=5)
    server.script(Reply(QUERIES, delay=1.5), QUERIES)
    first = asyncio.create_task(queries(chat))
    await asyncio.sleep(0.2)
    late = meter(seconds=0.3)
    with pytest.raises(BudgetExhausted):
        await queries(chat, late)
    assert late.exhausted
    await first
    await chat.aclose()


async def test_lone_surrogates_and_nul_leave_the_text(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    server.script(Reply("好\ud83d\x00的"))
    assert await drawn(chat) == "好的"


async def test_environment_can_neither_trace_nor_redirect_a_call(
    server: ScriptedOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve() as stranger:
        for name in ("LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT", "OPENAI_BASE_URL"):
            monkeypatch.setenv(name, stranger.url)
        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
        monkeypatch.setenv("LANGCHAIN_TRACING", "true")
        monkeypatch.setenv("LANGSMITH_API_KEY", "x")
        monkeypatch.setenv("OPENAI_API_KEY", "environment")
        server.script(QUERIES)
        chat = OpenAIChat("m", base_url=server.url)
        await queries(chat)
        await chat.aclose()
        await asyncio.sleep(0.3)
        assert stranger.requests == []
        assert stranger.strays == []
    assert server.requests[0]["_headers"]["authorization"] == "Bearer none"


async def test_verdicts_are_tagged_and_never_streamed(
    server: ScriptedOpenAI, chat: OpenAIChat
) -> None:
    class Seen(BaseCallbackHandler):
        tags: list[str]

        def on_chat_model_start(self, *_: Any, tags: list[str] | None = None, **__: Any) -> None:
            self.tags = tags or []

    async def node(_: Any) -> QueriesOut:
        return await queries(chat)

    seen = Seen()
    server.script(QUERIES)
    await RunnableLambda(node).ainvoke(None, config={"callbacks": [seen]})
    assert "nostream" in seen.tags
    assert not server.requests[0].get("stream")
