"""What an OpenAI-compatible server understands, learned from what it refuses."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from json import dumps
from typing import Any, Literal

from openai import APIStatusError
from pydantic import BaseModel

from app.adapters.llm_replies import json_schema
from graphs.reasoners.chat import Message

Structure = Literal["bounded_schema", "schema", "tools", "json", "text"]
_LADDER: tuple[Structure, ...] = ("bounded_schema", "schema", "tools", "json", "text")
_PARAMETERS = (
    "response_format", "json_schema", "json schema", "json mode", "grammar", "tool", "function",
    "stream_options", "temperature", "max_tokens", "max_completion_tokens",
)  # fmt: skip
_TOO_LONG = re.compile(
    r"context.*(?:length|size|exceed|long|window)|(?:length|size|exceed\w*|long).*context"
    r"|(?:prompt|input|request|message).{0,20}too (?:long|large)|too many (?:input |prompt )?tokens"
    r"|tokens? [<>] \d+ maximum|maximum .{0,30}tokens|reduce the length"
)
_INSTRUCTION = "\n\nReply with one JSON object and nothing else. It must fit this JSON schema:\n"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The parameters that a server takes. Each refusal leaves out one more."""

    structure: Structure = "bounded_schema"
    temperature: bool = True
    stream_usage: bool = True
    new_limit: bool = False
    """Whether the token limit is called `max_completion_tokens` instead of `max_tokens`."""
    limit_known: bool = False

    def parameters(self, schema: type[BaseModel] | None, max_tokens: int) -> dict[str, Any]:
        """Return the arguments of a call beside the messages."""
        chosen: dict[str, Any] = {"temperature": 0.0} if self.temperature else {}
        if self.new_limit:
            chosen["max_tokens"] = max_tokens  # ChatOpenAI renames it
        else:
            chosen["extra_body"] = {"max_tokens": max_tokens}
        if schema is None or self.structure == "text":
            return chosen
        if self.structure == "tools":
            function = {"name": schema.__name__, "parameters": json_schema(schema, bounded=False)}
            chosen["tools"] = [{"type": "function", "function": function}]
            chosen["tool_choice"] = {"type": "function", "function": {"name": schema.__name__}}
        else:
            chosen["response_format"] = self._response_format(schema)
        return chosen

    def messages(
        self, messages: Sequence[Message], schema: type[BaseModel] | None
    ) -> list[Message]:
        """Return the messages, with the schema in words where no grammar enforces it."""
        told = list(messages)
        if schema is not None and self.structure in ("json", "text"):
            role, text = told[0]
            told[0] = (role, text + _INSTRUCTION + dumps(json_schema(schema), ensure_ascii=False))
        return told

    def simpler(self, refusal: str, structured: bool, streaming: bool) -> "Dialect | None":
        """Return what to try after a refusal with this message, or None if nothing is left."""
        text = refusal.lower()
        if self.temperature and "temperature" in text:
            return replace(self, temperature=False)
        if not self.limit_known and ("max_tokens" in text or "max_completion_tokens" in text):
            return replace(self, new_limit=not self.new_limit, limit_known=True)
        if streaming and self.stream_usage:
            return replace(self, stream_usage=False)
        rung = _LADDER.index(self.structure)
        if structured and rung + 1 < len(_LADDER):
            return replace(self, structure=_LADDER[rung + 1])
        return None

    def after(self, called: bool) -> "Dialect":
        """Return what to speak after a structured reply; one that called no tool was not bound by it."""
        return replace(self, structure="json") if self.structure == "tools" and not called else self

    @property
    def repairs(self) -> bool:
        """Whether nothing but words binds a reply to its schema: one that does not fit is asked anew."""
        return self.structure in ("json", "text")

    def _response_format(self, schema: type[BaseModel]) -> dict[str, Any]:
        if self.structure == "json":
            return {"type": "json_object"}
        shape = json_schema(schema, bounded=self.structure == "bounded_schema")
        return {
            "type": "json_schema",
            "json_schema": {"name": schema.__name__, "schema": shape, "strict": True},
        }


def refused(error: APIStatusError) -> bool:
    """Tell whether a server does not take a request as it is worded, but may take a simpler one.

    Some answer 404 or 5xx where they do not know a parameter; then the message names it.
    """
    if error.status_code in (400, 413, 422, 501):
        return True
    text = error.message.lower()
    return error.status_code in (404, 405, 415, 500) and any(name in text for name in _PARAMETERS)


def too_long(status: int, refusal: str) -> bool:
    """Tell whether a refusal with this message says that the prompt exceeds the context."""
    text = refusal.lower()
    return status == 413 or bool(_TOO_LONG.search(text))
