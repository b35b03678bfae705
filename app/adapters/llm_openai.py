"""A chat model behind any OpenAI-compatible base URL, through langchain-openai."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import TypeVar, overload
from urllib.parse import urlsplit

import openai
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from app.adapters.llm_dialect import Dialect
from app.adapters.llm_guard import CallGuard
from app.adapters.llm_replies import (
    ThoughtFilter,
    read_object,
    structured_text,
    without_thoughts,
)
from app.adapters.llm_retries import Job, persist
from app.adapters.llm_stream import Opened, Tally, chunks, open_stream
from app.adapters.tracing import silence_tracing
from graphs.errors import ModelOutputInvalid
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import (
    BudgetExhausted,
    Message,
    Reply,
    estimate_messages,
)

_Result = TypeVar("_Result")

_OFFICIAL = "https://api.openai.com/v1"
_CONNECT_SECONDS = 5.0
_REPAIR = (
    "That is no JSON object of the required form: {}. Send the corrected object and nothing else."
)
_GRADER: RunnableConfig = {"tags": ["nostream"]}
"""Keeps verdicts out of LangGraph's `messages` stream."""


class OpenAIChat:
    """Implements ChatModel. One instance per process: it learns what the server understands.

    `timeout`: seconds without a byte; the meter's deadline bounds the whole call. `retries`: further
    tries after 429, 5xx, connect and read timeouts, each booked in the meter. `guard` says which
    calls are made at all.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 30.0,
        retries: int = 2,
        concurrency: int = 4,
        guard: CallGuard | None = None,
    ) -> None:
        silence_tracing()
        url = base_url or _OFFICIAL
        self._url = url
        limits = openai.Timeout(timeout, connect=min(_CONNECT_SECONDS, timeout))
        self._http = openai.DefaultAsyncHttpxClient(timeout=limits)
        self._retries = retries
        self._slots = asyncio.Semaphore(concurrency)
        self._guard = guard or CallGuard()
        self._dialect = Dialect(new_limit=urlsplit(url).hostname == urlsplit(_OFFICIAL).hostname)
        self._starts_thinking = False
        self._writer = ChatOpenAI(
            model=model,
            # explicit values, or the environment would choose the host and the key
            base_url=url,
            api_key=SecretStr(api_key or "none"),
            openai_proxy="",
            timeout=limits,
            max_retries=0,
            http_async_client=self._http,
            use_responses_api=False,
            stream_chunk_timeout=None,
        )
        self._judge = self._writer.model_copy(update={"disable_streaming": True})

    @property
    def name(self) -> str:
        """The model's name."""
        return self._writer.model_name

    @property
    def address(self) -> str:
        """The base URL of the server."""
        return self._url

    @property
    def repeatable(self) -> bool:
        """Whether the server takes temperature 0: the same call then has the same reply."""
        return self._dialect.temperature

    @property
    def silent_because(self) -> str:
        """Why the server is not asked at the moment, else empty."""
        return self._guard.breaker.silent_because

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @overload
    async def complete(
        self, messages: Sequence[Message], schema: type[Reply], max_tokens: int, meter: Meter
    ) -> Reply: ...

    @overload
    async def complete(
        self, messages: Sequence[Message], schema: None, max_tokens: int, meter: Meter
    ) -> str: ...

    async def complete(
        self,
        messages: Sequence[Message],
        schema: type[Reply] | None,
        max_tokens: int,
        meter: Meter,
    ) -> Reply | str:
        """Return the whole reply, validated where a schema is given.

        Where nothing but words binds the reply to its schema, one that does not fit is asked for once
        more, with what is wrong.
        """
        text = await self._reply(messages, schema, max_tokens, meter)
        if schema is None:
            return text
        try:
            return read_object(text, schema)
        except ModelOutputInvalid as error:
            if not self._dialect.repairs or not meter.may_call():
                raise
            told: list[Message] = [("assistant", text), ("user", _REPAIR.format(error))]
        mended = await self._reply([*messages, *told], schema, max_tokens, meter)
        return read_object(mended, schema)

    async def _reply(
        self,
        messages: Sequence[Message],
        schema: type[Reply] | None,
        max_tokens: int,
        meter: Meter,
    ) -> str:
        async def send(dialect: Dialect, limit: int) -> AIMessage:
            return await self._judge.ainvoke(
                dialect.messages(messages, schema),
                config=_GRADER,
                **dialect.parameters(schema, limit),
            )

        job = Job(estimate_messages(messages), max_tokens, meter, structured=schema is not None)
        async with self._slot(meter), self._guard.around(meter):
            reply = await self._persist(send, job)
            tally = Tally(job.prompt_tokens)
            tally.add(reply)
            tally.book(meter)
        if schema is not None:
            self._dialect = self._dialect.after(bool(reply.tool_calls or reply.invalid_tool_calls))
        text, bare_end = without_thoughts(structured_text(reply))
        self._starts_thinking = self._starts_thinking or bare_end
        if not text:
            raise ModelOutputInvalid("the reply is empty")
        if schema is None:
            tally.check_end()
        return text

    async def stream(
        self, messages: Sequence[Message], max_tokens: int, meter: Meter
    ) -> AsyncGenerator[str, None]:
        """Yield visible text as it comes; nothing is tried again once a piece was yielded."""

        async def send(dialect: Dialect, limit: int) -> Opened:
            return await open_stream(
                self._writer.astream(
                    list(messages),
                    stream_usage=dialect.stream_usage,
                    **dialect.parameters(None, limit),
                )
            )

        job = Job(estimate_messages(messages), max_tokens, meter, streaming=True)
        tally = Tally(job.prompt_tokens, max_tokens)
        thoughts = ThoughtFilter(inside=self._starts_thinking)
        visible = False
        async with self._slot(meter), self._guard.around(meter):
            opened = await self._persist(send, job)
            try:
                async with aclosing(chunks(opened, meter, tally)) as pieces:
                    async for chunk in pieces:
                        if shown := self._visible(thoughts, chunk.text):
                            visible = True
                            yield shown
            finally:
                tally.book(meter)
        tally.check_end()
        if rest := thoughts.rest():
            visible = True
            yield rest
        if not visible:
            self._starts_thinking = False
            raise ModelOutputInvalid("the reply is empty")

    def _visible(self, thoughts: ThoughtFilter, piece: str) -> str:
        try:
            return thoughts.feed(piece)
        except ModelOutputInvalid:
            self._starts_thinking = True
            raise

    @asynccontextmanager
    async def _slot(self, meter: Meter) -> AsyncIterator[None]:
        """Wait for a free connection, at most until the deadline."""
        try:
            async with asyncio.timeout(meter.deadline - time.time()):
                await self._slots.acquire()
        except TimeoutError as error:
            meter.exhausted = True
            raise BudgetExhausted("no connection to the model became free in time") from error
        try:
            yield
        finally:
            self._slots.release()

    async def _persist(
        self, send: Callable[[Dialect, int], Awaitable[_Result]], job: Job
    ) -> _Result:
        result, self._dialect = await persist(send, job, self._dialect, self._retries)
        return result
