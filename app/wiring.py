"""The one place where ports meet their implementations."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from app.adapters.checkpoints import open_checkpoints
from app.adapters.embed_cached import CachedEmbedder
from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.adapters.llm_openai import OpenAIChat
from app.adapters.lock import DataLock
from app.adapters.rerank_bge import BgeReranker
from app.adapters.rerank_lexical import LexicalReranker
from app.adapters.tracing import silence_tracing
from app.ingest.background import BackgroundMeter
from app.ingest.indexing import Indexer
from app.runs import Graph
from app.settings import Settings
from graphs import policy as rules
from graphs.ask.graph import AskGraph, Collaborators, build_graph
from graphs.ask.nodes.finalize import Models
from graphs.errors import RerankerUnavailable
from graphs.evidence import text
from graphs.evidence.calibration import ConfidenceModel
from graphs.evidence.passages import Evidence
from graphs.ports import Embedder, KnowledgeBase, Reranker
from graphs.reasoners.base import Reasoner
from graphs.reasoners.cascade import CascadeReasoner
from graphs.reasoners.llm import LLMReasoner
from graphs.reasoners.local import LocalReasoner
from graphs.retrieval.hybrid import HybridSearch

logger = logging.getLogger(__name__)

RUNS_FILE = "runs.sqlite"
REPAIR_SECONDS = 5.0
"""How long a start waits for repairs before it goes on beside them."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """Retrieval without an answer, as the first retrieval does it."""

    search_with: HybridSearch

    async def search(
        self, kb: KnowledgeBase, query: str, top_k: int, exclude: Collection[str]
    ) -> Sequence[Evidence]:
        """Return the best passages, best first, at most `top_k` and without a threshold."""
        found = await self.search_with.search(
            kb, query, self.search_with.policy.initial, exclude=exclude
        )
        wide = rules.Profile("search", 0.0, top_k, 0.6, 0.4)
        return self.search_with.select(found.ranked, wide)


@dataclass(frozen=True, slots=True)
class Core:
    """Everything behind the doors but the checkpointer."""

    library: StoredLibrary
    indexer: Indexer
    searcher: Searcher
    builder: AskGraph
    models: dict[str, str]


@dataclass(frozen=True, slots=True)
class OpenServices:
    """What the HTTP service and the CLI work with."""

    graph: Graph
    library: StoredLibrary
    indexer: Indexer
    searcher: Searcher
    models: dict[str, str]
    lock: DataLock


def policy_of(settings: Settings) -> rules.Policy:
    """Return the evidence logic's limits from the settings."""

    def profile(name: str) -> rules.Profile:
        given = getattr(settings.profiles, name)
        return rules.Profile(
            name, given.threshold, given.top_n, given.dense, given.keyword, given.rerank
        )

    return rules.Policy(
        min_passage=settings.min_passage,
        answer_passage=settings.answer_passage,
        min_confidence=settings.min_confidence,
        weights=rules.Weights(**settings.weights.model_dump()),
        presets=settings.presets.model_dump(),
        preset=settings.preset,
        max_rounds=settings.max_rounds,
        initial=profile("initial"),
        precise=profile("precise"),
        broaden=profile("broaden"),
        near_duplicate=settings.near_duplicate,
        passages_read=settings.passages_read,
        question_seconds=settings.question_seconds,
        model_calls=settings.model_calls,
        model_tokens=settings.model_tokens,
        price_input=settings.llm_price_input,
        price_output=settings.llm_price_output,
        currency=settings.llm_currency,
    )


@asynccontextmanager
async def open_core(settings: Settings) -> AsyncIterator[Core]:
    """Load the models and open the stores. The caller holds the data folder's lock."""
    silence_tracing()
    async with AsyncExitStack() as stack:
        raw = UseEmbedder()
        await asyncio.gather(asyncio.to_thread(raw.load), asyncio.to_thread(text.load))
        embedder = CachedEmbedder(raw)
        library = await asyncio.to_thread(StoredLibrary, settings.data_dir, raw)
        stack.callback(library.close)
        reranker, fell_back = await asyncio.to_thread(_reranker, settings)
        reasoner = await _reasoner(settings, embedder, stack)
        models = Models(
            embedder=embedder.fingerprint,
            reranker=reranker.fingerprint if reranker else "none",
            reasoner=reasoner.name,
            calibration="default",
            reranker_fallback=fell_back,
        )
        rules_ = policy_of(settings)
        search = HybridSearch(embedder, reranker, rules_)
        measure = BackgroundMeter(library, reranker, embedder).measure if reranker else None
        indexer = Indexer(library, max_bytes=settings.max_upload_bytes, measure_background=measure)
        builder = build_graph(
            Collaborators(library, reasoner, search, rules_, models, ConfidenceModel())
        )
        async with _repairing(indexer):
            yield Core(library, indexer, Searcher(search), builder, _names(models))


@asynccontextmanager
async def _repairing(indexer: Indexer) -> AsyncIterator[None]:
    """Finish what a crash left: what is small before anyone asks, what is large beside the work.

    A document that is not finished stays hidden, and each knowledge base is locked for changes
    while it is repaired. A stop leaves the rest to the next start.
    """
    repair = asyncio.create_task(indexer.repair(), name="repair")
    done, _ = await asyncio.wait({repair}, timeout=REPAIR_SECONDS)
    if done:
        await repair
    else:
        logger.warning("an ingest that was cut off is being finished beside the questions")
    try:
        yield
    finally:
        repair.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await repair


@asynccontextmanager
async def open_services(
    settings: Settings, lock: DataLock | None = None
) -> AsyncIterator[OpenServices]:
    """Open one data folder: take its lock, load the models, compile the graph.

    Raises DataFolderBusy where another process holds the folder. A `lock` that the caller already
    holds stays the caller's to release.
    """
    held = lock or DataLock(settings.data_dir)
    held.acquire()
    try:
        async with (
            open_core(settings) as core,
            open_checkpoints(
                settings.data_dir / RUNS_FILE, settings.synchronous, core.builder.nodes
            ) as checkpoints,
        ):
            graph = core.builder.compile(checkpointer=checkpoints, name="ask")
            yield OpenServices(graph, core.library, core.indexer, core.searcher, core.models, held)
    finally:
        if lock is None:
            held.release()


def _reranker(settings: Settings) -> tuple[Reranker | None, bool]:
    """Return the configured reranker, or the default one where its weights can't be had."""
    if settings.reranker == "none":
        return None, False
    if settings.reranker == "bge":
        try:
            return BgeReranker(settings.bge_model), False
        except RerankerUnavailable as error:
            logger.warning("the bge reranker is unavailable, the default is used: %s", error)
            return LexicalReranker(), True
    return LexicalReranker(), False


async def _reasoner(settings: Settings, embedder: Embedder, stack: AsyncExitStack) -> Reasoner:
    local = LocalReasoner(embedder)
    if not settings.uses_llm:
        return local
    key = settings.openai_api_key
    chat = OpenAIChat(
        settings.llm_model,
        api_key=key.get_secret_value() if key else None,
        base_url=settings.openai_base_url,
        timeout=settings.llm_timeout_seconds,
        retries=settings.llm_retries,
    )
    stack.push_async_callback(chat.aclose)
    return CascadeReasoner(LLMReasoner(chat, local, settings.llm_context), local)


def _names(models: Models) -> dict[str, str]:
    return {
        "embedder": models.embedder,
        "reranker": models.reranker,
        "reasoner": models.reasoner,
        "calibration": models.calibration,
    }
