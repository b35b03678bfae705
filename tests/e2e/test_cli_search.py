"""Searching, its explanation and its measurement from the command line."""

import json
from pathlib import Path

import pytest
from cli_process import ROOT, youju
from question_files import write_rgb

TRAVEL = ROOT / "examples" / "travel_policy"
TAXI = "When are taxis reimbursed?"


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder that holds the travel documents."""
    data_dir = tmp_path_factory.mktemp("searched") / "data"
    done = youju(data_dir, "ingest", str(TRAVEL), "--kb", "travel")
    assert done.returncode == 0, done.stderr
    return data_dir


def test_hits_are_printed_with_their_place_in_every_stage(data_dir: Path) -> None:
    done = youju(data_dir, "search", TAXI, "--kb", "travel", "--top-k", "3")
    assert done.returncode == 0, done.stderr
    assert "6.3 Taxis and parking" in done.stdout
    assert "dense 1 · keyword 1 · fused 1 · final 1" in done.stdout


def test_dropped_hits_are_printed_with_their_gate(data_dir: Path) -> None:
    command = (
        "search",
        "远程办公几天？",
        "--kb",
        "travel",
        "--top-k",
        "50",
        "--include-duplicates",
    )
    done = youju(data_dir, *command)
    assert done.returncode == 0, done.stderr
    assert "✗ 低于门槛" in done.stdout
    assert "关键词 –" in done.stdout


def test_found_document_is_told_with_its_place(data_dir: Path) -> None:
    done = youju(data_dir, "why-not", TAXI, "--doc", "policy-2024-07", "--kb", "travel")
    assert done.returncode == 0, done.stderr
    assert "The document is among the evidence, at position 1." in done.stdout
    assert "dense 1 · keyword 1 · fused 1 · final 1" in done.stdout


def test_missed_document_is_told_with_what_it_lacks(data_dir: Path) -> None:
    command = ("why-not", "食堂周三供应什么？", "--doc", "差旅报销制度", "--kb", "travel")
    done = youju(data_dir, *command)
    assert done.returncode == 0, done.stderr
    assert "该文档没有: " in done.stdout
    assert "食堂" in done.stdout
    assert "建议" in done.stdout
    found = json.loads(youju(data_dir, *command, "--json").stdout)
    assert found["fate"] in {"threshold", "not_candidate"}
    assert {"word": "食堂", "in_document": False, "passages": 0} in found["words"]


def test_unknown_document_is_an_error_with_near_names(data_dir: Path) -> None:
    done = youju(data_dir, "why-not", TAXI, "--doc", "policy-2025-07", "--kb", "travel")
    assert done.returncode == 1
    assert "There is no document 'policy-2025-07'" in done.stderr
    assert "policy-2024-07.md" in done.stderr


def test_retrieval_is_measured_and_written(tmp_path: Path) -> None:
    questions = write_rgb(tmp_path / "sets")
    command = ("eval", "retrieval", "--data", str(tmp_path / "sets"), "--limit", "5")
    done = youju(tmp_path / "data", *command, "--write", "found.json")
    assert done.returncode == 0, done.stderr
    assert "fused + rerank" in done.stdout
    assert "lecoqa was left out" in done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["sets"]["rgb-zh"]["questions"] == 5 < questions
    assert {*found["sets"]["rgb-zh"]["per_question"]} == {"0", "1", "2", "3", "4"}
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        ((), 1, "holds no question set"),
        (("--sets", "nope"), 1, "There is no question set named nope"),
        (("--reranker", "best"), 2, "YOUJU_RERANKER: 'best' does not fit"),
    ],
)
def test_evaluation_that_cannot_run_is_explained(
    tmp_path: Path, more: tuple[str, ...], code: int, told: str
) -> None:
    done = youju(tmp_path / "data", "eval", "retrieval", "--data", str(tmp_path), *more)
    assert done.returncode == code
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_broken_file_of_a_set_is_told_with_its_place(tmp_path: Path) -> None:
    write_rgb(tmp_path)
    path = tmp_path / "rgb" / "zh_refine.dev.jsonl"
    path.write_text(path.read_text("utf-8").replace('"negative"', '"other"'), "utf-8")
    done = youju(tmp_path / "data", "eval", "retrieval", "--data", str(tmp_path))
    assert done.returncode == 1
    assert "line 1: negative: Field required" in done.stderr
