"""An ingest of a folder tells which of its documents have no file any more."""

import json
from pathlib import Path

import pytest
from cli_process import youju

from app.commands.files import find
from app.commands.folders import Memory

LIMIT = 1000


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """Return a folder with three documents."""
    docs = tmp_path / "docs"
    (docs / "sub").mkdir(parents=True)
    for name in ("a.md", "b.md", "sub/c.md"):
        (docs / name).write_text(f"# {name}\n\nThe lift {name} is checked every month.\n", "utf-8")
    return docs


def test_file_that_is_gone_is_named_and_its_document_kept(tmp_path: Path, docs: Path) -> None:
    data_dir = tmp_path / "data"
    first = youju(data_dir, "ingest", str(docs), "--kb", "lifts", "--json")
    assert json.loads(first.stdout)["gone"] == []
    (docs / "sub" / "c.md").unlink()
    for _ in range(2):  # it is told as long as the document is there
        again = youju(data_dir, "ingest", str(docs), "--kb", "lifts")
        assert again.returncode == 0, again.stderr
        said = " ".join(again.stderr.split())
        assert "sub/c.md" in said
        assert "DELETE" in said
        assert "b.md" not in said.replace("sub/c.md", "")
    (docs / "a.md").unlink()
    (docs / "b.md").unlink()
    empty = youju(data_dir, "ingest", str(docs), "--kb", "lifts", "--json")
    told = json.loads(empty.stdout)
    assert sorted(document["name"] for document in told["gone"]) == ["a.md", "b.md", "sub/c.md"]


def test_other_folders_and_other_knowledge_bases_are_not_mixed_in(
    tmp_path: Path, docs: Path
) -> None:
    memory = Memory(tmp_path)
    memory.note("lifts", find([str(docs)], LIMIT))
    other = tmp_path / "other"
    other.mkdir()
    (other / "z.md").write_text("x", "utf-8")
    (docs / "a.md").unlink()
    assert memory.lost("lifts", find([str(other)], LIMIT)) == set()
    assert memory.lost("pumps", find([str(docs)], LIMIT)) == set()
    assert memory.lost("lifts", find([str(docs / "b.md")], LIMIT)) == set()
    assert memory.lost("lifts", find([str(docs)], LIMIT)) == {"a.md"}


def test_file_that_another_folder_still_gives_is_not_gone(tmp_path: Path, docs: Path) -> None:
    memory = Memory(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.md").write_text("x", "utf-8")
    memory.note("lifts", find([str(docs)], LIMIT))
    memory.note("lifts", find([str(other)], LIMIT))
    (docs / "a.md").unlink()
    assert memory.lost("lifts", find([str(docs)], LIMIT)) == set()


def test_file_that_can_not_be_taken_any_more_is_not_gone(tmp_path: Path, docs: Path) -> None:
    memory = Memory(tmp_path)
    memory.note("lifts", find([str(docs)], LIMIT))
    (docs / "a.md").write_text("x" * (LIMIT + 1), "utf-8")
    assert memory.lost("lifts", find([str(docs)], LIMIT)) == set()


def test_memory_that_can_not_be_read_is_told_and_begun_anew(
    tmp_path: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folders.json").write_text("{", "utf-8")
    memory = Memory(tmp_path)
    assert memory.lost("lifts", find([str(docs)], LIMIT)) == set()
    assert "folders.json" in " ".join(capsys.readouterr().err.split())
    memory.note("lifts", find([str(docs)], LIMIT))
    (docs / "a.md").unlink()
    assert memory.lost("lifts", find([str(docs)], LIMIT)) == {"a.md"}
