"""The one place where ports meet their implementations."""

import asyncio
import contextlib
import logging
import math
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from app.adapters.checkpoints import open_checkpoints
from app.adapters.library import StoredLibrary
from app.adapters.llm_cached import CachedChat
from app.adapters.lock import DataLock
from app.adapters.tracing import silence_tracing
from app.adapters.web_pages import StoredWebPages
from app.adapters.web_search import open_web_search
from app.ingest.background import BackgroundMeter
from app.ingest.indexing import Indexer
from app.interpreter import keep_what_is_loaded, take_short_turns
from app.models import Chat, Loaded, Standin, open_cache, open_chat, open_embedders, open_rerankers
from app.runs import Graph
from app.searching import Searcher
from app.settings import Settings
from graphs import policy as rules
from graphs.ask.graph import AskGraph, Collaborators, build_graph
from graphs.ask.nodes.finalize import Models
from graphs.evidence import text
from graphs.evidence.calibration import ConfidenceModel
from graphs.ports import Embedder
from graphs.reasoners.base import Reasoner
from graphs.reasoners.cascade import CascadeReasoner
from graphs.reasoners.llm import LLMReasoner
from graphs.reasoners.local import LocalReasoner
from graphs.retrieval.hybrid import HybridSearch
from graphs.web_ports import Web

logger = logging.getLogger(__name__)

RUNS_FILE = "runs.sqlite"
REPAIR_SECONDS = 5.0
"""How long a start waits for repairs before it goes on beside them."""


@dataclass(frozen=True, slots=True)
class Core:
    """Everything behind the doors but the checkpointer."""

    library: StoredLibrary
    indexer: Indexer
    searcher: Searcher
    builder: AskGraph
    loaded: Loaded
    collaborators: Collaborators
    """What `builder` was built with."""

    @property
    def models(self) -> dict[str, str]:
        """Names of the models that take part."""
        return self.loaded.names


@dataclass(frozen=True, slots=True)
class OpenServices:
    """What the HTTP service and the CLI work with."""

    graph: Graph
    library: StoredLibrary
    indexer: Indexer
    searcher: Searcher
    loaded: Loaded
    policy: rules.Policy
    lock: DataLock

    @property
    def models(self) -> dict[str, str]:
        """Names of the models that take part."""
        return self.loaded.names

    def standins(self) -> list[Standin]:
        """Return what does not run as it is configured."""
        return self.loaded.standins()


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
        model_steps=settings.model_steps if settings.llm_cascade else 1_000,
        sure_below=settings.sure_below if settings.llm_cascade else 0.0,
        sure_from=settings.sure_from if settings.llm_cascade else math.inf,
        price_input=settings.llm_price_input,
        price_output=settings.llm_price_output,
        currency=settings.llm_currency,
    )


@asynccontextmanager
async def open_core(settings: Settings) -> AsyncIterator[Core]:
    """Load the models and open the stores. The caller holds the data folder's lock."""
    silence_tracing()
    take_short_turns()
    async with AsyncExitStack() as stack:
        embedders, _ = await asyncio.gather(
            asyncio.to_thread(open_embedders, settings, stack), asyncio.to_thread(text.load)
        )
        library = await asyncio.to_thread(
            StoredLibrary, settings.data_dir, embedders.indexing, settings.near_duplicate
        )
        stack.callback(library.close)
        server = open_chat(settings, stack, library.stores.database)
        chat: Chat | None = server
        if cache := open_cache(settings, library.stores.database):
            embedders = embedders.keeping(cache)
            chat = CachedChat(server, cache) if server else None
        indexing, asking = embedders.indexing, embedders.asking
        rerankers = await open_rerankers(settings, chat)
        reasoner = _reasoner(settings, asking, chat)
        confidence = ConfidenceModel()
        models = Models(
            embedder=indexing.fingerprint,
            reranker=rerankers.name,
            reasoner=reasoner.name,
            calibration=confidence.name,
            reranker_fallback=bool(rerankers.standins),
        )
        rules_ = policy_of(settings)
        search = HybridSearch(
            asking,
            rerankers.scoring,
            rules_,
            rerankers.standby,
            rerankers.listwise,
            rerankers.ranker,
            rerankers.keeps_fused_order,
        )
        measure = BackgroundMeter(library, rerankers.scoring, indexing).measure
        indexer = Indexer(library, max_bytes=settings.max_upload_bytes, measure_background=measure)
        stack.callback(indexer.close)
        bound = Collaborators(
            library, reasoner, search, rules_, models, confidence, _web(settings, library)
        )
        async with _repairing(indexer):
            loaded = Loaded(_names(models), embedders, rerankers, chat)
            searcher = Searcher(search, bool(rerankers.standins))
            keep_what_is_loaded()
            yield Core(library, indexer, searcher, build_graph(bound), loaded, bound)


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
            yield OpenServices(
                graph, core.library, core.indexer, core.searcher, core.loaded,
                core.collaborators.policy, held,
            )  # fmt: skip
    finally:
        if lock is None:
            held.release()


def _reasoner(settings: Settings, embedder: Embedder, chat: Chat | None) -> Reasoner:
    local = LocalReasoner(embedder)
    if chat is None:
        return local
    model = LLMReasoner(chat, local, settings.llm_context)
    return CascadeReasoner(model, local, sparing=settings.llm_cascade)


def _web(settings: Settings, library: StoredLibrary) -> Web | None:
    provider = open_web_search(settings)
    if provider is None:
        return None
    return Web(provider, StoredWebPages(library.stores.database), settings.web_results)


def _names(models: Models) -> dict[str, str]:
    return {
        "embedder": models.embedder,
        "reranker": models.reranker,
        "reasoner": models.reasoner,
        "calibration": models.calibration,
    }
