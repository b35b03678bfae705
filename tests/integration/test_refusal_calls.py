"""A refusal spends model calls on judging and searching, never on writing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_openai import Reply, ScriptedOpenAI, prompt_of, serve

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import open_core

ANALYZE, GRADE, QUERIES = "You read questions", "You judge whether excerpts", "search queries"
WRITE, CHECK = "You answer a question from passages", "You check statements"
QUESTION = "What is the penalty for losing a laptop?"
FILES = {
    "laptops.md": "# Laptops\n\nEvery employee gets a laptop. It is replaced after 4 years.\n",
    "kb.yaml": "contact: the service desk, 8830\n",
}
ANALYSIS = {
    "language": "en", "intent": "retrieve", "direct_reason": "", "question_resolved": QUESTION,
    "first_query": "penalty losing laptop", "sub_questions": [],
    "facets": [
        {"kind": "entity", "text": "laptop", "required": False, "field": "", "sub_question": 0},
        {"kind": "field", "text": "penalty for losing it", "required": True, "field": "amount",
         "sub_question": 0},
    ],
}  # fmt: skip


def nothing(prompt: str) -> dict[str, Any]:
    user = prompt[prompt.rindex("Passages:\n") :]
    shown = range(1, user.count("<passage n=") + 1)
    return {
        "facets": [{"facet": f, "passages": []} for f in ("f1", "f2")],
        "relevance": [2 for _ in shown],
        "contradictions": [], "subject_found": True, "retrieve": False, "verdict": "insufficient",
        "reason": "No passage names a penalty.",
    }  # fmt: skip


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with serve() as script:
        yield script


@pytest.mark.parametrize(("rounds", "judged"), [(0, 1), (1, 2), (2, 3)])
async def test_refusal_never_calls_the_generator(
    tmp_path: Path, server: ScriptedOpenAI, rounds: int, judged: int
) -> None:
    server.script(Reply(ANALYSIS, when=ANALYZE))
    server.script(*[Reply(nothing, when=GRADE) for _ in range(4)])
    server.script(
        *[Reply({"main": f"laptop loss {n}", "more": []}, when=QUERIES) for n in range(4)]
    )
    # a draft lies ready, so that a generator that is called would be heard
    server.script(*[Reply("The penalty is 500 euros. [P1]\n", when=WRITE) for _ in range(4)])
    settings = Settings(
        _env_file=None, data_dir=tmp_path, llm="on", llm_model="scripted",
        openai_base_url=server.url, llm_context=16_000, llm_timeout_seconds=5, llm_cascade=False, llm_cache=False,
    )  # type: ignore[call-arg]  # fmt: skip
    async with open_core(settings) as core:
        sources = [Source(name, text.encode()) for name, text in FILES.items()]
        await core.indexer.ingest("office", sources)
        graph = core.builder.compile()
        asked = {"question": QUESTION, "kb": "office", "options": {"max_rounds": rounds}}
        result = (await graph.ainvoke(asked))["result"]
    assert result["status"] == "insufficient"
    said = [prompt_of(request) for request in server.requests]
    calls = {name: sum(name in prompt for prompt in said) for name in (WRITE, CHECK, GRADE)}
    assert calls == {WRITE: 0, CHECK: 0, GRADE: judged}
    assert not any(node.startswith(("generate", "check")) for node in result["path"])
    assert result["usage"]["llm_calls"] == len(said)
    assert result["statements"] == result["citations"] == []
    assert "500" not in result["answer"]
    assert result["answer"].endswith("Whom to ask: the service desk, 8830\n")
    assert result["answer"].count("(new passages: ") == len(result["retrievals"])
