"""The service, documents coming in, questions from three doors and Studio, all at one time."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from cli_process import YOUJU, Served, serving, youju

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.atoms import SplitLimits
from app.ingest.loading import Converted
from app.ingest.preparing import fingerprint, prepare, version_of
from app.studio import DATA_DIR

ROOT = Path(__file__).parents[2]
STUDIO_SECONDS = 60
KB = "depots"
FLEETS = {"north": (0, 1, 2), "south": (3, 4, 5)}
ROUNDS = 3
ASKED = range(6)


def handbook(depot: int, round_: int) -> str:
    """Return a document of which one section stays, one changes and one comes with each round."""
    added = "".join(
        f"## Inspection {number}\nInspection {number} of depot DP-{depot} found {number} faults.\n\n"
        for number in range(1, round_ + 1)
    )
    return (
        f"# Handbook of depot DP-{depot}\n\n"
        f"## Opening\nThe depot DP-{depot} opens at 0{depot + 2}:45 every day.\n\n"
        f"## Capacity\nThe depot DP-{depot} holds {capacity(depot, round_)} pallets.\n\n{added}"
    )


def capacity(depot: int, round_: int) -> int:
    return 1000 * (depot + 1) + round_


HANDBOOKS = {
    version_of(handbook(depot, round_)): handbook(depot, round_)
    for depots in FLEETS.values()
    for depot in depots
    for round_ in range(ROUNDS)
}


@dataclass(frozen=True)
class Studio:
    """LangGraph's server, what it said, and where it listens."""

    address: str
    log: Path

    def run(self, asked: int) -> dict[str, Any]:
        body = {
            "assistant_id": "ask",
            "input": {"question": f"When does the depot DP-{asked} open?", "kb": KB},
        }
        response = httpx.post(f"{self.address}/runs/wait", json=body, timeout=60, trust_env=False)
        assert response.is_success, response.text
        return dict(response.json()["result"])


@contextmanager
def studio_in(folder: Path) -> Iterator[Studio]:
    """Start Studio's server as `make studio` does, with its default data folder below `folder`."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [Path(sys.executable).with_name("langgraph"), "dev", "--no-browser", "--no-reload"]
    command += ["--port", str(port), "--config", ROOT / "langgraph.json"]
    kept = {name: value for name, value in os.environ.items() if "YOUJU_" not in name}
    environment = kept | {"YOUJU_LLM": "off", "LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    studio = Studio(f"http://127.0.0.1:{port}", folder / "studio.log")
    with (
        studio.log.open("wb") as output,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            yield studio
        finally:
            process.terminate()


def wait_for(studio: Studio) -> None:
    deadline = time.monotonic() + STUDIO_SECONDS
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{studio.address}/ok", trust_env=False).is_success:
                return
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"Studio did not start:\n{studio.log.read_text('utf-8')}")


def take_in(data_dir: Path, fleet: str, round_: int) -> dict[str, str]:
    """Write one fleet's handbooks as they are in a round, ingest them and return the outcomes."""
    folder = data_dir.parent / fleet
    folder.mkdir(exist_ok=True)
    for depot in FLEETS[fleet]:
        (folder / f"dp-{depot}.md").write_text(handbook(depot, round_), "utf-8")
    done = youju(data_dir, "ingest", fleet, "--kb", KB, "--json")
    assert done.returncode == 0, done.stderr
    return {file["name"]: file["outcome"] for file in json.loads(done.stdout)["files"]}


def take_in_changes(data_dir: Path, fleet: str) -> None:
    """Ingest every later round of a fleet; each must change each document."""
    for round_ in range(1, ROUNDS):
        outcomes = take_in(data_dir, fleet, round_)
        assert set(outcomes.values()) == {"changed"}, outcomes
        assert len(outcomes) == len(FLEETS[fleet])


def ask_by_cli(served: Served, depot: int) -> dict[str, Any]:
    question = f"When does the depot DP-{depot} open?"
    done = youju(served.data_dir, "ask", question, "--kb", KB, "--json")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return dict(json.loads(done.stdout))


def ask_as_json(served: Served, depot: int) -> dict[str, Any]:
    """Ask for what changes meanwhile."""
    body = {"question": f"How many pallets does the depot DP-{depot} hold?", "kb": KB}
    response = httpx.post(f"{served.address}/ask", json=body, timeout=60, trust_env=False)
    assert response.status_code == 200, response.text
    return dict(response.json())


def ask_as_events(served: Served, depot: int) -> dict[str, Any]:
    body = {"question": f"When does the depot DP-{depot} open?", "kb": KB}
    headers = {"Accept": "text/event-stream"}
    events: list[tuple[int, str, Any]] = []
    with httpx.stream(
        "POST",
        f"{served.address}/ask",
        json=body,
        headers=headers,
        timeout=60,
        trust_env=False,
    ) as response:
        for block in "".join(response.iter_text()).split("\n\n"):
            if block and not block.startswith(":"):
                number, name, data = (line.partition(": ")[2] for line in block.split("\n"))
                events.append((int(number), name, json.loads(data)))
    return whole_answer(events)


def whole_answer(events: list[tuple[int, str, Any]]) -> dict[str, Any]:
    """Return the answer of a complete event log; it must be gapless and tell the answer once."""
    assert [number for number, _, _ in events] == list(range(1, len(events) + 1))
    assert [name for _, name, _ in events][-2:] == ["answer", "done"]
    text = ""
    for _, name, data in events:
        text = "" if name == "reset" else text + data["text"] if name == "token" else text
    answer = dict(events[-2][2])
    assert text == answer["answer"]
    return answer


def assert_right(answer: dict[str, Any], values: set[str]) -> None:
    """The answer holds one of `values`, and every offset fits the version that it cites."""
    assert answer["status"] == "answered", answer
    assert any(value in answer["answer"] for value in values), answer["answer"]
    for statement in answer["statements"]:
        assert answer["answer"][statement["start"] : statement["end"]] == statement["text"]
    for citation in answer["citations"]:
        text = HANDBOOKS[citation["version"]]
        assert text[citation["start"] : citation["end"]] == citation["quote"]


def assert_right_or_overtaken(answer: dict[str, Any], values: set[str]) -> None:
    """A value that changed between search and answer may end in a refusal that says so."""
    overtaken = "evidence_changed" in [warning["code"] for warning in answer["warnings"]]
    if answer["status"] == "answered" or not overtaken:
        assert_right(answer, values)


def opening(depot: int) -> set[str]:
    return {f"0{depot + 2}:45"}


def pallets(depot: int) -> set[str]:
    return {str(capacity(depot, round_)) for round_ in range(ROUNDS)}


def assert_nothing_lost_or_doubled(data_dir: Path, embedder: UseEmbedder) -> None:
    """Each store holds the last round's passages, each once, and nothing else."""
    made_with = fingerprint(SplitLimits(), embedder.fingerprint)
    names = {
        f"dp-{depot}.md": handbook(depot, ROUNDS - 1)
        for depots in FLEETS.values()
        for depot in depots
    }
    expected = {
        passage.id
        for name, text in names.items()
        for passage in prepare(
            KB, name, Converted(text, markdown=True), SplitLimits(), made_with
        ).passages
    }
    library = StoredLibrary(data_dir, embedder)
    try:
        stores = library.stores
        assert [document.name for document in stores.documents.all(KB)] == sorted(names)
        assert stores.chunks.chunk_ids(KB) == (expected, expected)
        assert stores.dense.ids(KB) == expected
        with stores.database.read() as connection:
            rows = {row[0] for row in connection.execute("SELECT number FROM chunks")}
            keywords = [row[0] for row in connection.execute(f"SELECT rowid FROM kw_{KB}_fts")]
            vectors = [row[0] for row in connection.execute("SELECT number FROM sentence_vectors")]
        assert sorted(keywords) == sorted(vectors) == sorted(rows)
        assert len(rows) == len(expected)
    finally:
        library.close()


def assert_run_is_kept_once(served: Served, answer: dict[str, Any]) -> None:
    """The event log tells the same answer, and each node left one checkpoint."""
    text = httpx.get(f"{served.address}/runs/{answer['run_id']}/events", trust_env=False).text
    events = [
        [line.partition(": ")[2] for line in block.split("\n")]
        for block in text.split("\n\n")
        if block and not block.startswith(":")
    ]
    assert whole_answer([(int(n), name, json.loads(data)) for n, name, data in events]) == answer
    history = served.get(f"/threads/{answer['thread_id']}/history")["checkpoints"]
    assert [entry["node"] for entry in history] == answer["path"]


def test_service_ingest_questions_and_studio_at_once_all_work(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    data_dir, studio_dir = tmp_path / "data", tmp_path / DATA_DIR
    for fleet in FLEETS:  # the folder is free: the command opens it itself
        assert set(take_in(studio_dir, fleet, 0).values()) == {"added"}
    with ExitStack() as stack:
        studio = stack.enter_context(studio_in(tmp_path))
        served = stack.enter_context(serving(data_dir, [YOUJU, "serve", "--port", "0"]))
        for fleet in FLEETS:
            assert set(take_in(data_dir, fleet, 0).values()) == {"added"}
        wait_for(studio)
        answers = ask_while_documents_change(served, studio)
        for door, depot, answer in answers:
            if door is ask_as_json:
                assert_right_or_overtaken(answer, pallets(depot))
            else:
                assert_right(answer, opening(depot))
            if door is not Studio.run:
                assert_run_is_kept_once(served, answer)
        runs = {answer["run_id"] for door, _, answer in answers if door is not Studio.run}
        assert len(runs) == 3 * len(ASKED)
        served.process.terminate()
        assert served.process.wait(20) == 0
        for log in (served.said, studio.log.read_text("utf-8")):
            assert "Traceback" not in log
            assert "database is locked" not in log
    assert_nothing_lost_or_doubled(data_dir, embedder)


def ask_while_documents_change(
    served: Served, studio: Studio
) -> list[tuple[Callable[..., Any], int, dict[str, Any]]]:
    """Ask at every door while both fleets change; return door, depot and answer of each."""
    with ThreadPoolExecutor(16) as pool:
        changes = [pool.submit(take_in_changes, served.data_dir, fleet) for fleet in FLEETS]
        doors: list[tuple[Callable[..., Any], Any]] = [(ask_by_cli, served), (ask_as_json, served)]
        doors += [(ask_as_events, served), (Studio.run, studio)]
        asked: list[tuple[Callable[..., Any], int, Future[dict[str, Any]]]] = [
            (door, depot, pool.submit(door, where, depot))
            for depot in ASKED
            for door, where in doors
        ]
        answers = [(door, depot, answer.result()) for door, depot, answer in asked]
        for change in changes:
            change.result()
    return answers
