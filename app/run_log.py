"""Turns what the graph streams into the events of one run."""

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from app.errors import RunFailed
from app.run_records import Draft, Event, RunStatus
from app.schemas import Answer, DecisionOut
from app.transcript import Transcript
from graphs.ask import recovery

_SHOWN = {
    "analyze": ("intent", "queries", "facets"),
    "retrieve": ("retrievals",),
    "search": ("retrievals",),
    "grade": ("decision",),
    "rewrite": ("queries", "rounds"),
    "generate": ("statements",),
    "check": ("check", "statements", "missing"),
    "report": ("status", "missing"),
    "answer": ("status",),
}
"""What each kind of node writes that is worth showing, by the first word of its name."""


def projection(node: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the small part of a node's update, or of the state after it; never whole passages."""
    shown: dict[str, Any] = {}
    for field in _SHOWN.get(node.partition("_")[0], ()):
        value = values.get(field)
        if field in ("facets", "statements", "missing"):
            shown[field] = len(value or ())
        elif field == "retrievals" and value:
            shown |= {name: value[-1][name] for name in ("hits", "new")}
        elif value:
            shown[field] = value
    return shown


class RunLog:
    """The event log of one run while it is driven. It makes events; storing them is not its job."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self._attempts: dict[str, int] = {}
        self._started: dict[str, float] = {}
        self._last_node = ""
        self._open = False
        self._repeats: frozenset[str] = frozenset()

    @classmethod
    def restore(cls, events: Sequence[Event], next_nodes: Sequence[str]) -> "RunLog":
        """Rebuild the log's state after an interruption; `next_nodes` is where the graph goes on."""
        log = cls()
        for event in events:
            data = json.loads(event.data)
            if event.type == "node":
                log._replay_node(data)
            log.transcript.replay(event.type, data)
        if log._last_node in next_nodes:
            # It was started before, so it runs again and its lines come again.
            log._repeats = frozenset({log._last_node})
            log.transcript.rewind()
        return log

    def unfinished(self) -> list[Draft]:
        """Return the end of a node whose checkpoint was written although its end was not."""
        if not self._open or self._last_node in self._repeats:
            return []
        self._open = False
        return [self._node("end", self._last_node, elapsed_ms=None)]

    def take(self, part: Mapping[str, Any]) -> list[Draft]:
        """Return the events for one part of the graph's stream."""
        data = part["data"]
        if part["type"] == "tasks" and data["name"] == recovery.NAME:
            return []  # it takes over from a failed node and is no step of a path
        if part["type"] == "tasks":
            return self._end(data) if "result" in data else self._start(str(data["name"]))
        if part["type"] == "custom" and data.get("type") == "line":
            return self.transcript.line(data["text"])
        if part["type"] == "custom" and data.get("type") == "restart":
            self.transcript.rewind()
        return []

    def _start(self, node: str) -> list[Draft]:
        if node not in self._repeats:
            self.transcript.mark()
        self._attempts[node] = self._attempts.get(node, 0) + 1 if node in self._repeats else 1
        self._repeats = frozenset()
        self._started[node] = time.perf_counter()
        self._last_node, self._open = node, True
        return [self._node("start", node)]

    def _end(self, task: Mapping[str, Any]) -> list[Draft]:
        node, update = str(task["name"]), task["result"]
        elapsed = (time.perf_counter() - self._started.pop(node, time.perf_counter())) * 1000
        self._open = False
        if task.get("error") is not None:
            return [self._node("end", node, elapsed_ms=round(elapsed, 1), failed=True)]
        drafts = [self._node("end", node, elapsed_ms=round(elapsed, 1), **projection(node, update))]
        if node.startswith("grade_") and update.get("decisions"):
            decision = DecisionOut.model_validate(update["decisions"][-1])
            drafts.append(Draft("decision", decision.model_dump()))
        return drafts

    def _node(self, phase: str, node: str, **shown: Any) -> Draft:
        data = {"node": node, "phase": phase, "attempt": self._attempts[node]}
        return Draft("node", data | shown)

    def _replay_node(self, data: Mapping[str, Any]) -> None:
        if data["phase"] == "start":
            if not (self._last_node == data["node"] and data["attempt"] > 1):
                self.transcript.mark()
            self._last_node = data["node"]
        self._open = data["phase"] == "start"
        self._attempts[data["node"]] = data["attempt"]


def ending(why: RunFailed, status: RunStatus) -> list[Draft]:
    """Return the last events of a run without an answer."""
    error = Draft("error", {"code": why.code, "message": str(why)})
    return [error, Draft("done", {"status": status})]


def closing(answer: Answer) -> list[Draft]:
    """Return the last events of a run with its answer."""
    return [Draft("answer", answer.model_dump(mode="json")), Draft("done", {"status": "done"})]
