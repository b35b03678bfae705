"""What takes part in a search beside the default reranker: a standby, and a model that reorders."""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from fakes import (
    AT_ONCE,
    FakeEmbedder,
    FakeReasoner,
    FakeReranker,
    analysis,
    ask,
    full,
    half,
    knowledge_base,
)
from memory_kb import MemoryKnowledgeBase, MemoryLibrary

from graphs.ask.graph import Collaborators, build_graph
from graphs.ask.nodes.finalize import Models
from graphs.errors import EmbedderUnavailable, RerankerUnavailable
from graphs.evidence.calibration import ConfidenceModel
from graphs.evidence.passages import Evidence
from graphs.meter import Meter
from graphs.policy import Policy
from graphs.ports import Candidate, Matrix, RerankQuery
from graphs.retrieval.hybrid import HybridSearch

QUESTION = "一号泵的额定压力和处理措施是什么？"


class Broken(FakeReranker):
    """Fails at every search."""

    fingerprint = "broken"

    def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
        raise RerankerUnavailable("out of memory")


@dataclass
class Reversing:
    """Turns the ranking around; keeps what it was asked."""

    fingerprint = "reversing"
    asked: list[str] = field(default_factory=list)
    fails: bool = False

    async def rerank(
        self, question: str, ranked: Sequence[Evidence], meter: Meter
    ) -> list[Evidence]:
        self.asked.append(question)
        meter.record(100, 10)
        if self.fails:
            raise RerankerUnavailable("no ranking")
        order = list(reversed(ranked))
        return [replace(item, score=round(0.9 - 0.01 * n, 3)) for n, item in enumerate(order)]


def meter(question: str = "") -> Meter:
    return Meter(10, 10_000, time.time() + 60, question=question)


async def found(search: HybridSearch, spent: Meter | None) -> list[tuple[str, float]]:
    result = await search.search(knowledge_base(), QUESTION, search.policy.initial, meter=spent)
    return [(item.passage.id, item.score) for item in result.ranked]


async def test_standby_scores_where_the_reranker_fails() -> None:
    plain = HybridSearch(FakeEmbedder(), FakeReranker(), Policy())
    spent = meter()
    helped = HybridSearch(FakeEmbedder(), Broken(), Policy(), standby=FakeReranker())
    assert await found(helped, spent) == await found(plain, None)
    assert spent.reranker_fallback


async def test_failing_reranker_without_a_standby_is_no_secret() -> None:
    with pytest.raises(RerankerUnavailable):
        await found(HybridSearch(FakeEmbedder(), Broken(), Policy()), meter())


async def test_listwise_order_stands_and_needs_a_budget() -> None:
    plain = await found(HybridSearch(FakeEmbedder(), FakeReranker(), Policy()), None)
    listwise = Reversing()
    search = HybridSearch(FakeEmbedder(), FakeReranker(), Policy(), listwise=listwise)
    assert [i for i, _ in await found(search, meter())] == [i for i, _ in reversed(plain)]
    assert await found(search, None) == plain
    assert listwise.asked == [QUESTION]


async def test_failing_listwise_reranker_leaves_the_order_and_is_noted() -> None:
    plain = await found(HybridSearch(FakeEmbedder(), FakeReranker(), Policy()), None)
    listwise, spent = Reversing(fails=True), meter()
    search = HybridSearch(FakeEmbedder(), FakeReranker(), Policy(), listwise=listwise)
    assert await found(search, spent) == plain
    assert spent.reranker_fallback


async def test_profile_without_reranking_asks_no_model() -> None:
    listwise = Reversing()
    search = HybridSearch(FakeEmbedder(), FakeReranker(), Policy(), listwise=listwise)
    profile = replace(search.policy.initial, rerank=False)
    await search.search(knowledge_base(), QUESTION, profile, meter=meter())
    assert not listwise.asked


async def test_model_is_asked_once_a_retrieval_and_by_the_users_question() -> None:
    listwise = Reversing()
    reasoner = FakeReasoner(
        readings=deque([half, full]),
        analyses=deque([analysis(QUESTION, first_query="一号泵 额定压力")]),
        precise=deque([["一号泵 处理措施", "一号泵 检修记录"]]),
    )
    rules = Policy()
    search = HybridSearch(FakeEmbedder(), FakeReranker(), rules, listwise=listwise)
    graph = build_graph(
        Collaborators(
            library=MemoryLibrary({"kb": knowledge_base()}),
            reasoner=reasoner,
            search=search,
            policy=rules,
            models=Models("fake-ngrams", "reversing", reasoner.name, "default"),
            confidence=ConfidenceModel(),
            retries=AT_ONCE,
        )
    ).compile()
    result = (await graph.ainvoke(ask(QUESTION)))["result"]
    assert [r["node"] for r in result["retrievals"]] == ["retrieve_initial", "retrieve_precise"]
    assert listwise.asked == [QUESTION, QUESTION]
    nodes = result["usage"]["nodes"]
    assert nodes["retrieve_initial"]["calls"] == nodes["retrieve_precise"]["calls"] == 1
    assert not {w["code"] for w in result["warnings"]} & {"reranker_fallback"}


class Silent(FakeEmbedder):
    """Gives zero rows, as the tolerant embedder does while its model is down."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        return np.zeros_like(super().embed(texts))


async def test_zero_vector_is_searched_by_words_alone() -> None:
    base = knowledge_base()
    search = HybridSearch(Silent(), FakeReranker(), Policy())
    result = await search.search(base, QUESTION, search.policy.initial)
    assert not result.dense_available
    assert result.evidence
    words_only = MemoryKnowledgeBase(FakeEmbedder(), base.items, dense_broken=True)
    expected = await HybridSearch(FakeEmbedder(), FakeReranker(), Policy()).search(
        words_only, QUESTION, search.policy.initial
    )
    assert [e.passage.id for e in result.ranked] == [e.passage.id for e in expected.ranked]


class Absent(FakeEmbedder):
    def embed(self, texts: Sequence[str]) -> Matrix:
        raise EmbedderUnavailable("gone")


async def test_embedder_that_raises_is_a_store_error_which_the_graph_retries() -> None:
    with pytest.raises(EmbedderUnavailable):
        await found(HybridSearch(Absent(), FakeReranker(), Policy()), None)
