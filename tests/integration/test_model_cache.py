"""Replies and vectors that are kept: never for another owner, prompt, model or state of the documents."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from scripted_openai import Reply, ScriptedOpenAI, serve

from app.adapters.embed_kept import KeptEmbedder
from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.adapters.llm_cached import CachedChat
from app.adapters.llm_openai import OpenAIChat
from app.adapters.model_cache import ModelCache
from app.ingest.indexing import Indexer
from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import open_core
from graphs.errors import ModelUnavailable
from graphs.ports import Matrix
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import Message
from graphs.reasoners.llm_schemas import CheckOut, QueriesOut

MESSAGES: list[Message] = [("system", "s"), ("user", "u")]
QUERIES = {"main": "真空泵", "more": []}


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with serve() as script:
        yield script


@pytest_asyncio.fixture
async def library(tmp_path: Path, embedder: UseEmbedder) -> Any:
    library = StoredLibrary(tmp_path, embedder)
    await library.create("plant")
    yield library
    library.close()


@pytest.fixture
def cache(library: StoredLibrary) -> ModelCache:
    return ModelCache(library.stores.database, days=1)


@pytest_asyncio.fixture
async def chat(server: ScriptedOpenAI, cache: ModelCache) -> Any:
    inner = OpenAIChat("m", base_url=server.url, timeout=2, retries=0)
    yield CachedChat(inner, cache)
    await inner.aclose()


def meter(library: StoredLibrary, owner: str = "local", kb: str = "plant") -> Meter:
    version = library.stores.catalogue.generation("plant")
    return Meter(10, 10_000, time.time() + 20, owner=owner, kb=kb, kb_version=version)


async def drawn(chat: CachedChat, spent: Meter) -> str:
    return "".join([piece async for piece in chat.stream(MESSAGES, 50, spent)])


async def test_same_call_is_made_once(
    server: ScriptedOpenAI, chat: CachedChat, cache: ModelCache, library: StoredLibrary
) -> None:
    server.script(QUERIES, "第一句。[P1]\n")
    for time_ in range(3):
        spent = meter(library)
        assert (await chat.complete(MESSAGES, QueriesOut, 50, spent)).main == "真空泵"
        assert await drawn(chat, spent) == "第一句。[P1]\n"
        assert (spent.calls, spent.cached) == ((2, 0) if time_ == 0 else (0, 2))
    assert len(server.requests) == 2
    assert cache.counts("local")["replies"] == {"rows": 2, "hits": 4}


async def test_another_owner_prompt_limit_or_schema_is_another_call(
    server: ScriptedOpenAI, chat: CachedChat, library: StoredLibrary
) -> None:
    check = {"verdicts": [], "useful": 3}
    server.script(QUERIES, QUERIES, QUERIES, QUERIES, check)
    other: list[Message] = [("system", "s"), ("user", "U")]
    await chat.complete(MESSAGES, QueriesOut, 50, meter(library))
    await chat.complete(MESSAGES, QueriesOut, 50, meter(library, owner="alice"))
    await chat.complete(other, QueriesOut, 50, meter(library))
    await chat.complete(MESSAGES, QueriesOut, 51, meter(library))
    await chat.complete(MESSAGES, CheckOut, 50, meter(library))
    assert len(server.requests) == 5


async def test_nothing_is_kept_without_a_knowledge_base_or_temperature_0(
    server: ScriptedOpenAI, chat: CachedChat, library: StoredLibrary, cache: ModelCache
) -> None:
    server.script(*[QUERIES] * 4)
    for _ in range(2):
        await chat.complete(MESSAGES, QueriesOut, 50, meter(library, kb=""))
    server.refuse = lambda body: "no temperature" if "temperature" in body else None
    for _ in range(2):
        await chat.complete(MESSAGES, QueriesOut, 50, meter(library))
    assert len(server.requests) == 5
    assert cache.counts("local")["replies"]["rows"] == 0


async def test_change_of_the_documents_forgets_what_was_said_of_them(
    server: ScriptedOpenAI, chat: CachedChat, cache: ModelCache, library: StoredLibrary
) -> None:
    server.script(QUERIES, QUERIES, QUERIES)
    before = meter(library)
    await chat.complete(MESSAGES, QueriesOut, 50, before)
    await Indexer(library).ingest("plant", [Source("a.md", "# 泵\n泵每年检修。".encode())])
    assert cache.counts("local")["replies"]["rows"] == 0
    await chat.complete(MESSAGES, QueriesOut, 50, before)  # a question that began before
    assert cache.counts("local")["replies"]["rows"] == 0
    await chat.complete(MESSAGES, QueriesOut, 50, meter(library))
    assert cache.counts("local")["replies"]["rows"] == 1
    await library.delete("plant")
    assert cache.counts("local")["replies"]["rows"] == 0


async def test_cut_stream_is_not_kept(
    server: ScriptedOpenAI, chat: CachedChat, cache: ModelCache, library: StoredLibrary
) -> None:
    server.script(Reply("halber Satz", cut=True), "ganzer Satz")
    with pytest.raises(ModelUnavailable):
        await drawn(chat, meter(library))
    assert cache.counts("local")["replies"]["rows"] == 0
    assert await drawn(chat, meter(library)) == "ganzer Satz"


def test_old_and_too_many_rows_leave(library: StoredLibrary) -> None:
    cache = ModelCache(library.stores.database, days=1, most=60)
    version = library.stores.catalogue.generation("plant")
    for number in range(100):
        cache.keep_reply("local", f"k{number}", "plant", version, "x")
    assert cache.counts("local")["replies"]["rows"] == 60
    assert cache.reply("local", "k0") is None
    assert cache.reply("local", "k99") == "x"
    with library.stores.database.write() as connection:
        connection.execute("UPDATE model_replies SET used = used - 90000")
    assert cache.reply("local", "k99") is None


class Counting:
    fingerprint, dimension = "server-1", 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Any) -> Matrix:
        self.asked += texts
        return np.array([[len(text), 1.0, 0.5] for text in texts], dtype=np.float32)


def test_vectors_of_a_server_are_asked_for_once_and_by_owner(cache: ModelCache) -> None:
    server = Counting()
    mine, hers = KeptEmbedder(server, cache, "local"), KeptEmbedder(server, cache, "alice")
    first = mine.embed(["泵", "阀门", "泵"])
    assert server.asked == ["泵", "阀门"]
    again = KeptEmbedder(server, cache, "local").embed(["阀门", "泵", "风机"])
    assert server.asked == ["泵", "阀门", "风机"]
    assert (again[:2] == first[[1, 0]]).all()
    hers.embed(["泵"])
    assert server.asked[-1] == "泵"
    assert cache.counts("local")["vectors"] == {"rows": 3, "hits": 2}
    assert mine.embed([]).shape == (0, 3)


async def test_question_asked_again_costs_nothing_until_a_document_changes(
    server: ScriptedOpenAI, tmp_path: Path
) -> None:
    text = "# 水泵\n\n水泵每年检修一次。检修由张班长负责。\n"
    server.script(*[Reply("水泵每年检修一次。[P1]\n", when="You answer") for _ in range(3)])
    settings = Settings(
        _env_file=None, data_dir=tmp_path, llm="on", llm_model="m", openai_base_url=server.url,
        sure_from=0.0, sure_below=0.0,
    )  # type: ignore[call-arg]  # fmt: skip
    async with open_core(settings) as core:
        await core.indexer.ingest("plant2", [Source("a.md", text.encode())])
        graph = core.builder.compile()

        async def ask() -> dict[str, Any]:
            asked = {"question": "水泵多久检修一次？", "kb": "plant2"}
            return dict((await graph.ainvoke(asked))["result"])

        first, second = await ask(), await ask()
        assert first["answer"] == second["answer"]
        assert first["status"] == second["status"] == "answered"
        assert (first["usage"]["llm_calls"], first["usage"]["cache_hits"]) == (1, 0)
        assert (second["usage"]["llm_calls"], second["usage"]["cache_hits"]) == (0, 1)
        assert second["usage"]["input_tokens"] == 0
        await core.indexer.ingest("plant2", [Source("b.md", "# 阀\n阀门每季检查。\n".encode())])
        assert (await ask())["usage"]["llm_calls"] == 1
