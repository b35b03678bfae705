import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
SCRIPTED = ROOT / "tests" / "api" / "scripted_app.py"
REAL = ROOT / "tests" / "e2e" / "real_app.py"
NODES = ["analyze_query", "retrieve_initial", "grade_initial", "generate_initial"]
NODES += ["check_initial", "finalize"]
SLOW = "; ".join(f"slow {name} 0.6" for name in [*NODES, "line1"] if name != "generate_initial")

Event = dict[str, Any]


class Server:
    """The service as a process of its own, on a data folder that outlives it."""

    def __init__(self, program: Path, data_dir: Path) -> None:
        self._program = program
        self._data_dir = data_dir
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self._port}", timeout=30)
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, str(self._program), str(self._data_dir), str(self._port)]
        self._process = subprocess.Popen(command, cwd=ROOT)
        for _ in range(600):
            assert self._process.poll() is None, "the service did not start"
            try:
                if self.http.get("/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError("the service did not become ready")

    def stop(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None

    def events(self, run_id: str, until: Callable[[Event], bool] = lambda _: False) -> list[Event]:
        """Return the events of a run up to the first one that `until` accepts, or all."""
        found: list[Event] = []
        with self.http.stream("GET", f"/runs/{run_id}/events") as response:
            for line in response.iter_lines():
                name, _, value = line.partition(": ")
                if name == "id":
                    found.append({"id": int(value)})
                elif name == "event":
                    found[-1]["type"] = value
                elif name == "data":
                    found[-1]["data"] = json.loads(value)
                    if until(found[-1]):
                        break
        return found


@contextmanager
def serving(program: Path, data_dir: Path) -> Iterator[Server]:
    server = Server(program, data_dir)
    try:
        server.start()
        yield server
    finally:
        server.stop(signal.SIGKILL)
        server.http.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with serving(SCRIPTED, tmp_path) as server:
        yield server


@pytest.fixture
def real_server(tmp_path: Path) -> Iterator[Server]:
    with serving(REAL, tmp_path) as server:
        yield server


def _accept(server: Server, question: str) -> dict[str, str]:
    headers = {"Prefer": "respond-async"}
    response = server.http.post("/ask", json={"question": question}, headers=headers)
    assert response.status_code == 202
    return dict(response.json())


def _reached(node: str) -> Callable[[Event], bool]:
    if node == "generate_initial":
        return lambda event: event["type"] == "token" and event["data"]["seq"] == 1
    return lambda event: event["type"] == "node" and event["data"]["node"] == node


def test_run_killed_in_every_node_finishes_with_one_answer(server: Server, tmp_path: Path) -> None:
    run = _accept(server, SLOW)
    for node in NODES:
        server.events(run["run_id"], until=_reached(node))
        server.stop(signal.SIGKILL)
        server.start()
        assert server.http.get(f"/runs/{run['run_id']}").json()["status"] == "interrupted"
        headers = {"Prefer": "respond-async"}
        resumed = server.http.post(f"/threads/{run['thread_id']}/resume", headers=headers)
        assert resumed.json()["run_id"] == run["run_id"]
    events = server.events(run["run_id"])
    _assert_whole(events)
    starts = [e["data"] for e in events if e["type"] == "node" and e["data"]["phase"] == "start"]
    assert [start["node"] for start in starts] == [node for node in NODES for _ in "12"]
    assert [start["attempt"] for start in starts] == [1, 2] * len(NODES)
    assert [event["type"] for event in events].count("run") == 1 + len(NODES)
    entered = (tmp_path / "journal.txt").read_text().split()
    assert {node: entered.count(node) for node in NODES} == dict.fromkeys(NODES, 2)
    history = server.http.get(f"/threads/{run['thread_id']}/history").json()["checkpoints"]
    assert [entry["node"] for entry in history] == NODES
    assert server.http.post(f"/threads/{run['thread_id']}/resume").status_code == 409


def _assert_whole(events: list[Event]) -> None:
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    kinds = [event["type"] for event in events]
    assert kinds[-2:] == ["answer", "done"]
    assert (kinds.count("answer"), kinds.count("done"), kinds.count("reset")) == (1, 1, 0)
    text = "".join(event["data"]["text"] for event in events if event["type"] == "token")
    assert text == events[-2]["data"]["answer"]


def test_same_key_after_a_kill_finishes_the_same_run(server: Server) -> None:
    headers = {"Idempotency-Key": "once", "Prefer": "respond-async"}
    body = {"question": "slow grade_initial 0.5"}
    accepted = server.http.post("/ask", json=body, headers=headers).json()
    server.events(accepted["run_id"], until=_reached("grade_initial"))
    server.stop(signal.SIGKILL)
    server.start()
    answer = server.http.post("/ask", json=body, headers={"Idempotency-Key": "once"})
    assert answer.status_code == 200
    assert answer.json()["run_id"] == accepted["run_id"]
    _assert_whole(server.events(accepted["run_id"]))


def test_orderly_stop_leaves_a_long_run_to_be_resumed(server: Server) -> None:
    run = _accept(server, "slow grade_initial 8")
    server.events(run["run_id"], until=_reached("grade_initial"))
    server.stop(signal.SIGTERM)
    server.start()
    assert server.http.get(f"/runs/{run['run_id']}").json()["status"] == "interrupted"


def test_question_after_a_kill_starts_anew_on_the_same_thread(server: Server) -> None:
    run = _accept(server, "slow grade_initial 5")
    server.events(run["run_id"], until=_reached("grade_initial"))
    server.stop(signal.SIGKILL)
    server.start()
    body = {"question": "another", "thread_id": run["thread_id"]}
    answer = server.http.post("/ask", json=body).json()
    assert answer["path"] == NODES
    refused = server.http.post(f"/threads/{run['thread_id']}/resume")
    assert refused.status_code == 409


def test_real_service_killed_in_a_retrieval_answers_from_its_documents(real_server: Server) -> None:
    for file in (ROOT / "examples" / "power_plant").glob("*.md"):
        upload = {"files": (file.name, file.read_bytes())}
        done = real_server.http.post("/kb/power-plant/documents", files=upload)
        assert done.json()["files"][0]["outcome"] == "added"
    run = _accept(real_server, "循环水旋转滤网压差升高时，现场检查结果和处理措施是什么？")
    real_server.events(run["run_id"], until=_reached("retrieve_initial"))
    real_server.stop(signal.SIGKILL)
    real_server.start()
    assert real_server.http.get(f"/runs/{run['run_id']}").json()["status"] == "interrupted"
    answer = real_server.http.post(f"/threads/{run['thread_id']}/resume").json()
    assert answer["status"] in ("answered", "partial")
    assert "QX-2025-094" in str(answer["citations"])
    _assert_whole(real_server.events(run["run_id"]))
    history = real_server.http.get(f"/threads/{run['thread_id']}/history").json()["checkpoints"]
    assert [entry["node"] for entry in history] == answer["path"]
