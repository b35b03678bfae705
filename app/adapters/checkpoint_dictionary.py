"""A preset dictionary for zlib: most of a small checkpoint is the names of its fields."""

from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from pydantic import BaseModel
from typing_extensions import get_type_hints, is_typeddict

from app.schemas import Result
from graphs.ask.state import AskState


def _sample(hint: Any) -> Any:
    """Return a small value of a type: every key of a record, one entry of a list."""
    if is_typeddict(hint):
        return {name: _sample(field) for name, field in get_type_hints(hint).items()}
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return {name: _sample(field.annotation) for name, field in hint.model_fields.items()}
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " ".join(map(str, arguments))
    if origin is list:
        return [_sample(arguments[0])]
    if origin is dict:
        return {"": _sample(arguments[1])}
    if arguments:  # a union with None, a marker such as NotRequired
        return _sample(arguments[0])
    return {str: "", int: 0, float: 0.5, bool: False}.get(hint)


def dictionary(nodes: Iterable[str]) -> bytes:
    """Return an empty checkpoint of a graph with these nodes, as msgpack. It holds no data."""
    state = _sample(AskState) | {"result": _sample(Result)}
    steps = [f"branch:to:{node}" for node in nodes]
    channels = dict.fromkeys([*steps, "__start__", *state], "000001")
    seen = {step.rpartition(":")[2]: {step: "000001"} for step in steps}
    empty = {"versions_seen": seen, "updated_channels": list(state), "channel_versions": channels}
    return JsonPlusSerializer().dumps_typed(empty | {"channel_values": state})[1]
