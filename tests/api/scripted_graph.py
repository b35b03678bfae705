"""A small graph over the real state that does what the question says: for faults and timing.

A question is a list of commands, divided by semicolons:
`slow NODE SECONDS`, `hold NODE` (until `Script.gate` is set), `fail NODE`, `vanish NODE` (the
knowledge base is gone), `crash-lines`
(fail once after the first line), `diverge` (the final answer differs from the lines sent),
`refuse` (no lines at all), `quit` (no result at the end).
"""

import asyncio
import time
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, StateGraph
from langgraph.types import RetryPolicy

from app.runs import Graph
from graphs.ask.state import AskInput, AskOutput, AskState
from graphs.errors import StoreUnavailable, UnknownKnowledgeBase

NODES = (
    "analyze_query",
    "retrieve_initial",
    "grade_initial",
    "generate_initial",
    "check_initial",
    "finalize",
)
LINES = (
    "第一条：先查循环水系统 [1]。\n",
    "第二条：再查抽真空系统 [1]。\n",
    "第三条：记录结果 [1]。\n",
)
REFUSAL = "资料里没有答案。\n"


class Script:
    """What the nodes do, and what they did. `journal` survives a killed process."""

    def __init__(self, journal: Path | None = None) -> None:
        self.gate = asyncio.Event()
        self.entered: list[str] = []
        self._journal = journal
        self._crashed = False
        self._news = asyncio.Condition()

    async def enter(self, node: str, state: AskState) -> None:
        async with self._news:
            self.entered.append(node)
            self._news.notify_all()
        if self._journal is not None:
            with self._journal.open("a") as file:
                file.write(f"{node}\n")
        for command in state["question"].split(";"):
            match command.split():
                case ["slow", name, seconds] if name == node:
                    await asyncio.sleep(float(seconds))
                case ["hold", name] if name == node:
                    await self.gate.wait()
                case ["block", name, seconds] if name == node:
                    time.sleep(float(seconds))  # noqa: ASYNC251 # a node that blocks the loop
                case ["fail", name] if name == node:
                    raise ValueError("secret detail of a dependency")
                case ["vanish", name] if name == node:
                    raise UnknownKnowledgeBase(state["kb"])

    async def reached(self, node: str, times: int = 1) -> None:
        """Wait until `node` was entered so often."""
        async with self._news:
            await self._news.wait_for(lambda: self.entered.count(node) >= times)

    def crash_once(self, state: AskState) -> None:
        if "crash-lines" in state["question"] and not self._crashed:
            self._crashed = True
            raise StoreUnavailable("gone for a moment")


def assessment() -> dict[str, Any]:
    return {
        "evidence_score": 0.8,
        "confidence": 0.9,
        "confidence_covered": 0.9,
        "calibrated": False,
        "threshold": 0.7,
        "best": 0.8,
        "holds_subject": True,
        "dimensions": {"relevance": 0.8, "coverage": 1, "consistency": 1, "freshness": 1},
        "covered": {},
        "gaps": [],
    }


def decision() -> dict[str, Any]:
    return {
        "node": "grade_initial",
        "round": 0,
        "proposed": "answer",
        "decision": "answer",
        "rule": "2",
        "reason": "all facets are covered",
        "missing_info": [],
        "supported_points": ["循环水"],
        "unsupported_points": [],
        "retryable": False,
        "rewrite_strategy": "",
        "assessment": assessment(),
    }


def final_answer(question: str) -> str:
    if "refuse" in question:
        return REFUSAL
    text = "".join(LINES)
    return text.replace("第二条", "第2条") if "diverge" in question else text


def result(state: AskState, path: list[str]) -> dict[str, Any]:
    return {
        "question": state["question"],
        "question_resolved": state["question"],
        "status": "insufficient" if "refuse" in state["question"] else "answered",
        "answer": final_answer(state["question"]),
        "statements": [],
        "citations": [],
        "sub_questions": [],
        "missing": [],
        "nearest": [],
        "assessment": assessment(),
        "decisions": state["decisions"],
        "retrievals": state["retrievals"],
        "path": path,
        "warnings": [],
        "usage": {
            "llm_calls": 0,
            "input_tokens": 0,
            "output_tokens": 0,
            "cost": None,
            "retrievals": 1,
            "elapsed_ms": 1.0,
            "nodes": {
                node: {"calls": 0, "input_tokens": 0, "output_tokens": 0, "elapsed_ms": 0.1}
                for node in path
            },
        },
        "models": {"embedder": "e", "reranker": "r", "reasoner": "embedded", "calibration": "d"},
    }


def _update(node: str, state: AskState) -> dict[str, Any]:
    if node == "analyze_query":
        return {"queries": ["真空"], "decisions": [], "retrievals": [], "result": {}}
    if node == "retrieve_initial":
        found = {"node": node, "queries": ["真空"], "profile": "initial", "hits": 3, "new": 3}
        return {"retrievals": [found | {"note": ""}]}
    if node == "grade_initial":
        return {"decision": "answer", "decisions": [decision()]}
    return {"check": "supported"} if node == "check_initial" else {}


def compile_script(script: Script, checkpointer: BaseCheckpointSaver[Any]) -> Graph:
    """Return the scripted graph."""

    def node(name: str) -> Any:
        async def run(state: AskState) -> dict[str, Any]:
            await script.enter(name, state)
            path = [*(state.get("path", []) if name != "analyze_query" else []), name]
            if name == "generate_initial" and "refuse" not in state["question"]:
                await _emit(script, state)
            update = _update(name, state) | {"path": path}
            if name == "finalize" and "quit" not in state["question"]:
                update["result"] = result(state, path)
            return update

        return run

    builder = StateGraph(AskState, input_schema=AskInput, output_schema=AskOutput)
    retry = RetryPolicy(max_attempts=2, initial_interval=0.01, retry_on=StoreUnavailable)
    for name in NODES:
        builder.add_node(name, node(name), retry_policy=retry)
    for source, target in zip((START, *NODES), (*NODES, END), strict=True):
        builder.add_edge(source, target)
    return builder.compile(checkpointer=checkpointer)


async def _emit(script: Script, state: AskState) -> None:
    write = get_stream_writer()
    for number, line in enumerate(LINES):
        write({"type": "line", "text": line})
        await script.enter(f"line{number}", state)
        script.crash_once(state)
