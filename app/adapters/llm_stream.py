"""One streamed reply: opened with its first text, read to its end, counted."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

import openai
from langchain_core.messages import AIMessage, AIMessageChunk

from app.adapters.llm_replies import clean
from app.adapters.llm_retries import NOT_A_COMPLETION
from graphs.errors import ModelOutputInvalid, ModelUnavailable
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import estimate_tokens

_CUT = ("length", "content_filter")
_PLAUSIBLE = 16
"""A report of more than this many times the estimate, and _ALWAYS_PLAUSIBLE, counts nothing."""
_ALWAYS_PLAUSIBLE = 65_536
_TOO_LONG = 4
"""A stream that goes on beyond this many times the limit that was asked for is left."""


class Tally:
    """Counts the tokens of one reply: as the server reports them, else by estimate.

    `limit` is what was asked for; a stream that goes far beyond raises ModelOutputInvalid.
    """

    def __init__(self, prompt_tokens: int, limit: int | None = None) -> None:
        self._prompt_tokens = prompt_tokens
        self._limit = limit
        self._text: list[str] = []
        self._said = 0
        self._reported: tuple[int, int] | None = None
        self._finish: str | None = None

    def add(self, message: AIMessage) -> None:
        """Take in a reply or a piece of one."""
        self._text.append(message.text)
        self._said += estimate_tokens(message.text)
        if usage := message.usage_metadata:
            self._reported = (usage["input_tokens"], usage["output_tokens"])
        self._finish = message.response_metadata.get("finish_reason") or self._finish
        if self._limit is not None and self._said > _TOO_LONG * self._limit:
            raise ModelOutputInvalid("the reply goes on far beyond the token limit")

    @property
    def ended(self) -> bool:
        """Whether the server has said why the reply ends: what follows is no part of it."""
        return self._finish is not None

    def book(self, meter: Meter) -> None:
        """Book the call."""
        estimate = (self._prompt_tokens, estimate_tokens("".join(self._text)))
        believed = self._reported is not None and all(
            0 <= told <= _PLAUSIBLE * own + _ALWAYS_PLAUSIBLE
            for told, own in zip(self._reported, estimate, strict=True)
        )
        meter.record(*(self._reported if believed and self._reported else estimate))

    def check_end(self) -> None:
        """Raise unless the model finished by itself."""
        if self._finish is None:
            raise ModelUnavailable("the reply broke off")
        if self._finish in _CUT:
            raise ModelOutputInvalid(f"the reply ended early: {clean(self._finish)[:40]}")


@dataclass(frozen=True, slots=True)
class Opened:
    """A stream whose first piece of text has arrived, or that has ended without one."""

    begun: list[AIMessageChunk]
    rest: AsyncIterator[AIMessageChunk]


async def open_stream(chunks: AsyncIterator[AIMessageChunk]) -> Opened:
    """Read until the first piece of text: up to here a failed call may be made again."""
    begun: list[AIMessageChunk] = []
    async for chunk in chunks:
        begun.append(chunk)
        if chunk.text:
            break
    return Opened(begun, chunks)


async def chunks(
    opened: Opened, meter: Meter, tally: Tally
) -> AsyncGenerator[AIMessageChunk, None]:
    """Yield all pieces, counted; a failure or the deadline in mid-stream raises ModelUnavailable."""
    try:
        for chunk in opened.begun:
            tally.add(chunk)
            yield chunk
        while True:
            try:
                async with asyncio.timeout(meter.deadline - time.time()):
                    chunk = await anext(opened.rest)
            except StopAsyncIteration:
                return
            except (openai.OpenAIError, TimeoutError, *NOT_A_COMPLETION) as error:
                if tally.ended:  # only a report of the usage can have been lost
                    return
                meter.exhausted = meter.exhausted or time.time() >= meter.deadline
                raise ModelUnavailable("the stream of the model broke off") from error
            tally.add(chunk)
            yield chunk
    finally:
        if isinstance(opened.rest, AsyncGenerator):
            await opened.rest.aclose()
