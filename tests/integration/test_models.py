"""The whole service with other embedders and rerankers than the default ones, and without them."""

import asyncio
import re
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from embeddings_server import EmbeddingsServer
from embeddings_server import serve as serve_embeddings
from scripted_openai import Reply, ScriptedOpenAI
from scripted_openai import serve as serve_model

from app.adapters.embed_tolerant import TolerantEmbedder
from app.commands import inside
from app.settings import Settings
from graphs.errors import EmbedderUnavailable

TRAVEL = Path(__file__).parents[2] / "examples" / "travel_policy"
QUESTION = "航班因天气取消，酒店费用报销多少？"
ENGLISH = "What share of hotel costs is reimbursed when a flight is cancelled because of weather?"
RERANK = "You put passages"
STATES = "100 % of the hotel costs"
NOT_HERE = "/no/such/folder"


@pytest.fixture
def embeddings() -> Iterator[EmbeddingsServer]:
    with serve_embeddings() as server:
        yield server


@pytest.fixture
def model() -> Iterator[ScriptedOpenAI]:
    with serve_model() as script:
        yield script


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with the travel policies, made with the default models."""
    folder = tmp_path_factory.mktemp("made")

    async def make() -> None:
        async with service(folder) as client:
            assert (await fill(client)).status_code == 200

    asyncio.run(make())
    return folder


@pytest.fixture
def data_dir(made: Path, tmp_path: Path) -> Path:
    """Return a copy of its own of that folder."""
    return shutil.copytree(made, tmp_path / "data")


@asynccontextmanager
async def service(data_dir: Path, **more: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Open the service on a data folder and yield a client of its HTTP contract."""
    settings = Settings(
        _env_file=None, **{"data_dir": data_dir, "default_kb": "travel", "llm": "off"} | more
    )  # type: ignore[call-arg]
    async with inside.running(settings) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://youju") as client:
            yield client


def over_http(server: EmbeddingsServer) -> dict[str, Any]:
    return {
        "embedder": "openai", "embedder_model": "served", "embedder_base_url": server.url,
        "embedder_retries": 0, "embedder_timeout_seconds": 5,
    }  # fmt: skip


async def fill(client: httpx.AsyncClient) -> httpx.Response:
    files = [("files", (f.name, f.read_bytes())) for f in sorted(TRAVEL.glob("policy-*"))]
    return await client.post("/kb/travel/documents", files=files)


async def ask(client: httpx.AsyncClient, question: str = QUESTION) -> dict[str, Any]:
    reply = await client.post("/ask", json={"question": question})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


async def search(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    reply = await client.post("/kb/travel/search", json={"query": QUESTION, "top_k": 10})
    assert reply.status_code == 200, reply.text
    return list(reply.json()["hits"])


async def search_warnings(client: httpx.AsyncClient, query: str) -> list[dict[str, str]]:
    reply = await client.post("/kb/travel/search", json={"query": query})
    assert reply.status_code == 200, reply.text
    assert reply.json()["hits"]
    return list(reply.json()["warnings"])


def warned(answer: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in answer["warnings"]}


def said(answer: dict[str, Any]) -> tuple[Any, ...]:
    quotes = [(c["document_id"], c["start"], c["end"]) for c in answer["citations"]]
    return answer["status"], [s["text"] for s in answer["statements"]], quotes


async def degraded(client: httpx.AsyncClient) -> list[dict[str, str]]:
    reply = await client.get("/readyz")
    assert (reply.status_code, reply.json()["status"]) == (200, "ready")
    return list(reply.json()["degraded"])


async def test_knowledge_base_of_another_embedder_is_refused_with_the_command_that_mends_it(
    data_dir: Path, embeddings: EmbeddingsServer
) -> None:
    async with service(data_dir, **over_http(embeddings)) as client:
        assert (await client.get("/readyz")).status_code == 200
        question = {"question": QUESTION}
        for reply in (
            await client.post("/ask", json=question),
            await client.post("/kb/travel/search", json={"query": QUESTION}),
            await fill(client),
        ):
            assert reply.status_code == 409
            assert reply.json()["error"]["code"] == "kb_needs_reindex"
            assert "youju reindex --kb travel" in reply.json()["error"]["message"]
            assert "Stop the service first" in reply.json()["error"]["hint"]


async def test_answers_over_an_embeddings_server_are_those_of_the_same_vectors(
    tmp_path: Path, data_dir: Path, embeddings: EmbeddingsServer
) -> None:
    async with service(data_dir) as client:
        expected = await ask(client)
    async with service(tmp_path / "served", **over_http(embeddings)) as client:
        assert (await fill(client)).json()["files"][0]["outcome"] == "added"
        answer = await ask(client)
        assert await degraded(client) == []
    assert expected["status"] == "answered"
    assert said(answer) == said(expected)
    assert answer["models"]["embedder"].startswith("openai:served-512")


async def test_embeddings_server_that_is_down_leaves_keyword_search_and_comes_back(
    tmp_path: Path, embeddings: EmbeddingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.models.TolerantEmbedder", partial(TolerantEmbedder, rest=0.0))
    async with service(tmp_path, **over_http(embeddings)) as client:
        await fill(client)
        embeddings.down = True
        answer = await ask(client, ENGLISH)
        assert "dense_unavailable" in warned(answer)
        assert answer["retrievals"][0]["hits"] > 0
        assert STATES in answer["answer"]
        [warning] = await search_warnings(client, ENGLISH)
        assert warning["code"] == "dense_unavailable"
        assert warning["message"].startswith("The vector index is unavailable")
        [standin] = await degraded(client)
        assert (standin["part"], standin["used"]) == ("embedder", "keyword search alone")
        refused = await client.post(
            "/kb/travel/documents", files=[("files", ("new.md", b"# New\n\nA new rule applies."))]
        )
        assert (refused.status_code, refused.json()["error"]["code"]) == (
            503,
            "embedder_unavailable",
        )
        embeddings.down = False
        answer = await ask(client, ENGLISH)
        assert "dense_unavailable" not in warned(answer)
        assert await search_warnings(client, ENGLISH) == []
        assert await degraded(client) == []


async def test_start_without_the_embeddings_server_fails_and_names_the_setting(
    tmp_path: Path, embeddings: EmbeddingsServer
) -> None:
    settings = over_http(embeddings) | {"embedder_base_url": "http://127.0.0.1:9/v1"}
    with pytest.raises(EmbedderUnavailable, match="YOUJU_EMBEDDER_BASE_URL"):
        async with service(tmp_path, **settings):
            pass


@pytest.mark.parametrize(
    ("configured", "reason"),
    [
        ({"reranker": "bge", "bge_model": NOT_HERE}, "YOUJU_BGE_MODEL"),
        ({"reranker": "llm"}, "YOUJU_LLM_MODEL"),
    ],
    ids=["bge", "llm"],
)
async def test_reranker_that_cannot_be_had_is_replaced_and_told(
    data_dir: Path, configured: dict[str, Any], reason: str
) -> None:
    async with service(data_dir, **configured) as client:
        [standin] = await degraded(client)
        assert standin["part"] == "reranker"
        assert standin["configured"] == configured["reranker"]
        assert reason in standin["reason"]
        answer = await ask(client)
        assert answer["status"] == "answered"
        assert "reranker_fallback" in warned(answer)
        assert answer["models"]["reranker"] == standin["used"]
        [warning] = await search_warnings(client, QUESTION)
        assert warning["code"] == "reranker_fallback"
        assert warning["message"].startswith("所配置的重排模型不可用")


async def test_default_reranker_stands_in_for_nothing(data_dir: Path) -> None:
    async with service(data_dir) as client:
        assert await degraded(client) == []
        assert "reranker_fallback" not in warned(await ask(client))


async def test_without_a_reranker_the_fused_order_stands(data_dir: Path) -> None:
    async with service(data_dir, reranker="none") as client:
        hits = await search(client)
        assert (await ask(client))["models"]["reranker"] == "none"
        assert await degraded(client) == []
    async with service(data_dir) as client:
        reranked = await search(client)
    fused = [hit["stages"]["fused"]["score"] for hit in hits]
    assert fused == sorted(fused, reverse=True)
    assert [hit["passage"] for hit in hits] != [hit["passage"] for hit in reranked]
    scores = {hit["passage"]: hit["score"] for hit in reranked}
    common = [hit for hit in hits if hit["passage"] in scores]
    assert len(common) > 3
    assert all(hit["score"] == scores[hit["passage"]] for hit in common)


@pytest.mark.parametrize(
    ("question", "states"),
    [
        (QUESTION, "100 %"),
        (ENGLISH, "100 %"),
        (
            "My flight is late. From how many hours of delay does the company pay a hotel?",
            "6 hours",
        ),
        ("What is the hotel limit per night in Singapore?", "240"),
    ],
)
async def test_gates_judge_alike_without_a_reranker(
    data_dir: Path, question: str, states: str
) -> None:
    async with service(data_dir, reranker="none") as client:
        answer = await ask(client, question)
    assert answer["status"] == "answered"
    assert states in answer["answer"]


async def test_without_a_reranker_a_missing_answer_is_still_told(data_dir: Path) -> None:
    async with service(data_dir, reranker="none") as client:
        assert (await ask(client, "What is the penalty for losing a laptop?"))["status"] == (
            "insufficient"
        )


def with_model(server: ScriptedOpenAI) -> dict[str, Any]:
    return {
        "reranker": "llm", "llm": "on", "llm_model": "scripted", "openai_base_url": server.url,
        "llm_context": 16_000, "llm_retries": 0,
    }  # fmt: skip


def shown(prompt: str) -> list[tuple[int, str]]:
    user = prompt[prompt.rindex("Passages:\n") :]
    found = re.findall(r"<passage n=(\d+)[^>]*>\n(.*?)\n</passage>", user, re.DOTALL)
    return [(int(number), text) for number, text in found]


def last_first(prompt: str) -> dict[str, Any]:
    numbers = [number for number, _ in shown(prompt)]
    grades = {number: 5 if number == numbers[-1] else 2 for number in numbers}
    return {
        "ranking": [{"passage": n, "relevance": grades[n]} for n in reversed(numbers)],
    }


async def test_language_model_puts_the_passages_in_order_with_one_call(
    data_dir: Path, model: ScriptedOpenAI
) -> None:
    async with service(data_dir, **with_model(model)) as client:
        before = await search(client)  # the script is empty: the default order stands
        model.requests.clear()
        model.script(Reply(last_first, when=RERANK))
        hits = await search(client)
    assert len(model.requests) == 1
    assert hits[0]["score"] == pytest.approx(0.9)
    read = shown("\n".join(str(m["content"]) for m in model.requests[0]["messages"]))
    assert len(read) > 3
    assert hits[0]["text"].startswith(read[-1][1][:20])
    assert hits[0]["passage"] != before[0]["passage"]


async def test_calls_of_the_reranker_are_booked_to_the_question(
    data_dir: Path, model: ScriptedOpenAI
) -> None:
    def right_first(prompt: str) -> dict[str, Any]:
        order = sorted(shown(prompt), key=lambda entry: STATES not in entry[1])
        return {
            "ranking": [
                {"passage": n, "relevance": 5 if STATES in text else 2} for n, text in order
            ]
        }

    async with service(data_dir, **with_model(model)) as client:
        model.script(*[Reply(right_first, when=RERANK, usage=(700, 50))] * 3)
        answer = await ask(client)
    spent = answer["usage"]["nodes"]["retrieve_initial"]
    assert (spent["calls"], spent["input_tokens"], spent["output_tokens"]) == (1, 700, 50)
    assert "reranker_fallback" not in warned(answer)
    assert answer["models"]["reranker"] == "llm:scripted"
    assert answer["status"] == "answered"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(status=500, when=RERANK),
        Reply("I can't do that.", when=RERANK),
        Reply({"ranking": [{"passage": 99, "relevance": 5}]}, when=RERANK),
        Reply({"ranking": []}, when=RERANK),
    ],
    ids=["down", "prose", "unknown-number", "empty"],
)
async def test_useless_model_leaves_the_default_order_and_is_told(
    data_dir: Path, model: ScriptedOpenAI, reply: Reply
) -> None:
    async with service(data_dir) as client:
        expected = [(hit["passage"], hit["score"]) for hit in await search(client)]
    async with service(data_dir, **with_model(model)) as client:
        model.script(*[reply] * 8)
        assert [(hit["passage"], hit["score"]) for hit in await search(client)] == expected
        assert [w["code"] for w in await search_warnings(client, QUESTION)] == ["reranker_fallback"]
        assert "reranker_fallback" in warned(await ask(client))


async def test_question_without_model_calls_left_keeps_the_default_order(
    data_dir: Path, model: ScriptedOpenAI
) -> None:
    async with service(data_dir, model_calls=0, **with_model(model)) as client:
        answer = await ask(client)
    assert not model.requests
    assert {"reranker_fallback", "budget_exhausted"} <= warned(answer)
    assert answer["status"] == "answered"
