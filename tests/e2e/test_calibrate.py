"""Choosing a threshold by labels from the command line, and what answers say of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cli_process import ROOT, YOUJU, Served, serving, youju

TRAVEL = ROOT / "examples" / "travel_policy"
QUESTION = "When are taxis reimbursed?"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Return a server that holds the travel documents."""
    data_dir = tmp_path_factory.mktemp("calibrated") / "data"
    assert youju(data_dir, "ingest", str(TRAVEL), "--kb", "travel").returncode == 0
    with serving(data_dir, [YOUJU, "serve", "--port", "0"]) as server:
        yield server


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the sample questions as labels: those with a full answer, and those without any."""
    rows = [json.loads(line) for line in (TRAVEL / "questions.jsonl").read_text().splitlines()]
    kept = [row for row in rows if row["expect"] in ("answered", "insufficient")]
    file = tmp_path_factory.mktemp("labels") / "labels.jsonl"
    file.write_text(
        "".join(
            json.dumps(
                {
                    "question": row["question"],
                    "answerable": row["expect"] == "answered",
                    "documents": row["documents"] if row["expect"] == "answered" else [],
                }
            )
            + "\n"
            for row in kept
        ),
        "utf-8",
    )
    return file


def ask(served: Served) -> dict[str, Any]:
    done = youju(served.data_dir, "ask", QUESTION, "--kb", "travel", "--json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_labels_choose_the_threshold_that_answers_are_judged_by(
    served: Served, labels: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "curve.png"
    done = youju(
        served.data_dir, "calibrate", str(labels), "--kb", "travel", "--alpha", "0.25",
        "--plot", str(picture), "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    chosen = found["chosen"]
    assert chosen["bound"] <= 0.25
    assert chosen["answered"] >= found["needed"] == 9
    assert picture.read_bytes().startswith(b"\x89PNG")

    answer = ask(served)

    assert answer["assessment"]["threshold"] == chosen["threshold"]
    assert answer["assessment"]["calibrated"] is True
    assert answer["models"]["calibration"].startswith("labels-")
    assert served.get("/threads/" + answer["thread_id"])["runs"], "asked for labels alone"
    state = served.get("/kb/travel/calibration")
    assert state["name"] == answer["models"]["calibration"]
    assert state["calibration"]["labels"] == found["labels"]

    undone = youju(served.data_dir, "calibrate", "--undo", "--kb", "travel", "--json")
    assert undone.returncode == 0, undone.stderr
    assert ask(served)["assessment"]["threshold"] == 0.7


def test_too_few_labels_promise_nothing_and_change_nothing(served: Served, labels: Path) -> None:
    few = labels.parent / "few.jsonl"
    few.write_text("\n".join(labels.read_text("utf-8").splitlines()[:6]), "utf-8")

    done = youju(served.data_dir, "calibrate", str(few), "--kb", "travel")

    assert done.returncode == 1
    assert "needs 45 answered questions without an error" in " ".join(done.stdout.split())
    assert "标注太少" in done.stdout
    assert served.get("/kb/travel/calibration")["calibration"] is None


def test_label_of_an_unknown_document_is_named_before_anything_is_asked(
    served: Served, tmp_path: Path
) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text('{"question": "x", "answerable": true, "documents": ["nowhere.md"]}', "utf-8")

    done = youju(served.data_dir, "calibrate", str(file), "--kb", "travel")

    assert done.returncode == 1
    assert "nowhere.md" in done.stderr


def test_no_labels_at_all_say_where_they_come_from(served: Served) -> None:
    done = youju(served.data_dir, "calibrate", "--kb", "travel", "--feedback")

    assert done.returncode == 1
    assert "There are no labels for travel" in done.stderr
    assert "POST /feedback" in " ".join(done.stderr.split())
