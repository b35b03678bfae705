"""What comes back from a chat model: thoughts cut out, one JSON object read strictly."""

import json
import re
from typing import Any, TypeVar

from langchain_core.messages import AIMessage
from pydantic import BaseModel, ValidationError

from graphs.errors import ModelOutputInvalid

_Reply = TypeVar("_Reply", bound=BaseModel)

_OPEN, _CLOSE = "<think>", "</think>"
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)
_UNPRINTABLE = re.compile("[\ud800-\udfff\x00]")
_BOUNDS = frozenset(
    "minLength maxLength minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum".split()
)
_NOISE = frozenset({"title", "description", "default"})


def clean(text: str) -> str:
    """Return `text` without lone surrogates and NUL, which no store takes."""
    return _UNPRINTABLE.sub("", text)


def without_thoughts(text: str) -> tuple[str, bool]:
    """Return the text behind `<think>…</think>`, and whether the opening tag was left out.

    Some chat templates open the thought in the prompt, so only its end is in the reply.
    """
    text = _THOUGHT.sub("", clean(text))
    before, close, behind = text.rpartition(_CLOSE)
    visible = behind if close else before + behind
    return visible.partition(_OPEN)[0].strip(), bool(close)


class ThoughtFilter:
    """Cuts thoughts out of a stream whose tags may be split over pieces."""

    def __init__(self, inside: bool = False) -> None:
        self._inside = inside
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what may be shown by now. Raises ModelOutputInvalid for an end without a start."""
        self._held += clean(piece)
        shown: list[str] = []
        while True:
            tag = _CLOSE if self._inside else _OPEN
            if not self._inside and 0 <= self._held.find(_CLOSE) < (self._held + tag).find(tag):
                raise ModelOutputInvalid("the model thinks aloud without saying where it starts")
            before, found, behind = self._held.partition(tag)
            if not found:
                break
            shown.append("" if self._inside else before)
            self._inside, self._held = not self._inside, behind
        keep = _open_end(self._held)
        if not self._inside:
            shown.append(self._held[: len(self._held) - keep])
        self._held = self._held[len(self._held) - keep :]
        return "".join(shown)

    def rest(self) -> str:
        """Return what was held back when the stream ended."""
        return "" if self._inside else self._held


def _open_end(text: str) -> int:
    """Return how many characters at the end may be the beginning of a tag."""
    return max(
        n
        for n in range(len(_CLOSE))
        if n == 0 or any(text.endswith(tag[:n]) for tag in (_OPEN, _CLOSE))
    )


def structured_text(reply: AIMessage) -> str:
    """Return the JSON text of a reply: the arguments of its one tool call, or what it says."""
    for call in reply.tool_calls:
        return json.dumps(call["args"], ensure_ascii=False)
    for broken in reply.invalid_tool_calls:
        return broken["args"] or ""
    return reply.text


def read_object(text: str, schema: type[_Reply]) -> _Reply:
    """Return the first JSON object of `text`, validated; prose and code fences around it may stay.

    Raises ModelOutputInvalid, without the text: it may hold parts of documents.
    """
    start = text.find("{")
    if start < 0:
        raise ModelOutputInvalid("the reply holds no JSON object")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
        return schema.model_validate(found)
    except ValidationError as error:
        places = ", ".join(
            sorted({".".join(map(str, e["loc"])) or "object" for e in error.errors()})
        )
        raise ModelOutputInvalid(f"the reply does not fit {schema.__name__} at {places}") from None
    except (ValueError, RecursionError) as error:
        raise ModelOutputInvalid("the reply is no valid JSON") from error


def json_schema(schema: type[BaseModel], bounded: bool = True) -> dict[str, Any]:
    """Return a self-contained strict JSON schema, every property required.

    `bounded=False` leaves out lengths and ranges, which some servers refuse.
    """
    whole = schema.model_json_schema()
    definitions = whole.pop("$defs", {})

    def plain(node: Any) -> Any:
        if isinstance(node, list):
            return [plain(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            return plain(definitions[node["$ref"].rpartition("/")[2]])
        drop = _NOISE if bounded else _NOISE | _BOUNDS
        kept = {key: plain(value) for key, value in node.items() if key not in drop}
        if "properties" in node:
            # names of properties are no keywords: a field may be called "title"
            kept["properties"] = {name: plain(value) for name, value in node["properties"].items()}
            kept |= {"required": list(node["properties"]), "additionalProperties": False}
        return kept

    return dict(plain(whole))
