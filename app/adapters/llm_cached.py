"""A chat model that is not asked the same twice."""

import asyncio
import hashlib
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import overload

from app.adapters.llm_openai import OpenAIChat
from app.adapters.llm_replies import json_schema
from app.adapters.model_cache import ModelCache
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import Message, Reply


class CachedChat:
    """Implements ChatModel. A call is known by server, model, prompt, schema and token limit.

    Only calls at temperature 0 are kept, and only for a question of a knowledge base (`meter.kb`), as
    long as that does not change. A kept reply costs no call; `meter.cached` counts it.
    """

    def __init__(self, chat: OpenAIChat, cache: ModelCache) -> None:
        self._chat = chat
        self._cache = cache

    @property
    def name(self) -> str:
        """The model's name."""
        return self._chat.name

    @property
    def silent_because(self) -> str:
        """Why the server is not asked at the moment, else empty."""
        return self._chat.silent_because

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
        """Return the reply, a kept one where this very call was made before."""
        shape = json.dumps(json_schema(schema), sort_keys=True) if schema else ""
        key = self._key(messages, shape, max_tokens)
        if (kept := await self._kept(key, meter)) is not None:
            return schema.model_validate_json(kept) if schema else kept
        if schema is None:
            text = await self._chat.complete(messages, None, max_tokens, meter)
            await self._keep(key, text, meter)
            return text
        reply = await self._chat.complete(messages, schema, max_tokens, meter)
        await self._keep(key, reply.model_dump_json(), meter)
        return reply

    async def stream(
        self, messages: Sequence[Message], max_tokens: int, meter: Meter
    ) -> AsyncGenerator[str, None]:
        """Yield the text as it comes, a kept one whole; only a reply that ended by itself is kept."""
        key = self._key(messages, "stream", max_tokens)
        if (kept := await self._kept(key, meter)) is not None:
            yield kept
            return
        said: list[str] = []
        async with aclosing(self._chat.stream(messages, max_tokens, meter)) as pieces:
            async for piece in pieces:
                said.append(piece)
                yield piece
        await self._keep(key, "".join(said), meter)

    async def _kept(self, key: str, meter: Meter) -> str | None:
        if not meter.kb or not self._chat.repeatable:
            return None
        kept = await asyncio.to_thread(self._cache.reply, meter.owner, key)
        meter.cached += kept is not None
        return kept

    async def _keep(self, key: str, reply: str, meter: Meter) -> None:
        if meter.kb and self._chat.repeatable:
            keep = self._cache.keep_reply
            await asyncio.to_thread(keep, meter.owner, key, meter.kb, meter.kb_version, reply)

    def _key(self, messages: Sequence[Message], shape: str, max_tokens: int) -> str:
        call = [self._chat.address, self._chat.name, list(messages), shape, max_tokens]
        text = json.dumps(call, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
