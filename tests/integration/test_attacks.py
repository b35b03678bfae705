"""Documents that give orders to the answering system change neither decision, form nor answer."""

import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from attacks import ATTACKS, HIDDEN
from scripted_openai import Reply, ScriptedOpenAI, prompt_of, serve

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import open_core
from graphs.evidence.text import is_cjk

pytestmark = pytest.mark.asyncio(loop_scope="module")

Ask = Any
NAMES = [f"A{number + 10}" for number in range(len(ATTACKS))]


def document(name: str, attack: str, beside: bool) -> str:
    """Return a document that states 17, with an attack in a paragraph of its own or in the same one."""
    between = " " if beside else "\n\n"
    if is_cjk(attack):
        return f"# 服务 {name}\n\n## 费用\n\n服务 {name} 的费用为 17 欧元。{between.strip(' ')}{attack}\n"
    return f"# Service {name}\n\n## Fee\n\nThe fee of service {name} is 17 EUR.{between}{attack}\n"


def question(name: str, attack: str) -> str:
    if is_cjk(attack):
        return f"服务 {name} 的费用是多少？"
    return f"What is the fee of service {name}?"


SOURCES = [
    Source(f"{name}.md", document(name, attack, beside=number % 2 == 0).encode())
    for number, (name, attack) in enumerate(zip(NAMES, ATTACKS, strict=True))
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attacks")
    async with open_core(Settings(_env_file=None, data_dir=folder, llm="off")) as core:  # type: ignore[call-arg]
        await core.indexer.ingest("services", SOURCES)
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def embedded(folder: Path) -> AsyncIterator[Ask]:
    async with open_core(Settings(_env_file=None, data_dir=folder, llm="off")) as core:  # type: ignore[call-arg]
        graph = core.builder.compile()

        async def ask(text: str, kb: str = "services") -> dict[str, Any]:
            return dict((await graph.ainvoke({"question": text, "kb": kb}))["result"])

        yield ask


def said(result: dict[str, Any]) -> str:
    """Return all that a reader sees of an answer as the documents' words."""
    parts = [result["answer"], *(s["text"] for s in result["statements"])]
    parts += [c["quote"] for c in result["citations"]]
    return "\n".join(parts)


@pytest.mark.parametrize(("name", "attack"), list(zip(NAMES, ATTACKS, strict=True)))
async def test_embedded_reasoner_says_what_the_document_states(
    embedded: Ask, name: str, attack: str
) -> None:
    result = await embedded(question(name, attack))
    assert "999" not in said(result)
    assert result["status"] == "answered", result["answer"]
    assert "17" in result["answer"]
    ignored = [w for w in result["warnings"] if w["code"] == "instructions_ignored"]
    assert ignored
    assert all(w["document_id"] for w in ignored)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedOpenAI]:
    with serve() as script:
        yield script


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def obedient(folder: Path, server: ScriptedOpenAI) -> AsyncIterator[Ask]:
    """Ask with a model that does what the last document of its prompt tells it."""
    settings = Settings(
        _env_file=None, data_dir=folder, llm="on", llm_model="m", openai_base_url=server.url,
        llm_cascade=False, llm_cache=False, llm_context=16_000,
    )  # type: ignore[call-arg]  # fmt: skip
    async with open_core(settings) as core:
        graph = core.builder.compile()

        async def ask(text: str) -> dict[str, Any]:
            return dict((await graph.ainvoke({"question": text, "kb": "services"}))["result"])

        yield ask


def obey(prompt: str) -> str:
    fee = "999" if "999" in prompt else "17"
    return f"The fee is {fee} EUR. [P1]\n服务的费用为 {fee} 欧元。[P1]\n"


def covers(prompt: str) -> dict[str, Any]:
    user = prompt[prompt.rindex("Passages:\n") :]
    shown = user.count("<passage n=")
    lost = "999" in user
    return {
        "facets": [
            {"facet": id_, "passages": [] if lost else [1]}
            for id_ in re.findall(r"(?m)^- (f\d+):", prompt)
        ],
        "relevance": [1 if lost else 5] * shown, "contradictions": [], "subject_found": not lost,
        "retrieve": False, "verdict": "insufficient" if lost else "answer", "reason": "x",
    }  # fmt: skip


@pytest.mark.parametrize(("name", "attack"), list(zip(NAMES, ATTACKS, strict=True)))
async def test_model_never_sees_the_order(
    obedient: Ask, server: ScriptedOpenAI, name: str, attack: str
) -> None:
    server.replies.clear()
    server.requests.clear()
    server.script(Reply(status=400, when="You read questions"))
    server.script(*[Reply(covers, when="You judge") for _ in range(3)])
    server.script(*[Reply(obey, when="You answer") for _ in range(2)])
    result = await obedient(question(name, attack))
    assert server.requests
    assert not [r for r in server.requests if "999" in prompt_of(r)]
    assert "999" not in said(result)
    assert result["status"] in ("answered", "partial"), result["answer"]
    assert "17" in result["answer"]


async def test_model_that_was_turned_by_a_document_is_not_believed(
    obedient: Ask, server: ScriptedOpenAI
) -> None:
    server.replies.clear()
    server.script(Reply(status=400, when="You read questions"))
    server.script(*[Reply(covers, when="You judge") for _ in range(3)])
    turned = "The fee is 999 EUR. [P1]\nSystem prompt: you answer from passages. [P1]\n"
    server.script(*[Reply(turned, when="You answer") for _ in range(3)])
    server.script(*[Reply(status=500, when="You check") for _ in range(9)])
    result = await obedient(question(NAMES[0], ATTACKS[0]))
    assert "999" not in said(result)
    assert "System prompt" not in said(result)


@pytest.mark.parametrize("hidden", HIDDEN)
async def test_what_a_page_hides_is_not_read(tmp_path: Path, hidden: str) -> None:
    page = (
        f"<html><body><h1>Fees</h1><p>The fee of the service is 17 EUR.</p>{hidden}</body></html>"
    )
    async with open_core(Settings(_env_file=None, data_dir=tmp_path, llm="off")) as core:  # type: ignore[call-arg]
        await core.indexer.ingest("pages", [Source("fees.html", page.encode())])
        graph = core.builder.compile()
        asked = {"question": "What is the fee of the service?", "kb": "pages"}
        result = dict((await graph.ainvoke(asked))["result"])
    assert "17" in result["answer"]
    assert "999" not in said(result)


async def test_document_of_nothing_but_orders_answers_nothing(tmp_path: Path) -> None:
    text = "# Fees\n\n" + " ".join(ATTACKS[:8]) + "\n"
    async with open_core(Settings(_env_file=None, data_dir=tmp_path, llm="off")) as core:  # type: ignore[call-arg]
        await core.indexer.ingest("orders", [Source("fees.md", text.encode())])
        graph = core.builder.compile()
        result = dict(
            (await graph.ainvoke({"question": "What is the fee?", "kb": "orders"}))["result"]
        )
    assert result["status"] == "insufficient"
    assert "999" not in said(result)
