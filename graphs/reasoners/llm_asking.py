"""Asking the model: what a prompt may show, how long a reply may get, which calls are left to others."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from prompts import load

from graphs.errors import ModelUnavailable
from graphs.evidence.passages import Passage
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import (
    BudgetExhausted,
    ChatModel,
    ContextTooLong,
    Message,
    Reply,
    estimate_messages,
    estimate_tokens,
)
from graphs.reasoners.llm_text import Shown

_MAX_TOKENS: Mapping[str, int] = {
    "analyze_query": 1400,
    "grade_evidence": 700,
    "rewrite_precise": 400,
    "rewrite_broaden": 400,
    "generate_answer": 1600,
    "generate_partial": 1200,
    "check_answer": 800,
}
_RESERVED: Mapping[str, int] = {
    "analyze_query": 2,
    "grade_evidence": 1,
    "rewrite_precise": 2,
    "rewrite_broaden": 2,
}
"""Calls that a node leaves to later ones: to grade what it leads to, and to answer."""
_LONGEST_REPLY_SHARE = 3
"""A reply takes at most this part (one third) of the context window."""
_SPARE = 64
_LEAST_ROOM = 128
"""Tokens of passages below which a prompt is not worth sending."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A chat model with its context window in tokens.

    Raises ModelUnavailable (BudgetExhausted where no call was made) and ModelOutputInvalid.
    """

    chat: ChatModel
    context_tokens: int

    async def ask_over(
        self,
        name: str,
        schema: type[Reply],
        meter: Meter,
        showing: Callable[[int], Shown],
        **values: str,
    ) -> tuple[Shown, Reply]:
        """Ask over passages; where they are too many for the server, once more over half of them."""
        shown, messages = self._with_passages(name, showing, **values)
        try:
            return shown, await self.ask(name, messages, schema, meter)
        except ContextTooLong:
            shown, messages = self._with_passages(name, _half(showing, shown), **values)
            return shown, await self.ask(name, messages, schema, meter)

    async def stream_over(
        self, name: str, meter: Meter, showing: Callable[[int], Shown], **values: str
    ) -> AsyncGenerator[tuple[Sequence[Passage], str], None]:
        """Stream a draft over passages, each piece with those it may cite; halved as in `ask_over`."""
        shown, messages = self._with_passages(name, showing, **values)
        self._admit(name, meter)
        try:
            async with aclosing(self.chat.stream(messages, self._limit(name), meter)) as pieces:
                async for piece in pieces:
                    yield shown.passages, piece
            return
        except ContextTooLong:  # before the first piece, or never
            shown, messages = self._with_passages(name, _half(showing, shown), **values)
        async with aclosing(self.chat.stream(messages, self._limit(name), meter)) as pieces:
            async for piece in pieces:
                yield shown.passages, piece

    async def ask(
        self, name: str, messages: Sequence[Message], schema: type[Reply], meter: Meter
    ) -> Reply:
        """Send a prompt and return the reply, validated."""
        self._admit(name, meter)
        return await self.chat.complete(messages, schema, self._limit(name), meter)

    def _admit(self, name: str, meter: Meter) -> None:
        if not meter.may_step(_RESERVED.get(name, 0)):
            raise BudgetExhausted(f"{name} does without the model: others need the calls left")
        if not meter.may_call():
            raise BudgetExhausted("no model call is left for this question")

    def _limit(self, name: str) -> int:
        return min(_MAX_TOKENS[name], self.context_tokens // _LONGEST_REPLY_SHARE)

    def _with_passages(
        self, name: str, showing: Callable[[int], Shown], **values: str
    ) -> tuple[Shown, Sequence[Message]]:
        """Render a prompt with what `showing` shows in the tokens that the context window leaves.

        Raises ModelUnavailable where it leaves none: the server would only cut the prompt.
        """
        prompt = load(name)
        bare = estimate_messages(prompt.render(passages="", **values))
        room = self.context_tokens - self._limit(name) - bare - _SPARE
        if room < _LEAST_ROOM:
            raise ModelUnavailable(f"{name} does not fit into {self.context_tokens} tokens")
        shown = showing(room)
        return shown, prompt.render(passages=shown.text, **values)


def _half(showing: Callable[[int], Shown], shown: Shown) -> Callable[[int], Shown]:
    """Return what shows at most half of what was shown."""
    return lambda room: showing(min(room, estimate_tokens(shown.text) // 2))
