"""The whole graph with the LLM brain over HTTP and real stores, and each way in which it degrades."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from scripted_openai import Reply, ScriptedOpenAI, serve

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import open_core

TRAVEL = Path(__file__).parents[2] / "examples" / "travel_policy"
QUESTION = "航班因天气取消时，酒店费用报销多少？"
ANALYZE, GRADE = "You read questions", "You judge whether excerpts"
WRITE, CHECK = "You answer a question from passages", "You check statements"
STATES = "100 % of the hotel costs"


@pytest.fixture
def server() -> Iterator[ScriptedOpenAI]:
    with serve() as script:
        yield script


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder with the English travel policies."""
    folder = tmp_path_factory.mktemp("travel")

    async def fill() -> None:
        async with open_core(Settings(_env_file=None, data_dir=folder, llm="off")) as core:  # type: ignore[call-arg]
            files = sorted(TRAVEL.glob("policy-*"))
            await core.indexer.ingest("travel", [Source(f.name, f.read_bytes()) for f in files])

    asyncio.run(fill())
    return folder


@asynccontextmanager
async def asking(folder: Path, server: ScriptedOpenAI, **more: Any) -> AsyncIterator[Any]:
    """Yield a function that asks the travel knowledge base and returns the answer."""
    settings = Settings(
        _env_file=None, data_dir=folder, llm="on", llm_model="scripted", openai_base_url=server.url,
        llm_context=16_000, llm_timeout_seconds=2, **{"llm_cascade": False, **more},
    )  # type: ignore[call-arg]  # fmt: skip
    async with open_core(settings) as core:
        graph = core.builder.compile()

        async def ask(question: str = QUESTION) -> dict[str, Any]:
            state = await graph.ainvoke({"question": question, "kb": "travel"})
            return dict(state["result"])

        yield ask


def analysis(_: str) -> dict[str, Any]:
    def facet(kind: str, text: str, field: str = "") -> dict[str, Any]:
        return {
            "kind": kind, "text": text, "required": bool(field), "field": field, "sub_question": 0,
        }  # fmt: skip

    return {
        "language": "zh", "intent": "retrieve", "direct_reason": "", "question_resolved": QUESTION,
        "first_query": "航班 天气取消 酒店费用报销", "sub_questions": [],
        "facets": [facet("entity", "航班因天气取消"), facet("field", "酒店费用报销多少", "amount")],
    }  # fmt: skip


def numbers(prompt: str) -> tuple[list[int], int]:
    """Return the numbers of the passages in a prompt, and of the one that states the share."""
    user = prompt[prompt.rindex("Passages:\n") :]
    found = re.findall(r"<passage n=(\d+)[^>]*>\n(.*?)\n</passage>", user, re.DOTALL)
    right = next(int(n) for n, text in found if STATES in text)
    return [int(n) for n, _ in found], right


def grade(prompt: str) -> dict[str, Any]:
    shown, right = numbers(prompt)
    return {
        "facets": [{"facet": id_, "passages": [right]} for id_ in re.findall(r"(?m)^- (f\d+):", prompt)],
        "relevance": [5 if n == right else 2 for n in shown],
        "contradictions": [], "subject_found": True, "retrieve": False, "verdict": "answer", "reason": "写明了比例。",
    }  # fmt: skip


def draft(prompt: str) -> str:
    _, right = numbers(prompt)
    return f"航班因天气取消时，酒店费用按 100 % 报销。[P{right}]\n最多报销三晚。[P{right}]\n"


def verdicts(*supported: bool) -> dict[str, Any]:
    return {
        "verdicts": [
            {"index": i, "supported": s, "modality_kept": True}
            for i, s in enumerate(supported, start=1)
        ],
        "useful": 4,
    }


def script(server: ScriptedOpenAI, **changed: Any) -> None:
    replies = {"analyze": analysis, "grade": grade, "write": draft, "check": verdicts(True, True)}
    whens = {"analyze": ANALYZE, "grade": GRADE, "write": WRITE, "check": CHECK}
    for node, reply in (replies | changed).items():
        for item in reply if isinstance(reply, list) else [reply]:
            server.script(item if isinstance(item, Reply) else Reply(item))
            server.replies[-1].when = whens[node]


def codes(result: dict[str, Any]) -> set[str]:
    return {warning["code"] for warning in result["warnings"]}


async def test_model_answers_in_the_questions_language_with_quotes_in_the_sources(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server)
    async with asking(folder, server) as ask:
        result = await ask()
    assert result["status"] == "answered"
    assert result["path"] == [
        "analyze_query", "retrieve_initial", "grade_initial", "generate_initial", "check_initial",
        "finalize",
    ]  # fmt: skip
    assert [s["text"] for s in result["statements"]] == [
        "航班因天气取消时，酒店费用按 100 % 报销。",
        "最多报销三晚。",
    ]
    assert any(STATES in citation["quote"] for citation in result["citations"])
    assert result["usage"]["llm_calls"] == len(server.requests) == 4
    assert result["models"]["reasoner"] == "scripted"
    assert result["decisions"][0]["proposed"] == "answer"
    assert not codes(result) & {"graded_locally", "budget_exhausted"}


async def test_checker_removes_what_the_model_finds_unsupported(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server, check=verdicts(True, False))
    async with asking(folder, server) as ask:
        result = await ask()
    assert [s["text"] for s in result["statements"]] == [
        "航班因天气取消时，酒店费用按 100 % 报销。"
    ]
    assert "三晚" not in result["answer"]


async def test_number_that_stands_in_no_quote_is_dropped_whatever_the_model_says(
    folder: Path, server: ScriptedOpenAI
) -> None:
    def invented(prompt: str) -> str:
        return draft(prompt) + f"另有 80 欧元补贴。[P{numbers(prompt)[1]}]\n"

    script(server, write=invented)
    async with asking(folder, server) as ask:
        result = await ask()
    assert "80" not in result["answer"]
    assert len(result["statements"]) == 2


async def test_dead_model_server_gives_the_embedded_answer(
    folder: Path, server: ScriptedOpenAI
) -> None:
    english = (
        "How much of the hotel cost is reimbursed when a flight is cancelled because of weather?"
    )
    server.script(*[Reply(status=500) for _ in range(40)])
    async with asking(folder, server, llm_retries=0) as ask:
        result = await ask(english)
    assert result["status"] in ("answered", "partial")
    assert "100" in result["answer"]
    assert "graded_locally" in codes(result)
    assert result["usage"]["llm_calls"] == len(server.requests)


@pytest.mark.parametrize("node", ["analyze", "grade", "write", "check"])
@pytest.mark.parametrize("broken", ["rubbish", '{"language": 7}', Reply(status=401)])
async def test_one_broken_node_degrades_alone(
    folder: Path, server: ScriptedOpenAI, node: str, broken: Any
) -> None:
    if isinstance(broken, Reply):
        broken = Reply(status=broken.status)
    script(server, **{node: broken})
    async with asking(folder, server) as ask:
        result = await ask()
    assert result["status"] != "error"
    assert "graded_locally" in codes(result)


async def test_draft_that_breaks_off_ends_without_an_exception(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server, write=Reply(draft, cut=True, pieces=1000), check=verdicts(True, True))
    async with asking(folder, server) as ask:
        result = await ask()
    assert result["status"] in ("answered", "partial")
    assert "graded_locally" in codes(result)
    assert len(result["statements"]) >= 1


async def test_call_limit_ends_labelled_and_without_an_exception(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server)
    async with asking(folder, server, model_calls=2) as ask:
        result = await ask()
    assert len(server.requests) == 2
    assert "budget_exhausted" in codes(result)
    assert "graded_locally" not in codes(result)
    assert result["status"] in ("answered", "partial", "insufficient")


async def test_verdict_outside_the_words_is_reported_raw_without_any_statement(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server, grade=lambda prompt: grade(prompt) | {"verdict": "banana"})
    async with asking(folder, server) as ask:
        result = await ask()
    assert result["status"] == "error"
    assert result["statements"] == []
    assert "report_unrecognized" in result["path"]
    assert result["decisions"][0]["proposed"] == "banana"


async def test_cautious_verdict_searches_once_more(folder: Path, server: ScriptedOpenAI) -> None:
    script(server, grade=[lambda prompt: grade(prompt) | {"verdict": "rewrite"}, grade])
    server.script(
        Reply({"main": "flight cancelled weather hotel costs", "more": []}, when="search queries")
    )
    async with asking(folder, server) as ask:
        result = await ask()
    assert "rewrite_precise" in result["path"]
    assert result["retrievals"][1]["queries"] == ["flight cancelled weather hotel costs"]
    assert result["status"] == "answered"


# The cascade

ENGLISH = "How much of the hotel cost is reimbursed when a flight is cancelled because of weather?"


def english(prompt: str) -> str:
    return (
        "If a flight is cancelled because of weather, the company reimburses 100 % of the hotel costs "
        "that arise until the next available flight, for a maximum of three nights. "
        f"[P{numbers(prompt)[1]}]"
    )


async def test_plain_question_with_clear_evidence_costs_one_call(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server, write=english)
    async with asking(folder, server, llm_cascade=True) as ask:
        result = await ask(ENGLISH)
    assert result["status"] == "answered"
    assert asked_nodes(result) == {"generate_initial"}
    assert len(server.requests) == 1
    assert result["reflection"] == dict.fromkeys(("retrieve", "relevance", "supported", "useful"))


async def test_open_evidence_is_graded_by_the_model_over_excerpts(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server, write=english)
    async with asking(folder, server, llm_cascade=True, sure_from=1.0) as ask:
        result = await ask(ENGLISH)
    assert result["status"] == "answered"
    assert asked_nodes(result) == {"grade_initial", "generate_initial"}
    [graded] = [p for p in prompts(server) if GRADE in p]
    shown = re.findall(r"<passage n=\d+[^>]*>\n(.*?)\n</passage>", graded, re.DOTALL)
    assert 1 < len(shown) <= 6
    assert all(len(text.strip("…")) <= 160 for text in shown)
    reflection = result["reflection"]
    assert reflection["retrieve"] is False
    assert 2 < reflection["relevance"] < 5
    assert reflection["supported"] is None


async def test_other_language_is_always_looked_at_twice(
    folder: Path, server: ScriptedOpenAI
) -> None:
    script(server)
    async with asking(folder, server, llm_cascade=True) as ask:
        result = await ask()
    assert result["status"] == "answered"
    assert asked_nodes(result) == {"grade_initial", "generate_initial", "check_initial"}
    assert (result["reflection"]["supported"], result["reflection"]["useful"]) == (1.0, 4)


async def test_question_that_nothing_speaks_of_costs_no_call(
    folder: Path, server: ScriptedOpenAI
) -> None:
    async with asking(folder, server, llm_cascade=True) as ask:
        result = await ask("Which turbine blade alloy resists chloride corrosion at 600 degrees?")
    assert result["status"] == "insufficient"
    assert server.requests == []


async def test_second_round_takes_at_most_four_calls(folder: Path, server: ScriptedOpenAI) -> None:
    def doubting(prompt: str) -> dict[str, Any]:
        return grade(prompt) | {"verdict": "rewrite", "retrieve": True}

    def free(prompt: str) -> str:
        return f"Travellers stranded by weather get their hotel paid. [P{numbers(prompt)[1]}]"

    script(server, grade=[doubting, grade], write=free)
    server.script(Reply({"main": "weather hotel costs", "more": []}, when="search queries"))
    async with asking(folder, server, llm_cascade=True, sure_from=1.0) as ask:
        result = await ask(ENGLISH)
    assert asked_nodes(result) == {
        "grade_initial", "rewrite_precise", "grade_precise", "generate_precise",
    }  # fmt: skip
    assert len(server.requests) == 4
    assert "Stranded" not in result["answer"]  # only a model could judge it, and no call was left
    assert not codes(result) & {"graded_locally", "budget_exhausted"}


async def test_several_parts_are_analysed_by_the_model_and_rewritten_locally(
    folder: Path, server: ScriptedOpenAI
) -> None:
    def doubting(prompt: str) -> dict[str, Any]:
        return grade(prompt) | {"verdict": "rewrite", "retrieve": True}

    script(server, grade=[doubting, grade])
    two = "航班因天气取消时，酒店费用报销多少，餐费报销多少？"
    async with asking(folder, server, llm_cascade=True) as ask:
        result = await ask(two)
    assert "analyze_query" in asked_nodes(result)
    assert "rewrite_precise" in result["path"]
    assert "rewrite_precise" not in asked_nodes(result)
    assert len(server.requests) == 4


def asked_nodes(result: dict[str, Any]) -> set[str]:
    return {node for node, spent in result["usage"]["nodes"].items() if spent["calls"]}


def prompts(server: ScriptedOpenAI) -> list[str]:
    return ["\n".join(m["content"] for m in r["messages"]) for r in server.requests]
