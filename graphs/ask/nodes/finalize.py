"""Assemble the answer as the caller gets it."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphs.ask.nodes.base import add_notice, begin
from graphs.ask.records import Citation, Notice, Statement, Turn
from graphs.ask.settling import follow, settle
from graphs.ask.state import AskState
from graphs.evidence.blocks import section_at
from graphs.evidence.ledger import what_became
from graphs.evidence.messages import warn
from graphs.evidence.names import SOURCE_WORDS, noun_phrases
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes, language
from graphs.evidence.writing import AnswerWriter
from graphs.policy import Policy
from graphs.ports import Library

TURNS_KEPT = 5
_ENTITIES_KEPT = 5


@dataclass(frozen=True, slots=True)
class Models:
    """Names of the models that take part, as the answer reports them."""

    embedder: str
    reranker: str
    reasoner: str
    calibration: str
    """The shipped confidence model; a knowledge base's own takes its place."""
    reranker_fallback: bool = False
    """Whether the default reranker stands in for the configured one."""

    @property
    def key(self) -> str:
        """What a calibration holds for: other models give other confidences."""
        names = (self.embedder, self.reranker, self.reasoner, self.calibration)
        return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Finalize:
    """Write the text with its markers, resolve the citations, add up the costs."""

    name: str
    library: Library
    policy: Policy
    models: Models

    async def __call__(self, state: AskState) -> AskState:
        """Return the result and the finished turn."""
        step = begin(self.name, state, self.policy)
        state, passages, contact = await self._cited(state)
        state = settle(state, passages, contact)
        statements = state["statements"] if state["status"] in ("answered", "partial") else []
        notices = _with_sources(state, passages)
        if self.models.reranker_fallback and state["retrievals"]:
            add_notice(notices, "reranker_fallback")
        writer = AnswerWriter(state["language"])
        if statements:
            writer.open([notice["code"] for notice in notices])
            for statement in statements:
                writer.statement(statement)
            if state["status"] == "partial":
                writer.missing(state["missing"])
        else:
            writer.message(state["message"])
        shown = AskState(
            notices=notices, status=state["status"], statements=statements, missing=state["missing"]
        )
        closed = step.done(shown)
        result = self._result(state, closed, writer, passages)
        turn = _turn(state, statements, passages)
        turns = [*state.get("turns", []), turn][-TURNS_KEPT:]
        return AskState(**{**closed, "result": result, "turns": turns})

    async def _cited(self, state: AskState) -> tuple[AskState, dict[str, Passage], str]:
        """Read the cited passages, bring the quotes up to their versions, and tell whom to ask.

        A text without statements needs no store, so it always gets out.
        """
        said = state["statements"] if state["status"] in ("answered", "partial") else []
        ids = dict.fromkeys(c["passage"] for s in said for c in s["citations"])
        if not ids:
            return state, {}, ""
        kb = await self.library.open(state["kb"])
        passages = {passage.id: passage for passage in await kb.passages(list(ids))}
        statements = await follow(said, passages, kb)
        contact = (await kb.info()).contact
        return AskState(**{**state, "statements": statements}), passages, contact

    def _result(
        self,
        state: AskState,
        closed: AskState,
        writer: AnswerWriter,
        passages: Mapping[str, Passage],
    ) -> dict[str, Any]:
        partial = state["status"] in ("partial", "insufficient")
        return {
            "question": state["question"],
            "question_resolved": state["question_resolved"],
            "status": state["status"],
            "answer": writer.text,
            "statements": writer.statements,
            "citations": [
                _citation(number, citation, passages, state["kb"])
                for number, citation in enumerate(writer.citations, start=1)
            ],
            "sub_questions": _sub_questions(state),
            "missing": state["missing"] if partial else [],
            "nearest": state["nearest"] if state["status"] == "insufficient" else [],
            "assessment": state["assessment"],
            "decisions": state["decisions"],
            "retrievals": state["retrievals"],
            "reflection": state["reflection"],
            "path": closed["path"],
            "warnings": [
                {
                    "code": notice["code"],
                    "message": warn(notice["code"], state["language"]),
                    "document_id": notice["document_id"] or None,
                }
                for notice in closed["notices"]
            ],
            "usage": self._usage(state, closed),
            "models": {
                "embedder": self.models.embedder,
                "reranker": self.models.reranker,
                "reasoner": self.models.reasoner,
                "calibration": state["calibration"] or self.models.calibration,
            },
        }

    def _usage(self, state: AskState, closed: AskState) -> dict[str, Any]:
        nodes = closed["usage"]
        spent_in = sum(node["input_tokens"] for node in nodes.values())
        spent_out = sum(node["output_tokens"] for node in nodes.values())
        cost = None
        if self.policy.price_input is not None and self.policy.price_output is not None:
            amount = (
                spent_in * self.policy.price_input + spent_out * self.policy.price_output
            ) / 1_000_000
            cost = {"amount": round(amount, 6), "currency": self.policy.currency}
        return {
            "llm_calls": sum(node["calls"] for node in nodes.values()),
            "cache_hits": sum(node["cached"] for node in nodes.values()),
            "input_tokens": spent_in,
            "output_tokens": spent_out,
            "cost": cost,
            "retrievals": len(state["retrievals"]),
            "elapsed_ms": round((time.time() - state["started_at"]) * 1000, 1),
            "nodes": nodes,
        }


def _with_sources(state: AskState, passages: Mapping[str, Passage]) -> list[Notice]:
    """Add the warnings that depend on what is cited in the end."""
    found = list(state["notices"])
    cited = {c["passage"] for said in state["statements"] for c in said["citations"]}
    # A disagreement that the reader does not see on both sides would say what is not shown.
    if passages and any({a, b} <= cited for a, b in state.get("conflicts", [])):
        add_notice(found, "conflicting_evidence")
    for passage in passages.values():
        if passage.superseded_by:
            add_notice(found, "outdated_info", passage.document_id)
        if passage.near_duplicates:
            add_notice(found, "near_duplicate_documents", passage.document_id)
        if language(passage.text) != state["language"]:
            add_notice(found, "source_language_differs")
    return found


def _citation(
    number: int, citation: Citation, passages: Mapping[str, Passage], kb: str
) -> dict[str, Any]:
    passage = passages[citation["passage"]]
    place = citation["start"] - passage.start
    quote = passage.text[place : citation["end"] - passage.start]
    url = passage.url or (
        f"/kb/{kb}/documents/{citation['document_id']}/text"
        f"?start={citation['start']}&end={citation['end']}&version={citation['version']}"
    )
    return {
        "n": number,
        "document_id": citation["document_id"],
        "title": passage.title,
        "version": citation["version"],
        "section": list(section_at(passage, place)),
        "page": passage.page_at(place),
        "start": citation["start"],
        "end": citation["end"],
        "quote": quote,
        "quote_language": language(quote),
        "date": passage.date,
        "superseded": passage.superseded_by is not None,
        "url": url,
    }


def _sub_questions(state: AskState) -> list[dict[str, str]]:
    """Return each sub-question with what became of it, by the statements that stand."""
    answered = state["status"] in ("answered", "partial")
    addressed = {f for s in state["statements"] for f in s["facets"]} if answered else set()
    became = what_became(state["sub_questions"], state["facets"], addressed)
    return [{"text": text, "status": status} for text, status in became]


def _turn(
    state: AskState, statements: Sequence[Statement], passages: Mapping[str, Passage]
) -> Turn:
    """Return the finished turn; its first entity is what a follow-up most likely means."""
    named = codes(state["question_resolved"])
    cited = dict.fromkeys(
        code
        for statement in statements
        for citation in statement["citations"]
        for code in codes(" ".join(passages[citation["passage"]].section))
    )
    sections = dict.fromkeys(
        passages[statement["citations"][0]["passage"]].section[-1:] for statement in statements
    )
    phrases = [
        phrase
        for facet in state["facets"]
        if facet["kind"] == "entity"
        for phrase in noun_phrases(facet["text"])
    ]
    single = list(cited) if len(cited) == 1 else []
    heading = [section[0] for section in sections if section] if len(sections) == 1 else []
    # A question for records is about the record that was found, any other about what it named.
    records = any(word in state["question_resolved"] for word in SOURCE_WORDS)
    first = [*single, *phrases] if records else [*phrases, *single]
    entities = [*named, *first, *heading, *cited]
    return Turn(
        question=state["question"],
        question_resolved=state["question_resolved"],
        status=state["status"],
        entities=list(dict.fromkeys(entities))[:_ENTITIES_KEPT],
        documents=list(dict.fromkeys(p.document_id for p in passages.values())),
    )
