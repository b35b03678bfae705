import os
from pathlib import Path

import pytest

from app.commands.files import File, batches, find, why_skipped
from app.commands.screen import plain

LIMIT = 1000


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ["a.md", "b.TXT", "kb.yaml", "c.png", ".hidden.md", "sub/a.md", ".git/d.md"]:
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "docs"


def test_folder_gives_every_document_below_it(tree: Path) -> None:
    found = find(["docs"], LIMIT)
    assert list(found.files) == ["a.md", "b.TXT", "kb.yaml", "sub/a.md"]
    assert list(found.skipped) == [str(Path("docs/c.png"))]
    assert found.failed == {}


def test_file_goes_by_its_own_name(tree: Path) -> None:
    assert list(find(["docs/sub/a.md"], LIMIT).files) == ["a.md"]


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("docs/*.md", ["a.md"]),
        ("docs/**/*.md", ["a.md", "sub/a.md"]),
        ("docs/s*", ["sub/a.md"]),
        ("*/a.md", ["docs/a.md"]),
    ],
)
def test_pattern_gives_names_below_its_fixed_part(
    tree: Path, pattern: str, names: list[str]
) -> None:
    assert list(find([pattern], LIMIT).files) == names


@pytest.mark.parametrize("given", ["docs", "docs/*", "docs/~*", "docs/.D*"])
def test_what_systems_leave_in_folders_is_nobodys_document(tree: Path, given: str) -> None:
    litter = ["~$b.docx", ".DS_Store", "Thumbs.db", "desktop.ini", ".~lock.b.docx#"]
    for name in litter:
        (tree / name).write_text("x", "utf-8")
    (tree / "__MACOSX").mkdir()
    (tree / "__MACOSX" / "e.md").write_text("x", "utf-8")
    found = find([given], LIMIT)
    told = [*found.files, *found.skipped, *found.failed]
    assert not [path for path in told if Path(path).name in litter or "MACOSX" in path]
    assert ("a.md" in found.files) == (given in {"docs", "docs/*"})


@pytest.mark.parametrize("given", ["docs", "docs/*", "docs/lost.md"])
def test_link_that_points_nowhere_is_named(tree: Path, given: str) -> None:
    (tree / "lost.md").symlink_to(tree / "gone.md")
    found = find([given], LIMIT)
    assert found.failed == {str(Path("docs/lost.md")): "is a link that points nowhere"}


def test_pattern_without_a_match_fails(tree: Path) -> None:
    assert find(["docs/*.markdown"], LIMIT).failed == {"docs/*.markdown": "matches nothing"}


def test_two_files_of_one_name_are_not_mixed_up(tree: Path) -> None:
    found = find(["docs/a.md", "docs/sub/a.md", "docs/a.md"], LIMIT)
    assert found.files["a.md"].path == Path("docs/a.md")
    assert list(found.failed) == ["docs/sub/a.md"]


def test_file_above_the_limit_is_not_read(tree: Path) -> None:
    (tree / "big.md").write_text("x" * (LIMIT + 1), "utf-8")
    assert list(find(["docs/big.md"], LIMIT).failed) == ["docs/big.md"]


def test_special_file_fails(tree: Path) -> None:
    os.mkfifo(tree / "pipe.md")
    assert find(["docs/pipe.md"], LIMIT).failed == {
        "docs/pipe.md": "is neither a file nor a folder"
    }
    assert "pipe.md" not in find(["docs"], LIMIT).files


def test_batches_stay_small_and_keep_the_order() -> None:
    sizes = [10] * 105 + [1100 * 1024, 10]
    files = [File(f"{i}.md", Path(f"{i}.md"), size) for i, size in enumerate(sizes)]
    found = list(batches(files))
    assert [len(batch) for batch in found] == [100, 5, 1, 1]
    assert [file for batch in found for file in batch] == files


def test_name_that_a_form_does_not_carry_is_sent_alone() -> None:
    files = [File(name, Path(name), 1) for name in ["a.md", 'say "b".md', "c.md"]]
    assert [len(batch) for batch in batches(files)] == [1, 1, 1]


def test_text_of_a_document_can_not_steer_the_terminal() -> None:
    assert plain("a\x1b[31mb\x07\r\n\tc\x9b") == "a\ufffd[31mb\ufffd\ufffd\n\tc\ufffd"


def test_labelled_questions_beside_documents_are_no_document_unless_named(tree: Path) -> None:
    questions = tree / "questions.jsonl"
    questions.write_text('{"question": "?"}\n', "utf-8")
    for given in ("docs", "docs/*.jsonl"):
        found = find([given], LIMIT)
        assert "questions.jsonl" not in found.files
        assert str(Path("docs/questions.jsonl")) in found.skipped
    assert list(find(["docs/questions.jsonl"], LIMIT).files) == ["questions.jsonl"]
    assert "labelled questions" in why_skipped(Path("docs/questions.jsonl"))
    assert "save it as .docx" in why_skipped(Path("docs/old.doc"))


@pytest.mark.parametrize("given", ["docs", "docs/*", "docs/**"])
def test_link_to_what_lies_outside_is_skipped_with_its_reason(tree: Path, given: str) -> None:
    outside = tree.parent / "private"
    outside.mkdir()
    (outside / "salaries.md").write_text("secret", "utf-8")
    (tree / "file.md").symlink_to(outside / "salaries.md")
    (tree / "folder").symlink_to(outside)
    found = find([given], LIMIT)
    assert not [name for name, file in found.files.items() if file.path.read_text() == "secret"]
    assert "outside" in found.skipped[str(Path("docs/file.md"))]
    assert "outside" in found.skipped[str(Path("docs/folder"))]


@pytest.mark.parametrize("given", ["docs", "docs/*", "docs/**"])
def test_link_to_a_folder_inside_is_read_once(tree: Path, given: str) -> None:
    (tree / "again").symlink_to(tree / "sub")
    (tree / "loop").symlink_to(tree)
    found = find([given], LIMIT)
    assert [name for name in found.files if name.startswith(("again", "loop"))] == []
    assert "at its own place" in found.skipped[str(Path("docs/again"))]
    assert "at its own place" in found.skipped[str(Path("docs/loop"))]


def test_link_to_a_file_inside_is_followed(tree: Path) -> None:
    (tree / "same.md").symlink_to(tree / "sub" / "a.md")
    assert find(["docs"], LIMIT).files["same.md"].read().data == b"sub/a.md"


def test_link_that_is_given_itself_is_followed(tree: Path) -> None:
    (tree.parent / "here").symlink_to(tree)
    (tree.parent / "one.md").symlink_to(tree / "a.md")
    assert "sub/a.md" in find(["here"], LIMIT).files
    assert list(find(["one.md"], LIMIT).files) == ["one.md"]


def test_name_of_two_part_characters_is_composed(tree: Path) -> None:
    (tree / "cafe\u0301.md").write_text("x", "utf-8")
    assert "caf\u00e9.md" in find(["docs"], LIMIT).files
