"""Queued fakes for the ports, and the real graph compiled with them. No model, no disk, no network."""

import hashlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import RetryPolicy
from memory_kb import MemoryKnowledgeBase, MemoryLibrary, passage

from graphs.ask.graph import AskGraph, Collaborators, build_graph
from graphs.ask.nodes.finalize import Models
from graphs.ask.records import Facet, Statement, SubQuestion, Turn
from graphs.errors import StoreUnavailable, WebSearchFailed
from graphs.evidence.calibration import ConfidenceModel
from graphs.evidence.citations import quote_of
from graphs.evidence.passages import Evidence, Hit, Passage
from graphs.policy import Policy
from graphs.ports import (
    Background,
    Candidate,
    KnowledgeBase,
    Matrix,
    RerankQuery,
    Sigmoid,
    Vector,
)
from graphs.reasoners.base import Analysis, Case, Check, Meter, Reading
from graphs.retrieval.hybrid import HybridSearch
from graphs.web_ports import Web, WebPage

DIMENSION = 96


class FakeEmbedder:
    """Unit vectors of hashed character 1- to 3-grams: alike texts are near, always the same."""

    fingerprint = "fake-ngrams"
    dimension = DIMENSION

    def embed(self, texts: Sequence[str]) -> Matrix:
        rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for size in (1, 2, 3):
                for i in range(len(text) - size + 1):
                    gram = text[i : i + size].encode("utf-8", "surrogatepass")
                    row[hashlib.blake2b(gram, digest_size=2).digest()[0] % DIMENSION] += 1.0
            row /= max(1e-9, float(np.linalg.norm(row)))
        return rows


class FakeReranker:
    """Finds every passage good enough for an answer: what it covers is the reasoner's to say."""

    fingerprint = "fake-constant"
    shipped = Sigmoid(midpoint=0.0, scale=1.0)

    def calibrate(self, background: Background) -> Sigmoid:
        return Sigmoid(background.mean, background.deviation)

    def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
        return [2.0] * len(candidates)


Given = Callable[[Case], Reading]
Draft = Callable[[Case], list[Statement]]
Judge = Callable[[Case, Sequence[Statement]], Check]


@dataclass
class FakeReasoner:
    """Answers every call from its queue, and fails loudly where none is left.

    `calls` lists the methods in order; `exhausts` names methods that find their budget used up.
    """

    readings: deque[Given] = field(default_factory=deque)
    analyses: deque[Analysis] = field(default_factory=deque)
    precise: deque[list[str]] = field(default_factory=deque)
    broader: deque[list[str]] = field(default_factory=deque)
    drafts: deque[Draft] = field(default_factory=deque)
    checks: deque[Judge] = field(default_factory=deque)
    calls: list[str] = field(default_factory=list)
    turns_seen: list[list[Turn]] = field(default_factory=list)
    exhausts: frozenset[str] = frozenset()
    name: str = "fake"

    def _enter(self, method: str, meter: Meter) -> None:
        self.calls.append(method)
        meter.exhausted = meter.exhausted or method in self.exhausts

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        self._enter("analyze", meter)
        self.turns_seen.append(list(turns))
        return self.analyses.popleft() if self.analyses else analysis(question)

    async def grade(self, case: Case, meter: Meter) -> Reading:
        self._enter("grade", meter)
        return self.readings.popleft()(case)

    async def review(self, case: Case, reading: Reading, meter: Meter) -> Reading:
        return reading

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        self._enter("rewrite_precise", meter)
        return self.precise.popleft() if self.precise else ["一号泵 处理措施", "一号泵 检修记录"]

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        self._enter("rewrite_broaden", meter)
        return self.broader.popleft() if self.broader else ["水泵 设备 维护", "泵 检查"]

    async def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        self._enter("generate", meter)
        for statement in (self.drafts.popleft() if self.drafts else quote_covered)(case):
            yield statement

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        self._enter("check", meter)
        return (self.checks.popleft() if self.checks else keep_all)(case, statements)


def facet(id_: str, kind: str = "field", required: bool = True, **more: Any) -> Facet:
    """Return a facet; its text is its id where nothing else is given."""
    values = {
        "id": id_, "kind": kind, "text": id_, "terms": [id_], "required": required,
        "sub_question": "q1", "field": "fact" if kind == "field" else "",
    }  # fmt: skip
    return Facet(**(values | more))  # type: ignore[typeddict-item]


def analysis(question: str, **more: Any) -> Analysis:
    """Return the reading of a question with a subject and two requested fields."""
    found = Analysis(
        question_resolved=question,
        language="zh",
        intent="retrieve",
        direct_reason="",
        first_query=question,
        facets=[
            facet("f0", "entity", False, text="一号泵", terms=["一号泵"]),
            facet("f1", text="额定压力", terms=["额定压力"]),
            facet("f2", text="处理措施", terms=["处理措施"]),
        ],
        sub_questions=[SubQuestion(id="q1", text=question, depends_on=[])],
    )
    return replace(found, **more)


def _reading(case: Case, covered: Iterable[str], best: float, **more: Any) -> Reading:
    top = case.evidence[0].passage.id if case.evidence else ""
    held = {f: [top] for f in covered} if top else {}
    found = Reading(
        covered=held,
        relevance={item.passage.id: best for item in case.evidence},
        contradictions=[],
        claims=0,
        holds_subject=bool(top),
        bindable=True,
        strengths={f["id"]: 1.0 if f["id"] in held else 0.0 for f in case.facets},
    )
    return replace(found, **more)


def full(case: Case) -> Reading:
    """Everything that is asked for stands in the best passage."""
    return _reading(case, ("f0", "f1", "f2"), 0.9)


def half(case: Case) -> Reading:
    """The first requested field is covered, the second is not."""
    return _reading(case, ("f0", "f1"), 0.9)


def weak(case: Case) -> Reading:
    """The subject is held, and nothing that was asked."""
    return _reading(case, ("f0",), 0.5)


def off_topic(case: Case) -> Reading:
    """No passage holds the subject, but the knowledge base knows a word of the question."""
    return _reading(case, (), 0.2, holds_subject=False)


def foreign(case: Case) -> Reading:
    """No passage holds the subject, and no word of the question is known."""
    return _reading(case, (), 0.2, holds_subject=False, bindable=False)


def strange(case: Case) -> Reading:
    """The evidence is fine, the verdict is no word of the enum."""
    return _reading(case, ("f0", "f1", "f2"), 0.9, proposed="maybe later")


def quote(item: Evidence | Passage, facets: Sequence[str], text: str = "") -> Statement:
    """Return a statement that says a passage's text, cited whole."""
    source = item.passage if isinstance(item, Evidence) else item
    return Statement(
        text=text or source.text,
        citations=[quote_of(source, 0, len(source.text))],
        modality="certain",
        facets=list(facets),
        sub_question="q1",
        heading="",
    )


def quote_covered(case: Case) -> list[Statement]:
    """Draft one statement per covered required facet."""
    known = {item.passage.id: item for item in case.evidence}
    return [
        quote(known[case.covered[f["id"]][0]], [f["id"]])
        for f in case.facets
        if f["required"] and case.covered.get(f["id"])
    ]


def keep_all(case: Case, statements: Sequence[Statement]) -> Check:
    """Let the whole draft stand."""
    return Check(list(statements), [], [])


def drop_last(case: Case, statements: Sequence[Statement]) -> Check:
    """Let the last statement fall, with its facets."""
    return Check(list(statements[:-1]), [statements[-1]["text"]], statements[-1]["facets"])


def drop_all(case: Case, statements: Sequence[Statement]) -> Check:
    """Let nothing stand."""
    lost = [facet for statement in statements for facet in statement["facets"]]
    return Check([], [statement["text"] for statement in statements], lost)


@dataclass
class FailingKnowledgeBase(MemoryKnowledgeBase):
    """Fails at `passages` as often as `failures` says, after `healthy` good calls."""

    failures: int = 0
    healthy: int = 0

    async def passages(self, ids: Sequence[str]) -> list[Passage]:
        if self.healthy > 0:
            self.healthy -= 1
        elif self.failures > 0:
            self.failures -= 1
            raise StoreUnavailable("the chunk store can't be read")
        return await super().passages(ids)


@dataclass
class FailingLibrary(MemoryLibrary):
    """Can't open any knowledge base once `opens` calls went well, `failures` times."""

    opens: int = 0
    failures: int = 1_000_000

    async def open(self, name: str) -> MemoryKnowledgeBase:
        if self.opens > 0:
            self.opens -= 1
        elif self.failures > 0:
            self.failures -= 1
            raise StoreUnavailable("the catalogue can't be read")
        return await super().open(name)


@dataclass
class CountingKnowledgeBase(MemoryKnowledgeBase):
    """Counts its searches."""

    searches: int = 0

    async def dense(self, vector: Vector, limit: int, exclude: Collection[str] = ()) -> list[Hit]:
        self.searches += 1
        return await super().dense(vector, limit, exclude)


def plant() -> list[Passage]:
    """Return passages about pumps, all different from each other."""
    texts = [
        "一号泵的额定压力为 5 kPa，由检修班负责。",
        "一号泵的处理措施是更换密封圈并复测振动。",
        "一号泵的检修记录保存在值班室的柜子里。",
        "二号泵停运后应关闭出口阀门并挂牌。",
        "水泵设备的日常维护包括加油和清洁滤网。",
        "泵的检查周期为每月一次，由运行人员完成。",
        "循环水系统的水位计需要每周校验。",
        "锅炉给水的温度由自动装置调节。",
        "冷却塔风机的轴承采用稀油润滑方式。",
        "变压器的油温超过限值时发出报警信号。",
        "化学水处理车间保存药剂的入库单据。",
        "消防水箱的补水阀每季度动作试验一遍。",
        "输煤皮带的跑偏开关安装在两侧支架上。",
        "除尘器的灰斗加热器冬季连续投入运行。",
        "电缆沟的积水由潜水电机排出厂房外面。",
        "仪表风的露点在线监测装置接入集控室。",
        "厂房照明的应急电源可维持半小时以上。",
        "脱硫浆液的密度通过取样化验来确认。",
    ]
    return [
        passage(text, section=("设备手册", f"第{n}节"), document_id=f"d{n % 6}", ordinal=n)
        for n, text in enumerate(texts)
    ]


def knowledge_base(items: Sequence[Passage] | None = None) -> MemoryKnowledgeBase:
    """Return a knowledge base of the plant, or of these passages."""
    return MemoryKnowledgeBase(FakeEmbedder(), list(plant() if items is None else items))


AT_ONCE = RetryPolicy(
    max_attempts=3, initial_interval=0.001, jitter=False, retry_on=StoreUnavailable
)


@dataclass
class FakeWeb:
    """Finds these pages, or fails, and keeps what it was asked."""

    pages: list[WebPage] = field(default_factory=list)
    error: WebSearchFailed | None = None
    asked: list[str] = field(default_factory=list)
    name: str = "fake"
    kept: dict[str, Passage] = field(default_factory=dict)

    async def search(self, query: str, limit: int) -> list[WebPage]:
        self.asked.append(query)
        if self.error:
            raise self.error
        return self.pages[:limit]

    async def keep(self, pages: Sequence[Passage]) -> None:
        self.kept |= {page.id: page for page in pages}

    async def read(self, ids: Sequence[str]) -> list[Passage]:
        return [self.kept[id_] for id_ in ids if id_ in self.kept]


def builder(
    reasoner: Any,
    base: MemoryKnowledgeBase | MemoryLibrary,
    policy: Policy | None = None,
    web: FakeWeb | None = None,
) -> AskGraph:
    """Return the real graph over these fakes; store errors are retried at once."""
    library = base if isinstance(base, MemoryLibrary) else MemoryLibrary({"kb": base})
    rules = policy or Policy()
    embedder = getattr(reasoner, "embedder", FakeEmbedder())
    return build_graph(
        Collaborators(
            library=library,
            reasoner=reasoner,
            search=HybridSearch(embedder, FakeReranker(), rules),
            policy=rules,
            models=Models("fake-ngrams", "fake-constant", reasoner.name, "default"),
            confidence=ConfidenceModel(),
            web=Web(web, web) if web else None,
            retries=AT_ONCE,
        )
    )


Graph = CompiledStateGraph[Any, None, Any, Any]


def compiled(
    reasoner: Any,
    base: MemoryKnowledgeBase | MemoryLibrary | None = None,
    policy: Policy | None = None,
    checkpointer: BaseCheckpointSaver[Any] | None = None,
    web: FakeWeb | None = None,
) -> Graph:
    """Return the compiled graph."""
    built = builder(reasoner, base or knowledge_base(), policy, web)
    return built.compile(checkpointer=checkpointer)


async def final_state(graph: Graph, question: dict[str, Any], config: Any = None) -> dict[str, Any]:
    """Run a question and return the whole state after it."""
    return [state async for state in graph.astream(question, config, stream_mode="values")][-1]


def ask(text: str = "一号泵的额定压力和处理措施是什么？", **options: Any) -> dict[str, Any]:
    """Return the input of a question."""
    return {"question": text, "kb": "kb", "options": options}
