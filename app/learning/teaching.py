"""Learning from confirmed links: tried on questions it has not seen, kept where it helps."""

import asyncio
from collections.abc import Callable, Sequence

from app.adapters.knowledge_base import StoredKnowledgeBase
from app.adapters.learned_reading import LearnedReader
from app.adapters.learned_sqlite import KnownLink, LearnedStore, LearningRun
from app.errors import InvalidRequest
from app.evaluation.bootstrap import interval
from app.ingest.reports import Progress
from app.learning.links import Confirmed, Link, resolved
from app.learning.report import LearnReport, parts_of, verdict_of
from app.learning.trial import (
    LEAST_ADAPTER,
    Asked,
    Trial,
    asked_of,
    learned_from,
)
from app.services import Services
from graphs.evidence.learned import Learned
from graphs.retrieval.hybrid import HybridSearch

_BOARD = "learn"
Show = Callable[[str, int, int], None]


class Teacher:
    """Teaches the knowledge bases of one data folder."""

    def __init__(self, services: Services) -> None:
        self._library = services.library
        self._search: HybridSearch = services.searcher.search_with
        self._stores = services.library.stores
        self._store = LearnedStore(self._stores.database)
        self._board = services.indexer.board

    @property
    def embedder(self) -> str:
        """Fingerprint of the embedder in use."""
        return self._stores.embedder.fingerprint

    def progress(self, kb: str) -> tuple[str, int, int]:
        """Return what a running trial does, how many questions are done, and of how many."""
        at = self._board.read(kb, _BOARD)
        return (at.name, at.done, at.total) if at else ("", 0, 0)

    async def learn(self, kb: str, links: Sequence[Link]) -> LearnReport:
        """Add links to what is known, try it, and store it; without links learn the known anew.

        Raises UnknownKnowledgeBase, InvalidRequest for bad links, EmbedderUnavailable.
        """
        show = self._board.writer(kb, _BOARD)
        # one at a time, since each starts from what the one before it knew; no name holds a slash
        async with self._library.writing(f"{kb}/learn"):
            try:
                return await self._learn(kb, links, _shown(show))
            finally:
                show(Progress(0, 0, "", 0))

    async def _learn(self, kb: str, links: Sequence[Link], show: Show) -> LearnReport:
        documents = await self._library.documents(kb)
        if self._search.ranker is None:
            raise InvalidRequest(
                "The reranker in use orders by its own model, which learns nothing from links.",
                "Set YOUJU_RERANKER=lexical to learn.",
            )
        opened = await self._library.open(kb)
        given = await asyncio.to_thread(resolved, links, documents)
        known = await asyncio.to_thread(self._known, kb)
        joined = _joined(known, given)
        if not joined:
            raise InvalidRequest("There is no known question to learn from.", "Give a links file.")
        new = len({one.question for one in given} - {one.question for one in known})
        asked, learned, report = await self.tried(opened, joined, show, new)
        await self._save(asked, learned, report)
        return report

    async def undo(self, kb: str) -> LearnReport | None:
        """Drop the newest run and return what counts then; InvalidRequest where there was none."""
        await self._library.open(kb)
        async with self._library.writing(kb):
            dropped = await asyncio.to_thread(self._store.undo, kb)
        if not dropped:
            raise InvalidRequest(
                f"{kb} has learned nothing that could be undone.",
                "POST /kb/{kb}/learn teaches it; GET /kb/{kb}/learn tells what counts.",
            )
        return await self.state(kb)

    async def state(self, kb: str) -> LearnReport | None:
        """Return the report of the run that counts, or None."""
        await self._library.open(kb)
        found = await asyncio.to_thread(self._store.newest, kb)
        return LearnReport.model_validate_json(found[1].report) if found else None

    def _known(self, kb: str) -> list[Confirmed]:
        found = self._store.newest(kb)
        held: dict[str, list[str]] = {}
        for link in self._store.links(found[0]) if found else ():
            held.setdefault(link.question, []).append(link.document_id)
        return [Confirmed(question, tuple(ids)) for question, ids in held.items()]

    async def placed(self, kb: StoredKnowledgeBase, confirmed: Sequence[Confirmed]) -> list[Asked]:
        """Embed the questions and find the passage of each document that lies nearest."""
        texts = [one.question for one in confirmed]
        embedder = self._stores.embedder
        rows = await asyncio.to_thread(embedder.embed, texts)
        links = [
            KnownLink(one.question, document, "", row)
            for one, row in zip(confirmed, rows, strict=True)
            for document in one.documents
        ]
        stores = self._stores
        reader = LearnedReader(stores.database, stores.chunks, stores.dense, embedder.fingerprint)
        return asked_of(await asyncio.to_thread(reader.placed, kb.name, links))

    async def tried(
        self, kb: StoredKnowledgeBase, confirmed: Sequence[Confirmed], show: Show, new: int
    ) -> tuple[list[Asked], Learned, LearnReport]:
        """Return what these links teach and what the trial says of it; nothing is stored."""
        asked = await self.placed(kb, confirmed)
        trial = Trial(self._search, kb, asked, show)
        enough = len(asked) >= LEAST_ADAPTER
        await trial.prepare(adapted=enough)
        adapted = enough and await asyncio.to_thread(_adapter_helps, trial)
        tried = await trial.compare(adapted)
        weights = await asyncio.to_thread(trial.weights, adapted)
        learned = await asyncio.to_thread(learned_from, asked, adapted, weights)
        applied, reason = verdict_of(tried, len(asked))
        report = LearnReport(
            kb=kb.name,
            questions=len(asked),
            links=sum(len(one.links) for one in asked),
            new_questions=new,
            applied=applied,
            adapter_rank=learned.adapter.rank,
            fitted_weights=not learned.feedback,
            embedder=self.embedder,
            reason=reason,
            parts=parts_of(tried),
        )
        return asked, learned, report

    async def _save(self, asked: Sequence[Asked], learned: Learned, report: LearnReport) -> None:
        run = LearningRun(
            report.embedder,
            report.applied,
            learned.adapter,
            learned.weights,
            report.fitted_weights,
            report.model_dump_json(),
        )
        links = [link for one in asked for link, _ in one.links]
        async with self._library.writing(report.kb):
            await asyncio.to_thread(self._store.save, report.kb, run, links)


def _shown(show: Callable[[Progress], None]) -> Show:
    return lambda step, done, of: show(Progress(done, of, step, 0))


def _adapter_helps(trial: Trial) -> bool:
    """Tell whether the lower bound of what the adapter adds to expansion lies above zero."""
    with_it, without = trial.offline(adapted=True), trial.offline(adapted=False)
    return interval([with_it[key] - without[key] for key in with_it]).low > 0


def _joined(known: Sequence[Confirmed], given: Sequence[Confirmed]) -> list[Confirmed]:
    held: dict[str, dict[str, None]] = {}
    for one in (*known, *given):
        held.setdefault(one.question, {}).update(dict.fromkeys(one.documents))
    return [Confirmed(question, tuple(ids)) for question, ids in held.items()]
