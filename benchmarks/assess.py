"""How long it takes to remove noise from 16 passages and to assess them, embedded reasoner.

Each question of the samples is asked of its knowledge base; its 16 best passages go through the
selection (near-duplicates, noise) and through `grade_initial` as it is, store included. Nothing is
kept from another question: the caches of the evidence functions are emptied before the search that
finds the passages. CPU time tells the same on a machine that does other work meanwhile.
"""

import gc
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import numpy as np

from app.settings import Settings
from app.wiring import Core, open_core
from benchmarks.reporting import Report, Scale, Table, Target, command, quantiles
from benchmarks.samples import FOLDERS, Labelled, documents, labelled
from graphs.ask.nodes.analyze_query import AnalyzeQuery
from graphs.ask.nodes.base import Judging, reference
from graphs.ask.nodes.grade_evidence import GradeEvidence
from graphs.ask.state import AskState
from graphs.policy import Profile
from graphs.ports import Embedder, Matrix
from graphs.reasoners.local import LocalReasoner

PASSAGES = 16
QUESTIONS: dict[Scale, int | None] = {"tiny": 3, "short": 60, "full": None}
WITH, WITHOUT = "question and facets embedded", "embeddings at hand"
SELECTION = "noise removal alone"
LIMITS = {WITH: 40.0, WITHOUT: 18.0}
_WARM_UP = 3


class Remembering:
    """An embedder that embeds a text once until it is told to forget."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Matrix] = {}
        self.fingerprint = embedder.fingerprint
        self.dimension = embedder.dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known |= dict(zip(new, self._embedder.embed(new), strict=True))
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([self._known[text] for text in texts])

    def forget(self) -> None:
        """Embed everything anew."""
        self._known.clear()


@dataclass(frozen=True, slots=True)
class Timed:
    """Milliseconds of one question by step: wall time, and CPU time of all threads."""

    id: str
    wall: dict[str, float]
    cpu: dict[str, float]


async def measure(scale: Scale) -> Report:
    """Time every chosen sample question."""
    chosen = labelled(QUESTIONS[scale])
    async with _opened() as core:
        return await report_on(core, chosen)


async def report_on(core: Core, questions: Sequence[Labelled]) -> Report:
    """Time the questions; one with fewer than 16 passages is left out."""
    step = _Step(core)
    for question in questions[:_WARM_UP]:
        await step.time(question)
    timed = [found for question in questions if (found := await step.time(question))]
    figures = {
        name: {
            "wall": quantiles([each.wall[name] for each in timed]),
            "cpu": quantiles([each.cpu[name] for each in timed]),
        }
        for name in (SELECTION, *LIMITS)
    }
    rows = [
        (name, *(f"{found[kind][q]:.1f}" for kind in ("wall", "cpu") for q in ("p50", "p95")))
        for name, found in figures.items()
    ]
    title = f"Noise removal and assessment of {PASSAGES} passages, ms, {len(timed)} questions"
    columns = ("step", "p50", "p95", "CPU p50", "CPU p95")
    targets = [
        Target(f"p50, {name}", figures[name]["wall"]["p50"], most, "ms")
        for name, most in LIMITS.items()
    ]
    details = [{"id": each.id, "wall": each.wall, "cpu": each.cpu} for each in timed]
    return Report("assess", figures, [Table(title, columns, rows)], targets, details)


class _Step:
    """The measured step on one opened data folder."""

    def __init__(self, core: Core) -> None:
        bound = core.collaborators
        self._embedder = Remembering(core.loaded.embedders.indexing)  # without the service's cache
        reasoner = LocalReasoner(self._embedder)
        self._library, self._search, policy = bound.library, bound.search, bound.policy
        self._analyze = AnalyzeQuery("analyze_query", self._library, reasoner, policy, "")
        self._grade = GradeEvidence(
            "grade_initial", self._library, reasoner, policy, Judging(bound.confidence, "")
        )
        self._caches = _caches()
        self._profile: Profile = replace(policy.initial, threshold=0.0, top_n=PASSAGES)

    async def time(self, question: Labelled) -> Timed | None:
        """Return the milliseconds of one question, None with too few passages or no retrieval."""
        asked = AskState(question=question.question, kb=question.kb, options={})
        state = AskState(**{**asked, **await self._analyze(asked)})
        if state["intent"] == "direct":
            return None
        kb, query = await self._library.open(question.kb), state["queries"][0]
        wall: dict[str, float] = {}
        cpu: dict[str, float] = {}
        for name in (SELECTION, *LIMITS):
            self._forget(embeddings=name == WITH)
            ranked = (await self._search.search(kb, query, self._profile)).ranked[:PASSAGES]
            if len(ranked) < PASSAGES:
                return None
            evidence = [reference(item) for item in ranked]
            began, worked = time.perf_counter(), time.process_time()
            self._search.select(ranked, self._profile)
            if name != SELECTION:
                await self._grade(AskState(**{**state, "evidence": evidence}))
            wall[name] = round(1000 * (time.perf_counter() - began), 3)
            cpu[name] = round(1000 * (time.process_time() - worked), 3)
        return Timed(question.id, wall, cpu)

    def _forget(self, embeddings: bool) -> None:
        if embeddings:
            self._embedder.forget()
        for cached in self._caches:
            cached.cache_clear()


def _caches() -> list["_lru_cache_wrapper[Any]"]:
    """Return what the evidence functions remember of texts; what is loaded once is none of it."""
    gc.unfreeze()  # what the service has frozen is not among the objects
    # by its exact type: isinstance would ask every object for its class, which some answer with a warning
    wrappers = [each for each in gc.get_objects() if type(each) is _lru_cache_wrapper]
    gc.freeze()
    return [
        each
        for each in wrappers
        if each.__module__.startswith("graphs.") and (each.cache_parameters()["maxsize"] or 0) > 1
    ]


@asynccontextmanager
async def _opened() -> AsyncIterator[Core]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(_env_file=None, data_dir=Path(folder), llm="off")
        async with open_core(settings) as core:
            for kb in FOLDERS:
                await core.indexer.ingest(kb, documents(kb))
            yield core


if __name__ == "__main__":
    sys.exit(command("assess", __doc__.splitlines()[0], measure))
