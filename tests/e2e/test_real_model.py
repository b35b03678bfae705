"""The whole service with a real model server: what travels, not how clever a model of 135 M is."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from cli_process import YOUJU, Served, serving

from benchmarks.model_server import Running, running

TEXT = """# Pump manual

## Overhaul
The feed pump is overhauled every 24 months. The shift leader signs the record.

## Oil
The oil of the feed pump is changed every 4000 hours.
"""
QUESTION = "How often is the feed pump overhauled?"
QUESTIONS = [
    QUESTION, "How often is the oil of the feed pump changed?", "Who signs the record of the overhaul?",
    "What colour is the feed pump?", "What does the feed pump cost?", "When is the oil changed?",
    "How often is the pump overhauled and who signs?", "Where does the feed pump stand?",
]  # fmt: skip
STATUSES = {"answered", "partial", "insufficient"}


@pytest.fixture(scope="module")
def model() -> Iterator[Running]:
    with running() as server:
        yield server


def service(folder: Path, model: Running, **more: str) -> Any:
    settings = {
        "YOUJU_LLM": "on", "YOUJU_LLM_MODEL": "smollm2", "OPENAI_BASE_URL": f"{model.address}/v1",
        "YOUJU_LLM_CONTEXT": "2048", "YOUJU_LLM_TIMEOUT_SECONDS": "60", "YOUJU_QUESTION_SECONDS": "120",
        "YOUJU_LLM_CACHE": "false",
    }  # fmt: skip
    return serving(folder / "data", [YOUJU, "serve", "--port", "0"], **(settings | more))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, model: Running) -> Iterator[Served]:
    with service(tmp_path_factory.mktemp("model"), model) as served:
        filled(served)
        yield served


def filled(served: Served) -> None:
    files = {"file": ("pump.md", TEXT.encode(), "text/markdown")}
    response = httpx.post(f"{served.address}/kb/pumps/documents", files=files, timeout=60)
    assert response.is_success, response.text


def ask(served: Served, question: str) -> dict[str, Any]:
    body = {"kb": "pumps", "question": question}
    response = httpx.post(f"{served.address}/ask", json=body, timeout=150)
    assert response.status_code == 200, response.text
    return dict(response.json())


def stream(served: Served, question: str, killed: Running | None = None) -> list[dict[str, Any]]:
    """Return all events; `killed` dies half a second after a draft has begun."""
    events: list[dict[str, Any]] = []
    body = {"kb": "pumps", "question": question}
    accept = {"Accept": "text/event-stream"}
    with httpx.stream(
        "POST", f"{served.address}/ask", json=body, headers=accept, timeout=150
    ) as sent:
        kind = ""
        for line in sent.iter_lines():
            if line.startswith("event: "):
                kind = line.removeprefix("event: ")
            elif line.startswith("data: "):
                events.append({"event": kind, **json.loads(line.removeprefix("data: "))})
                writing = kind == "node" and str(events[-1].get("node", "")).startswith("generate")
                if killed is not None and writing:
                    threading.Timer(0.5, os.kill, (killed.process.pid, signal.SIGKILL)).start()
                    killed = None
    return events


def holds(served: Served, answer: dict[str, Any]) -> None:
    """Check what must hold whatever a model says."""
    assert answer["status"] in STATUSES
    for statement in answer["statements"]:
        assert answer["answer"][statement["start"] : statement["end"]] == statement["text"]
        assert statement["citations"]
    for citation in answer["citations"]:
        text = httpx.get(served.address + citation["url"], timeout=30)
        assert text.json()["text"] == citation["quote"]
    if answer["statements"]:
        assert "24 months" in answer["answer"] or "24" not in answer["answer"]


def test_question_is_answered_through_the_model_as_json(served: Served) -> None:
    answer = ask(served, QUESTION)
    holds(served, answer)
    assert answer["models"]["reasoner"] == "smollm2"
    assert answer["usage"]["llm_calls"] >= 1
    assert answer["usage"]["input_tokens"] > 300


def test_stream_ends_with_the_answer_that_its_tokens_make(served: Served) -> None:
    events = stream(served, QUESTION)
    kinds = [event["event"] for event in events]
    assert kinds[0] == "run"
    assert kinds[-1] == "done"
    resets = [i for i, kind in enumerate(kinds) if kind == "reset"]
    after = events[resets[-1] + 1 :] if resets else events
    said = "".join(event["text"] for event in after if event["event"] == "token")
    [answer] = [event for event in events if event["event"] == "answer"]
    assert said == answer["answer"]
    holds(served, answer)


def test_eight_questions_at_once_all_end_well(served: Served) -> None:
    with ThreadPoolExecutor(len(QUESTIONS)) as clients:
        answers = list(clients.map(lambda question: ask(served, question), QUESTIONS))
    for answer in answers:
        holds(served, answer)
    assert len({answer["run_id"] for answer in answers}) == len(QUESTIONS)
    assert "Traceback" not in served.said


def test_model_server_that_is_killed_in_mid_answer_is_taken_over(tmp_path: Path) -> None:
    with running() as model, service(tmp_path, model, YOUJU_LLM_RETRIES="0") as served:
        filled(served)
        events = stream(served, QUESTION, killed=model)
        [answer] = [event for event in events if event["event"] == "answer"]
        holds(served, answer)
        assert answer["status"] == "answered", answer["answer"]
        assert "24 months" in answer["answer"]
        assert "graded_locally" in {warning["code"] for warning in answer["warnings"]}
        again = ask(served, QUESTION)
        assert again["status"] == "answered"
        assert "Traceback" not in served.said
