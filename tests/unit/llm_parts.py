"""A chat model, a reasoner and a knowledge base with queued answers, for tests of the LLM brain."""

import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from graphs.ask.records import Facet, Statement, Turn
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import words
from graphs.ports import KnowledgeBase, KnowledgeBaseInfo, Vocabulary
from graphs.reasoners.base import Analysis, Case, Check, Meter, Reading
from graphs.reasoners.chat import Message

TEXTS = {
    "p1": "循环水旋转滤网压差升高。现场检查发现滤网局部附着杂物，冲洗水压力不足 0.2 MPa。",
    "p2": "处理措施：提高冲洗水压力至 0.4 MPa；人工辅助清理滤网。可能的原因是来水含杂物。",
    "p3": "Hotel costs are reimbursed at 100 % if a flight is cancelled because of weather.",
}


def meter(calls: int = 10) -> Meter:
    return Meter(calls_left=calls, tokens_left=50_000, deadline=time.time() + 30)


def passage(key: str, text: str = "", **more: Any) -> Passage:
    text = text or TEXTS[key]
    values: dict[str, Any] = {
        "id": key, "document_id": f"d-{key}", "title": "缺陷记录", "section": ("QX-2025-094",),
        "text": text, "start": 100, "end": 100 + len(text), "version": "v1", "ordinal": 0,
        "content_hash": key,
    }  # fmt: skip
    return Passage(**(values | more))


def facet(key: str, text: str, kind: str = "field", field: str = "label", **more: Any) -> Facet:
    values: dict[str, Any] = {
        "id": key, "kind": kind, "text": text, "terms": words(text), "required": kind == "field",
        "sub_question": "", "field": field if kind == "field" else "",
    }  # fmt: skip
    return Facet(**(values | more))  # type: ignore[typeddict-item]


@dataclass
class FakeKnowledgeBase:
    """Knows these phrases; every word of them stands in one passage."""

    phrases: tuple[str, ...] = ("旋转滤网", "冲洗水压力", "真空泵")
    unrelated: tuple[tuple[str, ...], ...] = ()

    async def info(self) -> KnowledgeBaseInfo:
        return KnowledgeBaseInfo("plant", 1, 3, "火电厂缺陷记录", unrelated=self.unrelated)

    async def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.phrases, None, (1,) * len(self.phrases), 0.0, 1.0)  # type: ignore[arg-type]

    async def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        return {term: int(any(term in phrase for phrase in self.phrases)) for term in terms}


def case(**more: Any) -> Case:
    values: dict[str, Any] = {
        "question": "旋转滤网压差升高的现场检查结果和处理措施是什么？",
        "language": "zh",
        "facets": [facet("f1", "现场检查结果"), facet("f2", "处理措施")],
        "sub_questions": [],
        "evidence": [Evidence(passage("p1"), 0.9), Evidence(passage("p2"), 0.7)],
        "kb": FakeKnowledgeBase(),
        "covered": {"f1": ["p1"], "f2": ["p2"]},
    }
    return Case(**(values | more))


@dataclass
class QueuedChat:
    """Answers with the queued replies: a dict, a text, or an error to raise."""

    replies: list[Any] = field(default_factory=list)
    prompts: list[Sequence[Message]] = field(default_factory=list)
    name: str = "queued"

    async def complete(
        self,
        messages: Sequence[Message],
        schema: type[BaseModel] | None,
        max_tokens: int,
        meter: Meter,
    ) -> Any:
        reply = self._next(messages, meter)
        return schema.model_validate(reply) if schema else reply

    async def stream(
        self, messages: Sequence[Message], max_tokens: int, meter: Meter
    ) -> AsyncGenerator[str, None]:
        reply = self._next(messages, meter)
        pieces = (
            reply
            if isinstance(reply, list)
            else [reply[i : i + 4] for i in range(0, len(reply), 4)]
        )
        for piece in pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    def _next(self, messages: Sequence[Message], meter: Meter) -> Any:
        self.prompts.append(messages)
        meter.record(100, 20)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    @property
    def last(self) -> str:
        return "\n".join(text for _, text in self.prompts[-1])


READING = Reading({}, {}, [], 4, False, True, subject=0.4, strengths={"f1": 0.2, "f2": 0.2})


@dataclass
class FakeReasoner:
    """Gives fixed results and keeps what it was asked."""

    name: str = "embedded"
    statements: list[Statement] = field(default_factory=list)
    reading: Reading = READING
    analysis: Analysis = field(
        default_factory=lambda: Analysis(
            "q", "zh", "retrieve", "", "q", [facet("f1", "处理措施")], []
        )
    )
    asked: list[str] = field(default_factory=list)

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        self.asked.append("analyze")
        return self.analysis

    async def grade(self, case: Case, meter: Meter) -> Reading:
        self.asked.append("grade")
        return self.reading

    async def review(self, case: Case, reading: Reading, meter: Meter) -> Reading:
        self.asked.append("review")
        return reading

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        self.asked.append("rewrite_precise")
        return ["precise"]

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        self.asked.append("rewrite_broaden")
        return ["旋转滤网 冲洗水"]

    async def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        self.asked.append("generate")
        for statement in self.statements:
            yield statement

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        self.asked.append("check")
        return Check(list(statements), [], [])
