"""The retrieval evaluation: every question of a set through the search as shipped, in four modes."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from app.evaluation.corpus import CorpusStore
from app.evaluation.datasets import Question, QuestionSet
from app.evaluation.metrics import Scores, score
from app.evaluation.redundancy import Selection, lists_of, measure
from app.searching import Searcher
from graphs.errors import DenseUnavailable
from graphs.evidence.dedupe import protected
from graphs.evidence.passages import Hit
from graphs.evidence.text import tagged
from graphs.ports import KnowledgeBase
from graphs.retrieval.hybrid import Found, HybridSearch

MODES = ("dense", "keyword", "fused", "fused + rerank")
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""
SearchOf = Callable[[str], HybridSearch]
"""Question id to the search that is evaluated on it: fitted parameters may differ by question."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question: the scores of each mode, what each step of the selection left, and times.

    `selecting` are the seconds that the selection takes of a search, with nothing cached.
    """

    question: Question
    scores: Mapping[str, Scores]
    selections: Mapping[str, Selection]
    seconds: float
    selecting: float


@dataclass(frozen=True, slots=True)
class SetOutcome:
    """All questions of one set."""

    name: str
    passages: int
    outcomes: Sequence[Outcome]


@dataclass(frozen=True, slots=True)
class Opened:
    """A set whose corpus is stored; `keys` maps passage id to document key."""

    questions: QuestionSet
    kb: KnowledgeBase
    keys: Mapping[str, str]
    corpora: CorpusStore


async def open_set(corpora: CorpusStore, questions: QuestionSet, progress: Progress) -> Opened:
    """Store the corpus of a set as a knowledge base of its name, unless it is there already."""
    name = questions.name
    kb, keys = await corpora.store(
        name, questions.documents, lambda at, of: progress(f"{name}: passages", at, of)
    )
    return Opened(questions, kb, keys, corpora)


async def evaluate(
    opened: Opened, search_of: SearchOf, limit: int | None, progress: Progress
) -> SetOutcome:
    """Ask the first `limit` questions of a set, or all, each with the search that is its own."""
    name, asked = opened.questions.name, opened.questions.questions[:limit]
    outcomes = []
    for at, question in enumerate(asked, start=1):
        outcomes.append(await _ask(opened, search_of(question.id), question))
        progress(f"{name}: questions", at, len(asked))
    return SetOutcome(name, len(opened.questions.documents), outcomes)


async def _ask(opened: Opened, search: HybridSearch, question: Question) -> Outcome:
    began = time.perf_counter()
    found = await Searcher(search).find(opened.kb, question.text)
    seconds = time.perf_counter() - began
    if not found.dense_available:
        raise DenseUnavailable("the vector index can't be read; remove the folder and run again")
    trace = found.trace
    stages = dict(
        zip(MODES, (trace.dense, trace.keyword, trace.fused, trace.reranked), strict=True)
    )
    scores = {
        mode: score(_keys(hits, opened.keys), question.gains, question.parts)
        for mode, hits in stages.items()
    }
    selections = await _selections(opened, found, search, question)
    return Outcome(question, scores, selections, seconds, _select(search, found))


async def _selections(
    opened: Opened, found: Found, search: HybridSearch, question: Question
) -> dict[str, Selection]:
    lists = lists_of(found, search.policy.initial)
    ids = list(dict.fromkeys(id_ for listed in lists.values() for id_ in listed))
    vectors = await opened.corpora.vectors(opened.questions.name, ids)
    return {
        name: measure(listed, vectors, opened.keys, question.gains)
        for name, listed in lists.items()
    }


def _select(search: HybridSearch, found: Found) -> float:
    """Return how long the selection takes, done once more as if no passage had been seen before."""
    for cached in (protected, tagged):
        cached.cache_clear()
    began = time.perf_counter()
    search.select(found.ranked, search.policy.initial)
    return time.perf_counter() - began


def _keys(hits: Sequence[Hit], keys: Mapping[str, str]) -> list[str]:
    return [keys[hit.id] for hit in hits]


async def run(
    corpora: CorpusStore,
    sets: Sequence[QuestionSet],
    search: HybridSearch,
    limit: int | None,
    progress: Progress,
) -> list[SetOutcome]:
    """Evaluate one search on every set."""
    return [
        await evaluate(await open_set(corpora, each, progress), lambda _: search, limit, progress)
        for each in sets
    ]
