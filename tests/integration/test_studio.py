"""LangGraph Studio's server with the exported graph, started as `make studio` starts it."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.adapters.lock import DataFolderBusy, DataLock
from app.ingest.reports import Source
from app.settings import Settings
from app.studio import DATA_DIR, _Studio
from app.wiring import open_services
from graphs.ask.state import AskInput, AskState

ROOT = Path(__file__).parents[2]
START_SECONDS = 60
QUESTION = "How much of the hotel cost is reimbursed when a flight is cancelled because of weather?"
BRANCHES = ("initial", "precise", "broaden")
NODES = {
    "__start__",
    "analyze_query",
    "answer_directly",
    "rewrite_precise",
    "rewrite_broaden",
    *(f"retrieve_{branch}" for branch in BRANCHES),
    *(f"grade_{branch}" for branch in BRANCHES),
    *(f"generate_{branch}" for branch in BRANCHES),
    *(f"check_{branch}" for branch in BRANCHES),
    *(f"generate_partial_{branch}" for branch in BRANCHES),
    *(f"check_partial_{branch}" for branch in BRANCHES),
    *(f"report_insufficient_{branch}" for branch in BRANCHES),
    "report_unrecognized",
    "finalize",
    "recover",
    "__end__",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder whose data folder holds the travel knowledge base."""
    folder = tmp_path_factory.mktemp("studio")
    samples = sorted((ROOT / "examples" / "travel_policy").glob("policy-*.md"))
    sources = [Source(path.name, path.read_bytes()) for path in samples]

    async def ingest() -> None:
        async with open_services(Settings(data_dir=folder / DATA_DIR, llm="off")) as services:
            await services.indexer.ingest("travel", sources)

    asyncio.run(ingest())
    return folder


@pytest.fixture(scope="module")
def studio(folder: Path) -> Iterator[httpx.Client]:
    """Start the server in `folder`, so that its files and the default data folder lie there."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [Path(sys.executable).with_name("langgraph"), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port), "--config", ROOT / "langgraph.json"]
    kept = {name: value for name, value in os.environ.items() if "YOUJU_" not in name}
    environment = kept | {"YOUJU_LLM": "off", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    log = folder / "server.log"
    with (
        log.open("wb") as output,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        ) as server,
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client,
    ):
        try:
            _wait_until_ready(client, server, log)
            yield client
        finally:
            server.terminate()


def _wait_until_ready(client: httpx.Client, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if client.get("/ok").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{log.read_text()}")


def _get(client: httpx.Client, path: str) -> Any:
    response = client.get(path)
    assert response.is_success, response.text
    return response.json()


@pytest.fixture(scope="module")
def assistant(studio: httpx.Client) -> str:
    found = studio.post("/assistants/search", json={"graph_id": "ask"}).json()
    assert len(found) == 1
    return str(found[0]["assistant_id"])


def test_graph_has_every_node_and_its_labelled_edges(studio: httpx.Client, assistant: str) -> None:
    drawn = _get(studio, f"/assistants/{assistant}/graph")
    assert {node["id"] for node in drawn["nodes"]} == NODES
    labels: dict[str, set[str]] = {}
    for edge in drawn["edges"]:
        if edge.get("conditional"):
            labels.setdefault(edge["source"], set()).add(edge["data"])
    assert labels["analyze_query"] == {"retrieve", "direct"}
    for branch in BRANCHES:
        assert labels[f"grade_{branch}"] == {
            "answer",
            "rewrite",
            "retry_broaden",
            "partial_answer",
            "insufficient",
            "unrecognized",
        }
        for check in (f"check_{branch}", f"check_partial_{branch}"):
            assert "unsupported" in labels[check]
            assert len(labels[check]) == 2


def test_schemas_name_what_goes_in_and_out(studio: httpx.Client, assistant: str) -> None:
    schemas = _get(studio, f"/assistants/{assistant}/schemas")
    assert set(schemas["input_schema"]["properties"]) == set(AskInput.__annotations__)
    assert set(schemas["input_schema"]["required"]) == {"question", "kb"}
    assert set(schemas["output_schema"]["properties"]) == {"result"}
    assert set(schemas["state_schema"]["properties"]) == set(AskState.__annotations__)


def test_question_is_answered_from_the_knowledge_base(studio: httpx.Client, assistant: str) -> None:
    asked = {"assistant_id": assistant, "input": {"question": QUESTION, "kb": "travel"}}
    response = studio.post("/runs/wait", json=asked)
    assert response.is_success, response.text
    result = response.json()["result"]
    assert result["status"] == "answered"
    assert any(
        "2024" in citation["version"] + citation["title"] for citation in result["citations"]
    )


def test_question_on_a_thread_leaves_a_checkpoint_for_each_node(
    studio: httpx.Client, assistant: str
) -> None:
    thread = studio.post("/threads", json={}).json()["thread_id"]
    asked = {
        "assistant_id": assistant,
        "input": {"question": QUESTION, "kb": "travel"},
        "stream_mode": ["updates"],
    }
    streamed: list[str] = []
    with studio.stream("POST", f"/threads/{thread}/runs/stream", json=asked) as response:
        assert response.is_success
        event = ""
        for line in response.iter_lines():
            name, _, value = line.partition(": ")
            if name == "event":
                event = value
            elif name == "data" and event == "updates":
                streamed += json.loads(value)
    state = _get(studio, f"/threads/{thread}/state")["values"]
    assert streamed == state["path"]
    assert streamed[0] == "analyze_query"
    assert streamed[-1] == "finalize"
    history = _get(studio, f"/threads/{thread}/history?limit=100")
    assert [entry["next"] for entry in reversed(history)][1:-1] == [[node] for node in streamed]
    assert state["turns"][-1]["status"] == state["result"]["status"]


def test_data_folder_in_use_is_refused_until_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("YOUJU_DATA_DIR", "elsewhere")
    monkeypatch.setenv("YOUJU_LLM", "off")
    lock = DataLock(tmp_path / "elsewhere")
    lock.acquire()

    async def scenario() -> None:
        studio = _Studio()
        with pytest.raises(DataFolderBusy):
            await studio.graph()
        lock.release()
        first = await studio.graph()
        assert first is await studio.graph()
        assert first.checkpointer is None
        await studio._opened.aclose()

    asyncio.run(scenario())
    assert not (tmp_path / DATA_DIR).exists()
