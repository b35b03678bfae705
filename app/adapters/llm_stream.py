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


class Tally:
    """Counts the tokens of one reply: as the server reports them, else by estimate."""

    def __init__(self, prompt_tokens: int) -> None:
        self._prompt_tokens = prompt_tokens
        self._text: list[str] = []
        self._reported: tuple[int, int] | None = None
        self._finish: str | None = None

    def add(self, message: AIMessage) -> None:
        """Take in a reply or a piece of one."""
        self._text.append(message.text)
        if usage := message.usage_metadata:
            self._reported = (usage["input_tokens"], usage["output_tokens"])
        self._finish = message.response_metadata.get("finish_reason") or self._finish

    def book(self, meter: Meter) -> None:
        """Book the call."""
        estimate = (self._prompt_tokens, estimate_tokens("".join(self._text)))
        meter.record(*(self._reported or estimate))

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


async def chunks(opened: Opened, meter: Meter) -> AsyncGenerator[AIMessageChunk, None]:
    """Yield all pieces; a failure or the deadline in mid-stream raises ModelUnavailable."""
    try:
        for chunk in opened.begun:
            yield chunk
        while True:
            try:
                async with asyncio.timeout(meter.deadline - time.time()):
                    chunk = await anext(opened.rest)
            except StopAsyncIteration:
                return
            except (openai.OpenAIError, TimeoutError, *NOT_A_COMPLETION) as error:
                raise ModelUnavailable("the stream of the model broke off") from error
            yield chunk
    finally:
        if isinstance(opened.rest, AsyncGenerator):
            await opened.rest.aclose()
