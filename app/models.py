"""The models that the settings name: loaded, or replaced where the product can do without."""

import asyncio
import logging
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from app.adapters.database import Database
from app.adapters.embed_bge import BgeEmbedder
from app.adapters.embed_cached import CachedEmbedder
from app.adapters.embed_kept import KeptEmbedder
from app.adapters.embed_levelled import Level, LevelledEmbedder
from app.adapters.embed_openai import OpenAIEmbedder
from app.adapters.embed_tolerant import TolerantEmbedder
from app.adapters.embed_use import UseEmbedder
from app.adapters.llm_budget import Limits, ServerBudget
from app.adapters.llm_cached import CachedChat
from app.adapters.llm_guard import CallGuard
from app.adapters.llm_openai import OpenAIChat
from app.adapters.model_cache import OWNER, ModelCache
from app.adapters.rerank_bge import BgeReranker
from app.adapters.rerank_lexical import LexicalReranker
from app.settings import Settings
from graphs.errors import RerankerUnavailable
from graphs.evidence.ranker import SHIPPED, Ranker
from graphs.ports import Embedder, ListwiseReranker, Reranker
from graphs.reasoners.llm_rerank import LLMReranker

logger = logging.getLogger(__name__)

Chat = OpenAIChat | CachedChat

_BGE_M3 = "BAAI/bge-m3"
_QUESTION_PATIENCE = 8.0
"""Seconds that a question waits for the embeddings server before it goes on by words alone."""


@dataclass(frozen=True, slots=True)
class Standin:
    """A part that does not run as it is configured, and what runs instead."""

    part: str
    configured: str
    used: str
    reason: str


@dataclass(frozen=True, slots=True)
class Embedders:
    """One model for two kinds of work: `indexing` fails loudly, `asking` goes on without meaning."""

    indexing: Embedder
    asking: TolerantEmbedder
    server: Embedder | None = None
    """What asks a server behind `asking`; None where the model runs here."""

    def keeping(self, cache: ModelCache) -> "Embedders":
        """Return the same models with a server's vectors of questions kept."""
        if self.server is None:
            return self
        kept = KeptEmbedder(self.server, cache, OWNER)
        return replace(self, asking=TolerantEmbedder(CachedEmbedder(kept)))

    def standins(self) -> list[Standin]:
        """Return what questions do without at the moment."""
        if not (reason := self.asking.silent_because):
            return []
        return [Standin("embedder", self.indexing.fingerprint, "keyword search alone", reason)]


@dataclass(frozen=True, slots=True)
class Rerankers:
    """`standby` scores where `scoring` fails; a list in fused order is scored all the same."""

    scoring: Reranker
    standby: Reranker | None = None
    listwise: ListwiseReranker | None = None
    standins: tuple[Standin, ...] = ()
    keeps_fused_order: bool = False

    @property
    def ranker(self) -> Ranker | None:
        """What orders the passages that the default reranker scores; a model orders its own."""
        if self.keeps_fused_order or not isinstance(self.scoring, LexicalReranker):
            return None
        return SHIPPED

    @property
    def name(self) -> str:
        """What the answer calls it."""
        if self.listwise is not None:
            return self.listwise.fingerprint
        return "none" if self.keeps_fused_order else self.scoring.fingerprint


@dataclass(frozen=True, slots=True)
class Loaded:
    """The models of one data folder. `names` is what answers report."""

    names: dict[str, str]
    embedders: Embedders
    rerankers: Rerankers
    chat: Chat | None = None

    def standins(self) -> list[Standin]:
        """Return what does not run as it is configured."""
        found = [*self.rerankers.standins, *self.embedders.standins()]
        if self.chat is not None and (reason := self.chat.silent_because):
            found.append(Standin("reasoner", self.chat.name, "embedded", reason))
        return found


def open_embedders(settings: Settings, stack: AsyncExitStack) -> Embedders:
    """Load the embedder. Raises EmbedderUnavailable: stored vectors can't be read with another."""
    if settings.embedder == "use":
        use = UseEmbedder()
        use.load()
        return Embedders(use, TolerantEmbedder(CachedEmbedder(use)))
    if settings.embedder == "bge-m3":
        bge = BgeEmbedder(settings.embedder_model or _BGE_M3)
        local = LevelledEmbedder(bge, Level.measure(bge))
        return Embedders(local, TolerantEmbedder(CachedEmbedder(local)))
    base_url, key = settings.embeddings_server
    remote = OpenAIEmbedder(
        settings.embedder_model,
        api_key=key.get_secret_value() if key else None,
        base_url=base_url,
        timeout=settings.embedder_timeout_seconds,
        retries=settings.embedder_retries,
        batch=settings.embedder_batch,
    )
    stack.callback(remote.close)
    level = Level.measure(remote)
    asking = LevelledEmbedder(remote.hurried(_QUESTION_PATIENCE), level)
    cached = TolerantEmbedder(CachedEmbedder(asking))
    return Embedders(LevelledEmbedder(remote, level), cached, server=asking)


def open_cache(settings: Settings, database: Database) -> ModelCache | None:
    """Return where models' replies and vectors are kept, or None where nothing is to be."""
    return ModelCache(database, settings.llm_cache_days) if settings.llm_cache else None


def open_chat(
    settings: Settings, stack: AsyncExitStack, database: Database | None = None
) -> OpenAIChat | None:
    """Return the language model, or None where none is configured.

    `database` keeps what a day has cost; without it there is no budget of the whole server.
    """
    if not settings.uses_llm:
        return None
    key = settings.openai_api_key
    chat = OpenAIChat(
        settings.llm_model,
        api_key=key.get_secret_value() if key else None,
        base_url=settings.openai_base_url,
        timeout=settings.llm_timeout_seconds,
        retries=settings.llm_retries,
        concurrency=settings.llm_concurrency,
        guard=CallGuard(budget=_budget(settings, database) if database else None),
    )
    stack.push_async_callback(chat.aclose)
    return chat


def _budget(settings: Settings, database: Database) -> ServerBudget:
    limits = Limits(settings.llm_day_calls, settings.llm_day_tokens, settings.llm_day_seconds)
    return ServerBudget(database, limits)


async def open_rerankers(settings: Settings, chat: Chat | None) -> Rerankers:
    """Load the reranker; where its model can't be had, the default one takes its place."""
    default = LexicalReranker()
    if settings.reranker == "none":
        return Rerankers(default, keeps_fused_order=True)
    if settings.reranker == "lexical":
        return Rerankers(default)
    try:
        if settings.reranker == "bge":
            bge = await asyncio.to_thread(BgeReranker, settings.bge_model)
            return Rerankers(bge, standby=default)
        return Rerankers(default, listwise=_listwise(settings, chat))
    except RerankerUnavailable as error:
        standin = Standin("reranker", settings.reranker, default.fingerprint, str(error))
        logger.warning("the %s reranker is unavailable, the default is used: %s", *_told(standin))
        return Rerankers(default, standins=(standin,))


def _listwise(settings: Settings, chat: Chat | None) -> LLMReranker:
    if chat is None:
        raise RerankerUnavailable(
            "no language model is configured; set YOUJU_LLM_MODEL with OPENAI_API_KEY or "
            "OPENAI_BASE_URL, or YOUJU_RERANKER=lexical"
        )
    return LLMReranker(
        chat,
        settings.llm_context,
        settings.rerank_depth,
        settings.rerank_window,
        settings.rerank_step,
    )


def _told(standin: Standin) -> tuple[str, str]:
    return standin.configured, standin.reason
