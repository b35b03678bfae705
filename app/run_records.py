"""Runs, threads and events as they are stored."""

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

RunStatus = Literal["running", "interrupted", "done", "error", "cancelled"]
EventType = Literal["run", "node", "decision", "token", "reset", "answer", "error", "done"]

OWNER = "local"
"""Who owns what is asked, as long as the service has one user."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """A question that was validated and is about to be accepted."""

    kb: str
    question: str
    options: Mapping[str, Any]
    body_hash: str
    thread_id: str | None = None
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """One accepted question. `answer_event` is the id of the event that holds its answer."""

    id: str
    thread_id: str
    kb: str
    question: str
    options: dict[str, Any]
    body_hash: str
    status: RunStatus
    attempt: int
    answer_event: int | None
    created: float
    updated: float


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation over one knowledge base."""

    id: str
    kb: str
    created: float


@dataclass(frozen=True, slots=True)
class ThreadSummary:
    """A thread as a list shows it: its first question, how many there are, how the last one stands."""

    id: str
    kb: str
    created: float
    question: str
    runs: int
    status: RunStatus
    updated: float


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has no id yet."""

    type: EventType
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a run's log; `data` is JSON text."""

    id: int
    type: EventType
    data: str


_COMPRESS_FROM = 512


def encode(data: Mapping[str, Any]) -> bytes:
    """Return JSON bytes, compressed where that pays; JSON opens with a brace, zlib with an x."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return zlib.compress(text, 6) if len(text) >= _COMPRESS_FROM else text


def decode(blob: bytes) -> str:
    """Return the JSON text that `encode` stored."""
    return (blob if blob.startswith(b"{") else zlib.decompress(blob)).decode()
