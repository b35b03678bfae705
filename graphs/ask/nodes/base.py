"""What every node shares: booking its step, opening the evidence, its budget."""

import time
from dataclasses import dataclass

from graphs.ask.records import EvidenceRef, NodeUsage, Notice
from graphs.ask.state import AskState
from graphs.evidence.calibration import ConfidenceModel
from graphs.evidence.instructions import without_orders
from graphs.evidence.passages import Evidence
from graphs.policy import Policy
from graphs.ports import KnowledgeBase
from graphs.reasoners.base import Case, Meter

_SEARCHING = "retrieve"
"""Nodes that ask a model only where the caller chose a model as reranker: that is not rationed."""


@dataclass(slots=True)
class Step:
    """One run of a node: its meter, its start, what it books at the end."""

    name: str
    state: AskState
    meter: Meter
    started: float

    def done(self, update: AskState) -> AskState:
        """Return the node's update with path, usage and the notices that the meter calls for."""
        usage = dict(self.state.get("usage", {}))
        before = usage.get(self.name)
        usage[self.name] = _added(before, self.meter, (time.perf_counter() - self.started) * 1000)
        notices = list(update.get("notices", self.state.get("notices", [])))
        if self.meter.degraded:
            add_notice(notices, "graded_locally")
        if self.meter.exhausted:
            add_notice(notices, "budget_exhausted")
        if self.meter.reranker_fallback:
            add_notice(notices, "reranker_fallback")
        path = [*update.get("path", self.state.get("path", [])), self.name]
        return AskState(**{**update, "usage": usage, "notices": notices, "path": path})


def begin(name: str, state: AskState, policy: Policy) -> Step:
    """Start a node: give it what is left of the question's budget."""
    usage = state.get("usage", {})
    spent = usage.values()
    asked = sum(1 for node, u in usage.items() if u["calls"] and not node.startswith(_SEARCHING))
    meter = Meter(
        calls_left=policy.model_calls - sum(u["calls"] for u in spent),
        tokens_left=policy.model_tokens
        - sum(u["input_tokens"] + u["output_tokens"] for u in spent),
        deadline=state.get("started_at", time.time()) + policy.question_seconds,
        steps_left=policy.model_steps - asked,
        kb=state["kb"],
        kb_version=state.get("kb_version", 0),
        question=state.get("question_resolved", ""),
    )
    return Step(name, state, meter, time.perf_counter())


def _added(before: NodeUsage | None, meter: Meter, elapsed: float) -> NodeUsage:
    known = before or NodeUsage(calls=0, cached=0, input_tokens=0, output_tokens=0, elapsed_ms=0.0)
    return NodeUsage(
        calls=known["calls"] + meter.calls,
        cached=known["cached"] + meter.cached,
        input_tokens=known["input_tokens"] + meter.input_tokens,
        output_tokens=known["output_tokens"] + meter.output_tokens,
        elapsed_ms=round(known["elapsed_ms"] + elapsed, 1),
    )


def add_notice(notices: list[Notice], code: str, document_id: str = "") -> None:
    """Add a warning once."""
    notice = Notice(code=code, document_id=document_id)
    if notice not in notices:
        notices.append(notice)


def reference(item: Evidence) -> EvidenceRef:
    """Return the reference that the state keeps of a passage."""
    return EvidenceRef(
        id=item.passage.id,
        hash=item.passage.content_hash[:16],
        score=round(item.score, 3),
        dense=round(item.dense, 3),
        keyword=round(item.keyword, 3),
        round=item.round,
        variants=list(item.variants),
    )


@dataclass(frozen=True, slots=True)
class Opened:
    """A case with the evidence read back; `changed` tells that a passage vanished meanwhile."""

    case: Case
    changed: bool


async def open_case(state: AskState, kb: KnowledgeBase, only: list[str] | None = None) -> Opened:
    """Read the passages behind the state's references, best first; `only` names passage ids.

    What gives orders to the answering system is blanked out of them, for every node alike.
    """
    refs = {
        ref["id"]: ref for ref in state.get("evidence", []) if only is None or ref["id"] in only
    }
    read = await kb.passages(list(refs))
    evidence = [
        Evidence(
            without_orders(p),
            ref["score"],
            ref["dense"],
            ref["keyword"],
            ref["round"],
            tuple(ref["variants"]),
        )
        for p in read
        if (ref := refs[p.id])["hash"] == p.content_hash[:16]
    ]
    evidence.sort(key=lambda item: (-item.score, item.passage.id))
    assessment = state.get("assessment")
    case = Case(
        question=state["question_resolved"],
        language=state["language"],
        facets=state["facets"],
        sub_questions=state["sub_questions"],
        evidence=evidence,
        kb=kb,
        notes=state.get("notes", []),
        gaps=assessment["gaps"] if assessment else [],
        covered=assessment["covered"] if assessment else {},
        searched=[query for r in state.get("retrievals", []) for query in r["queries"]],
        broadened="rewrite_broaden" in state.get("path", []),
    )
    return Opened(case, len(evidence) < len(refs))


@dataclass(frozen=True, slots=True)
class Judging:
    """The confidence model that judges a knowledge base's questions: its own, else the shipped one.

    `models` is the key that a calibration must have been made with (`Models.key`).
    """

    shipped: ConfidenceModel
    models: str

    async def of(self, kb: KnowledgeBase) -> ConfidenceModel:
        """Return the model for a knowledge base."""
        own = await kb.calibration(self.models)
        return ConfidenceModel.of(own.weights, own.name) if own else self.shipped
