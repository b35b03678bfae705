"""The port of a chat model, and the arithmetic of its context window."""

import math
import re
from collections.abc import AsyncGenerator, Sequence
from typing import Literal, Protocol, TypeVar, overload

from pydantic import BaseModel

from graphs.errors import ModelUnavailable
from graphs.evidence.text import CJK
from graphs.reasoners.base import Meter

Message = tuple[Literal["system", "user", "assistant"], str]
Reply = TypeVar("Reply", bound=BaseModel)

_WIDE = re.compile(f"[{CJK}\u3000-\u30ff\uac00-\ud7af\uff00-\uffef]")
_PER_MESSAGE = 6
"""Tokens that a chat template adds to a message."""


class BudgetExhausted(ModelUnavailable):
    """No call was made: the limit of calls, tokens or seconds is reached."""


class ContextTooLong(ModelUnavailable):
    """The server says that the prompt does not fit: a shorter one may."""


class ChatModel(Protocol):
    """A chat model. Retries, limits and booking in the meter are its own business.

    Every method raises only ModelUnavailable (with BudgetExhausted and ContextTooLong) and
    ModelOutputInvalid.
    """

    @property
    def name(self) -> str:
        """The model's name, as the answer reports it."""
        ...

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
        """Return the reply as a valid `schema`, or as stripped text without a schema."""
        ...

    def stream(
        self, messages: Sequence[Message], max_tokens: int, meter: Meter
    ) -> AsyncGenerator[str, None]:
        """Yield pieces of text as they come.

        Ends normally only if the model finished by itself; a cut reply raises after its last piece.
        """
        ...


def estimate_tokens(text: str) -> int:
    """Return a cautious token count without a tokenizer: ideographs + other characters / 3."""
    wide = len(_WIDE.findall(text))
    return wide + math.ceil((len(text) - wide) / 3)


def estimate_messages(messages: Sequence[Message]) -> int:
    """Return the token count of a whole prompt."""
    return sum(estimate_tokens(text) + _PER_MESSAGE for _, text in messages)
