"""A precise path whose nodes do no work: for the cost of what lies between them.

The real nodes run once over constant collaborators; what they return is then replayed, so that the
state has its real shape and size and the bare graph costs nothing but its own steps.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from langgraph.graph import StateGraph

from app.ingest.atoms import SplitLimits
from app.ingest.loading import Converted
from app.ingest.preparing import prepare
from benchmarks.samples import documents
from graphs.ask.graph import AskGraph, Collaborators, build_graph
from graphs.ask.nodes.finalize import Models
from graphs.ask.records import Facet, FacetKind, Statement, SubQuestion, Turn
from graphs.ask.state import AskInput, AskState
from graphs.evidence import text
from graphs.evidence.calibration import ConfidenceModel
from graphs.evidence.citations import quote_of
from graphs.evidence.dedupe import collapse
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import sentences, words
from graphs.policy import Policy
from graphs.ports import Embedder, KnowledgeBase, KnowledgeBaseInfo
from graphs.reasoners.base import Analysis, Case, Check, Meter, Reading, Reasoner
from graphs.retrieval.hybrid import Found, HybridSearch

KB = "power-plant"
QUESTION = (
    "高温高负荷期间，凝汽器侧参数变差，同时循环水旋转滤网压差升高。"
    "请说明这类问题为什么会影响真空，并找出缺陷记录中的现场检查结果和处理措施。"
)
PATH = (
    "analyze_query", "retrieve_initial", "grade_initial", "rewrite_precise", "retrieve_precise",
    "grade_precise", "generate_precise", "check_precise", "finalize",
)  # fmt: skip
INPUT: AskInput = {"question": QUESTION, "kb": KB}
PER_ROUND = 16
_WIDEST = 0.5
"""No two of the passages are as alike as this: the second retrieval keeps them all."""
_STATEMENTS = 7
_FACETS: tuple[tuple[str, FacetKind, str, str, str], ...] = (
    ("f1", "entity", "循环水旋转滤网压差升高", "", "s1"),
    ("f2", "field", "为什么会影响真空", "cause", "s1"),
    ("f3", "entity", "缺陷记录", "", "s2"),
    ("f4", "field", "现场检查结果", "label", "s2"),
    ("f5", "field", "处理措施", "label", "s3"),
)


def passages() -> list[Passage]:
    """Return the passages of the sample documents, as ingest makes them."""
    text.load()
    return [
        passage
        for source in documents(KB)
        for passage in prepare(
            KB, source.name, Converted(source.data.decode(), True), SplitLimits(), "benchmark"
        ).passages
    ]


class ConstantKnowledgeBase:
    """Passages by id, and nothing else: no labels and no links taught it anything."""

    def __init__(self, items: Sequence[Passage]) -> None:
        self._items = {item.id: item for item in items}

    async def info(self) -> KnowledgeBaseInfo:
        return KnowledgeBaseInfo("constant", 1, len(self._items))

    async def calibration(self, models: str) -> None:
        return None

    async def learned(self) -> None:
        return None

    async def passages(self, ids: Sequence[str]) -> list[Passage]:
        return [self._items[id_] for id_ in ids if id_ in self._items]


class ConstantLibrary:
    """One knowledge base under every name."""

    def __init__(self, items: Sequence[Passage]) -> None:
        self._kb = cast(KnowledgeBase, ConstantKnowledgeBase(items))

    async def open(self, name: str) -> KnowledgeBase:
        return self._kb


@dataclass(frozen=True, slots=True)
class ConstantSearch(HybridSearch):
    """Finds the first passages in the first round and the next ones for every later query."""

    items: Sequence[Passage] = ()

    async def search(self, *args: Any, **kwargs: Any) -> Found:
        round_ = args[3]
        start = min(round_, 1) * PER_ROUND
        evidence = [
            Evidence(item, round(0.9 - 0.02 * rank, 3), 0.512, 0.431, round_)
            for rank, item in enumerate(self.items[start : start + PER_ROUND])
        ]
        return Found(evidence, evidence)


class ConstantReasoner:
    """Finds a part after the first round and everything after the second."""

    name = "embedded"

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        facets = [
            Facet(id=id_, kind=kind, text=asked, terms=words(asked), required=True,
                  sub_question=sub, field=field)
            for id_, kind, asked, field, sub in _FACETS
        ]  # fmt: skip
        subs = [
            SubQuestion(id=f"s{number}", text=part, depends_on=[])
            for number, part in enumerate(question.replace("。", "，").split("，")[1:4], start=1)
        ]
        return Analysis(question, "zh", "retrieve", "", question, facets, subs)

    async def grade(self, case: Case, meter: Meter) -> Reading:
        ids = [item.passage.id for item in case.evidence]
        names = [facet["id"] for facet in case.facets]
        held = names if len(ids) > PER_ROUND else names[:3]
        covered = {name: ids[number : number + 3] for number, name in enumerate(held)}
        spans = {item.passage.id: (item.passage.start, item.passage.end) for item in case.evidence}
        return Reading(covered, {}, (), 12, True, True, spans=spans)

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        return ["旋转滤网 压差 升高 现场检查结果 处理措施", "滤网 现场检查结果", "滤网 处理措施"]

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        return await self.rewrite_precise(case, meter)

    async def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        for number in range(_STATEMENTS):
            passage = case.evidence[number % len(case.evidence)].passage
            spans = sentences(passage.text)
            start, end = spans[number // len(case.evidence) % len(spans)]
            facet = _FACETS[number % len(_FACETS)]
            yield Statement(
                text=passage.text[start:end], citations=[quote_of(passage, start, end)],
                modality="certain", facets=[facet[0]], sub_question=facet[4], heading="",
            )  # fmt: skip

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        return Check(list(statements), [], [])


def collaborators() -> Collaborators:
    """Return collaborators that find and say the same every time."""
    policy = Policy()
    policy = replace(
        policy,
        initial=replace(policy.initial, top_n=PER_ROUND),
        precise=replace(policy.precise, top_n=PER_ROUND),
    )
    items = passages()
    alone = collapse([Evidence(item, 0.5) for item in items], _WIDEST)[: 2 * PER_ROUND]
    return Collaborators(
        library=ConstantLibrary(items),
        reasoner=cast(Reasoner, ConstantReasoner()),
        search=ConstantSearch(
            cast(Embedder, None), None, policy, items=[item.passage for item in alone]
        ),
        policy=policy,
        models=Models("constant", "constant", "embedded", "default"),
        confidence=ConfidenceModel(),
    )


async def recorded() -> dict[str, AskState]:
    """Return what each node of the precise path returns, by its name."""
    graph = build_graph(collaborators()).compile()
    updates: dict[str, AskState] = {}
    async for part in graph.astream(INPUT, stream_mode="updates"):
        updates |= part
    path = tuple(updates)
    kept = len(updates["retrieve_precise"]["evidence"]) if path == PATH else 0
    if kept != 2 * PER_ROUND:
        raise RuntimeError(
            f"not the precise path with {PER_ROUND} passages a round: {path}, {kept} passages"
        )
    return updates


def replaying(updates: Mapping[str, AskState]) -> AskGraph:
    """Return the real graph, edges and policies as they are, with nodes that do no work."""
    builder, constants = build_graph(collaborators()), StateGraph(AskState)
    for name, update in updates.items():
        constants.add_node(name, _constant(update))
        builder.nodes[name].runnable = constants.nodes[name].runnable
    return builder


def _constant(update: AskState) -> Any:
    async def node(_state: AskState) -> AskState:
        return update

    return node
