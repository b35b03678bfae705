"""The trial of what was learned: every question asked by a knowledge base that has not learned it."""

import asyncio
import hashlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from app.adapters.knowledge_base import StoredKnowledgeBase
from app.adapters.learned_sqlite import KnownLink, expansion_of
from app.evaluation.metrics import ndcg
from app.learning.examples import example
from app.learning.fitting import PRIOR, Example, adapter_of, weights_of
from graphs.evidence.learned import Adapter, Floats, Learned
from graphs.evidence.passages import Hit
from graphs.ports import Vector
from graphs.retrieval.hybrid import HybridSearch

FOLDS = 5
DEPTH = 10
LEAST_ADAPTER = 50
"""Questions below which no adapter is fitted."""
LEAST_WEIGHTS = 100
"""Questions below which the shipped weights are used."""
Placed = tuple[KnownLink, Vector]
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """A known question: its documents, its links, its fold."""

    question: str
    documents: frozenset[str]
    links: tuple[Placed, ...]

    @property
    def fold(self) -> int:
        """The fold, by the hash of the question, so that it never moves."""
        digest = hashlib.sha256(self.question.encode()).digest()
        return int.from_bytes(digest[:8]) % FOLDS


@dataclass(frozen=True, slots=True)
class Tried:
    """One question before and after: nDCG@10 and hit@1 over documents.

    `seen` tells whether other folds know all, some or none of its documents.
    """

    question: str
    seen: str
    before: tuple[float, float]
    after: tuple[float, float]


def asked_of(links: Sequence[Placed]) -> list[Asked]:
    """Return the links by question."""
    held: dict[str, list[Placed]] = {}
    for link in links:
        held.setdefault(link[0].question, []).append(link)
    return [
        Asked(question, frozenset(link.document_id for link, _ in own), tuple(own))
        for question, own in held.items()
    ]


def learned_from(
    asked: Sequence[Asked], adapted: bool, weights: tuple[float, ...] = PRIOR
) -> Learned:
    """Return what these questions teach."""
    links = [link for one in asked for link in one.links]
    adapter = adapter_of(links) if adapted else Adapter.none(len(links[0][1]))
    return Learned(adapter, expansion_of(links), weights, feedback=weights == PRIOR)


class Trial:
    """Cross-fits learning over the questions of one knowledge base."""

    def __init__(
        self, search: HybridSearch, kb: StoredKnowledgeBase, asked: Sequence[Asked], show: Progress
    ) -> None:
        self._search = search
        self._kb = kb
        self._asked = asked
        self._show = show
        self.examples: dict[str, Example] = {}
        self._weights: dict[tuple[bool, int | None], tuple[float, ...]] = {}

    async def prepare(self, adapted: bool) -> None:
        """Read every question with what the other folds teach."""
        done = 0
        for fold in range(FOLDS):
            others = [one for one in self._asked if one.fold != fold]
            if not others:
                continue
            learned = await asyncio.to_thread(learned_from, others, adapted)
            for one in self._fold(fold):
                self.examples[one.question] = await example(
                    self._search, self._kb, learned, one.question, one.documents
                )
                done += 1
                self._show("reading", done, len(self._asked))

    def weights(self, adapted: bool, without_fold: int | None = None) -> tuple[float, ...]:
        """Return the weights that the questions teach; the shipped ones where they are too few."""
        if len(self._asked) < LEAST_WEIGHTS:
            return PRIOR
        if (adapted, without_fold) not in self._weights:
            self._weights[adapted, without_fold] = self._fitted(adapted, without_fold)
        return self._weights[adapted, without_fold]

    def _fitted(self, adapted: bool, without_fold: int | None) -> tuple[float, ...]:
        used = [
            self.examples[one.question]
            for one in self._asked
            if one.fold != without_fold and one.question in self.examples
        ]
        return weights_of([(_features(each, adapted), each.gains) for each in used])

    def offline(self, adapted: bool) -> dict[str, float]:
        """Return nDCG@10 by question from the features alone, before feedback among candidates."""
        scores = {}
        for fold in range(FOLDS):
            weights = self.weights(adapted, fold)
            for one in self._fold(fold):
                if one.question in self.examples:
                    read = self.examples[one.question]
                    scores[one.question] = _graded(read, _features(read, adapted), weights, one)
        return scores

    async def compare(self, adapted: bool) -> list[Tried]:
        """Ask every question with the search as it runs, before and after."""
        tried: list[Tried] = []
        for fold in range(FOLDS):
            others = [one for one in self._asked if one.fold != fold]
            if not others or not self._fold(fold):
                continue
            weights = await asyncio.to_thread(self.weights, adapted, fold)
            learned = await asyncio.to_thread(learned_from, others, adapted, weights)
            before, after = self._kb.taught(None), self._kb.taught(learned)
            seen = {document for one in others for document in one.documents}
            for one in self._fold(fold):
                tried.append(
                    Tried(
                        one.question,
                        _seen(one.documents, seen),
                        await self._ask(before, one),
                        await self._ask(after, one),
                    )
                )
                self._show("asking", len(tried), len(self._asked))
        return tried

    async def _ask(self, kb: StoredKnowledgeBase, one: Asked) -> tuple[float, float]:
        found = await self._search.search(kb, one.question, self._search.policy.initial)
        owner = {item.passage.id: item.passage.document_id for item in found.ranked}
        return score_of(documents_of(found.trace.reranked, owner), one.documents)

    def _fold(self, fold: int) -> list[Asked]:
        return [one for one in self._asked if one.fold == fold]


def documents_of(hits: Sequence[Hit], owner: dict[str, str]) -> list[str]:
    """Return the documents of hits, each at its best place."""
    return list(dict.fromkeys(owner[hit.id] for hit in hits))


def score_of(ranking: Sequence[str], documents: Collection[str]) -> tuple[float, float]:
    """Return nDCG@10 and hit@1 of a ranking of documents."""
    first = float(bool(ranking) and ranking[0] in documents)
    return ndcg(ranking[:DEPTH], dict.fromkeys(documents, 1), DEPTH), first


def _features(read: Example, adapted: bool) -> Floats:
    return read.features if adapted else read.plain


def _graded(read: Example, features: Floats, weights: tuple[float, ...], one: Asked) -> float:
    scores = features @ np.asarray(weights, dtype=np.float32)
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    ranking = list(dict.fromkeys(read.documents[i] for i in order))
    return score_of(ranking, one.documents)[0]


def _seen(own: frozenset[str], known: set[str]) -> str:
    held = len(own & known)
    return "none" if not held else "all" if held == len(own) else "some"
