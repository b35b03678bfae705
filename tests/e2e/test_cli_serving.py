"""Commands beside a running server: they go through it."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_process import YOUJU, Served, environment, serving, youju

from app.adapters.lock import read_holder

PLAN = """# Lift plan LP-7

## Load
The lift carries at most 630 kg or 8 persons.

## Inspection
The lift is inspected every 6 months by Northside Lifts.
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data_dir = tmp_path_factory.mktemp("serving") / "data"
    with serving(data_dir, [YOUJU, "serve", "--port", "0"]) as served:
        yield served


@pytest.fixture(scope="module")
def lifts(served: Served) -> str:
    """Take a document in through the server and return its knowledge base."""
    (served.data_dir.parent / "plan.md").write_text(PLAN, "utf-8")
    done = youju(served.data_dir, "ingest", "plan.md", "--kb", "lifts")
    assert done.returncode == 0, done.stderr
    assert "1 added" in done.stdout
    return "lifts"


def test_server_announces_where_it_serves_and_which_brain_answers(served: Served) -> None:
    holder = read_holder(served.data_dir)
    assert holder is not None
    assert holder.pid == served.process.pid
    assert served.get("/healthz")["status"] == "ok"
    assert served.address in served.said
    assert "brain: embedded" in served.said
    assert "curl" not in served.said


def test_document_taken_in_beside_the_server_is_in_the_server(served: Served, lifts: str) -> None:
    documents = served.get(f"/kb/{lifts}/documents")["documents"]
    assert [document["name"] for document in documents] == ["plan.md"]


def test_same_file_again_is_unchanged(served: Served, lifts: str) -> None:
    done = youju(served.data_dir, "ingest", "plan.md", "--kb", lifts, "--json")
    assert done.returncode == 0, done.stderr
    assert [file["outcome"] for file in json.loads(done.stdout)["files"]] == ["unchanged"]


def test_file_that_is_no_text_fails_and_the_others_are_taken(served: Served) -> None:
    folder = served.data_dir.parent / "mixed"
    folder.mkdir()
    (folder / "binary.md").write_bytes(bytes(range(256)) * 8)
    (folder / "empty.txt").write_bytes(b"")
    (folder / "good.txt").write_text("The gate opens at 07:30.", "utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    done = youju(served.data_dir, "ingest", "mixed", "nowhere.md", "--kb", "gates")
    assert done.returncode == 1
    assert "1 added" in done.stdout
    assert "3 failed" in done.stdout
    assert "binary.md: the content is not text" in done.stderr
    assert "empty.txt: the file holds no text" in done.stderr
    assert "nowhere.md: does not exist" in done.stderr
    assert "picture.png was skipped" in done.stderr


def test_files_that_all_fail_are_told_one_by_one(served: Served) -> None:
    folder = served.data_dir.parent / "bad"
    folder.mkdir()
    (folder / "a.md").write_bytes(bytes(range(256)) * 8)
    (folder / "b.md").write_bytes(b" \n")
    done = youju(served.data_dir, "ingest", "bad", "--kb", "gates", "--json")
    assert done.returncode == 1
    errors = {file["name"]: file["error"]["message"] for file in json.loads(done.stdout)["files"]}
    assert errors == {"a.md": "the content is not text.", "b.md": "the file holds no text."}


def test_question_is_answered_through_the_server(served: Served, lifts: str) -> None:
    done = youju(
        served.data_dir, "ask", "How many kg does the lift carry?", "--kb", lifts, "--json"
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert "630 kg" in answer["answer"]
    run = served.get(f"/runs/{answer['run_id']}")
    assert run["answer"]["answer"] == answer["answer"]


def test_question_on_a_thread_goes_on_with_it(served: Served, lifts: str) -> None:
    ask = ["ask", "--kb", lifts, "--json"]
    first = json.loads(youju(served.data_dir, *ask, "How is the lift LP-7 inspected?").stdout)
    second = youju(served.data_dir, *ask, "And its load?", "--thread", first["thread_id"])
    assert json.loads(second.stdout)["thread_id"] == first["thread_id"]
    thread = served.get(f"/threads/{first['thread_id']}")
    assert len(thread["runs"]) == 2


def test_readable_answer_names_status_source_and_thread(served: Served, lifts: str) -> None:
    done = youju(served.data_dir, "ask", "How many kg does the lift carry?", "--kb", lifts)
    assert "[1] Lift plan LP-7 › Load" in done.stdout
    assert "thread " in done.stdout.splitlines()[-1]


def test_search_shows_passages_best_first(served: Served, lifts: str) -> None:
    query = ["search", "inspected every months", "--kb", lifts, "--top-k", "2"]
    found = json.loads(youju(served.data_dir, *query, "--json").stdout)
    assert [hit["section"][-1] for hit in found["hits"]] == ["Inspection", "Load"]
    first, stages, text, second, _, last = youju(served.data_dir, *query).stdout.splitlines()
    assert first.endswith("Lift plan LP-7 › Inspection")
    assert "keyword 1" in stages
    assert "Northside Lifts" in text
    assert second.endswith("Lift plan LP-7 › Load")
    assert "630 kg" in last


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ask", "lift?", "--kb", "nowhere"], "no knowledge base named nowhere"),
        (["ask", " ", "--kb", "lifts"], "must not be blank"),
        (["ask", "lift?", "--kb", "lifts", "--thread", "none"], "no thread with this id"),
        (["ingest", "plan.md", "--kb", "No Such Name"], "can't name a knowledge base"),
        (["search", "lift", "--kb", "a/b"], "can't name a knowledge base"),
        (["reindex", "--kb", "lifts"], "Stop that process first"),
        (["serve", "--port", "0"], "is in use by process"),
    ],
)
def test_refusal_is_a_sentence(
    served: Served, lifts: str, arguments: list[str], message: str
) -> None:
    done = youju(served.data_dir, *arguments)
    assert done.returncode == 1
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    if "Stop" in message or "in use" in message:
        assert served.address in done.stderr


def test_reader_that_went_away_ends_the_command_quietly(served: Served, lifts: str) -> None:
    command = [YOUJU, "ask", "How many kg does the lift carry?", "--kb", lifts]
    with subprocess.Popen(
        command,
        cwd=served.data_dir.parent,
        env=environment(served.data_dir),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asking:
        assert asking.stdout is not None
        assert asking.stderr is not None
        asking.stdout.close()
        assert asking.stderr.read() == b""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_server_cleanly(tmp_path: Path, how: signal.Signals) -> None:
    host = "0.0.0.0" if how == signal.SIGINT else "127.0.0.1"
    command = [YOUJU, "serve", "--port", "0", "--host", host]
    with serving(tmp_path / "data", command) as served:
        assert served.address.startswith("http://127.0.0.1:")
        served.process.send_signal(how)
        assert served.process.wait(20) == 0
        assert read_holder(served.data_dir) is None
        assert served.said.endswith("note: stopped\n")
        assert "Traceback" not in served.said
        assert ("asks for no key" in served.said) == (host == "0.0.0.0")
