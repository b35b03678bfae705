"""Retrieval without an answer: what the first retrieval of a question finds, and how it came to it."""

import asyncio
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphs.evidence.bearing import SHIPPED, Asked
from graphs.evidence.lines import take_apart
from graphs.evidence.passages import Evidence, Hit
from graphs.meter import Meter
from graphs.ports import Candidate, KnowledgeBase
from graphs.retrieval.hybrid import Found, HybridSearch
from graphs.retrieval.reranking import request_of
from graphs.retrieval.trace import Gate, Trace


@dataclass(frozen=True, slots=True)
class Place:
    """Where a passage stands in one stage, 1 for the best, with its score there."""

    position: int
    score: float


@dataclass(frozen=True, slots=True)
class Stages:
    """Where a passage stands in each stage; None where the stage did not list it."""

    dense: Place | None = None
    keyword: Place | None = None
    fused: Place | None = None
    reranked: Place | None = None


@dataclass(frozen=True, slots=True)
class Answering:
    """The sentence of a passage that most likely answers, with its probability in [0, 1].

    `start` and `end` count within the passage's text.
    """

    start: int
    end: int
    probability: float


@dataclass(frozen=True, slots=True)
class Placed:
    """A ranked passage with its way through the stages.

    `dropped_by` is the gate that keeps it out of the evidence of a real question. `duplicate_of`
    is the passage that it repeats, where that is the gate. `answering` is None where the passage
    holds no sentence.
    """

    evidence: Evidence
    stages: Stages
    dropped_by: Gate | None = None
    duplicate_of: str | None = None
    answering: Answering | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """The passages of a search, best first; `degraded` are the codes of what it did without."""

    hits: Sequence[Placed]
    degraded: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Searcher:
    """Searches as the first retrieval does."""

    search_with: HybridSearch
    reranker_replaced: bool = False
    """Whether the default reranker stands in for the configured one since the start."""

    async def search(
        self,
        kb: KnowledgeBase,
        query: str,
        top_k: int,
        exclude: Collection[str] = (),
        include_duplicates: bool = False,
    ) -> Searched:
        """Return the best passages, best first, at most `top_k`, those that a gate drops too.

        Near-duplicates are attached to what they repeat, and listed only with `include_duplicates`.
        """
        meter = self._meter()
        found = await self._find(kb, query, exclude, meter)
        listed = [
            one for one in placed(found) if include_duplicates or one.dropped_by != "duplicate"
        ]
        hits = await self._answering(kb, query, listed[:top_k])
        return Searched(hits, self._degraded(found, meter))

    async def _answering(
        self, kb: KnowledgeBase, text: str, listed: Sequence[Placed]
    ) -> list[Placed]:
        """Return the same passages, each with the sentence that most likely answers."""
        query = await self.search_with.query(text)
        vectors = await kb.sentence_vectors([one.evidence.passage.id for one in listed])
        asked = Asked.of(await request_of(kb, text, query.vector))
        empty = np.zeros((0, len(query.vector)), dtype=np.float32)

        def answering(evidence: Evidence) -> Answering | None:
            passage = evidence.passage
            rows = vectors.get(passage.id, empty)
            read = Candidate(passage, evidence.dense, evidence.keyword, rows)
            likely = SHIPPED.probabilities(asked.signs(read))
            if not len(likely):
                return None
            best = int(np.argmax(likely))
            line = take_apart(passage).lines[best]
            return Answering(line.start, line.end, float(likely[best]))

        def all_of_them() -> list[Placed]:
            return [replace(one, answering=answering(one.evidence)) for one in listed]

        return await asyncio.to_thread(all_of_them)

    async def find(self, kb: KnowledgeBase, query: str, exclude: Collection[str] = ()) -> Found:
        """Return all that the first retrieval finds, on the budget of one question."""
        return await self._find(kb, query, exclude, self._meter())

    async def _find(
        self, kb: KnowledgeBase, query: str, exclude: Collection[str], meter: Meter
    ) -> Found:
        initial = self.search_with.policy.initial
        return await self.search_with.search(kb, query, initial, exclude=exclude, meter=meter)

    def _meter(self) -> Meter:
        policy = self.search_with.policy
        return Meter(policy.model_calls, policy.model_tokens, time.time() + policy.question_seconds)

    def _degraded(self, found: Found, meter: Meter) -> list[str]:
        """Return the warning codes that an answer would have for the same search."""
        codes = [] if found.dense_available else ["dense_unavailable"]
        if self.reranker_replaced or meter.reranker_fallback:
            codes.append("reranker_fallback")
        return codes


def placed(found: Found) -> Iterator[Placed]:
    """Yield every ranked passage of a search with its stages, best first."""
    kept = {item.passage.id: item for item in found.evidence}
    leaders = {variant: id_ for id_, item in kept.items() for variant in item.variants}
    stages = stages_of(found.trace)
    for item in found.ranked:
        id_ = item.passage.id
        gate = found.trace.dropped.get(id_)
        leader = leaders.get(id_) if gate == "duplicate" else None
        yield Placed(kept.get(id_, item), stages.get(id_, Stages()), gate, leader)


def stages_of(trace: Trace) -> dict[str, Stages]:
    """Return the stages of every passage of a trace by its id."""
    dense, keyword = _places(trace.dense), _places(trace.keyword)
    fused, reranked = _places(trace.fused), _places(trace.reranked)
    return {
        id_: Stages(dense.get(id_), keyword.get(id_), fused.get(id_), reranked.get(id_))
        for id_ in {*dense, *keyword, *fused, *reranked}
    }


def _places(hits: Sequence[Hit]) -> dict[str, Place]:
    return {hit.id: Place(at, hit.score) for at, hit in enumerate(hits, start=1)}
