from pathlib import Path

import pytest

from app.calibration.labels import LabelsUnreadable, read_labels


def test_lines_give_labels_and_the_last_of_equal_questions_counts(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(
        '{"question": "年假几天？", "answerable": true}\n\n'
        '{"question": " 年假几天？", "answerable": true, "documents": ["leave.md"], "answer": "10 天"}\n'
        '{"question": "Who pays?", "answerable": true, "answer": ["finance", "the finance team"]}\n',
        "utf-8",
    )

    first, second = read_labels(file)

    assert (first.answerable, list(first.documents), list(first.answers)) == (
        True,
        ["leave.md"],
        ["10 天"],
    )
    assert list(second.answers) == ["finance", "the finance team"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 1 is not JSON"),
        ('{"question": "", "answerable": true}', "line 1: question"),
        ('{"question": "x"}', "line 1: answerable"),
        ('{"question": "x", "answerable": true, "expected": 1}', "line 1: expected"),
        ('["x"]', "line 1: Input should be"),
        ("\n", "holds no labels"),
        (
            '{"question": "x", "answerable": true}\n{"question": "x", "answerable": false}',
            "line 2 contradicts an earlier line",
        ),
    ],
)
def test_bad_line_is_named_with_its_reason(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(line, "utf-8")

    with pytest.raises(LabelsUnreadable, match=said):
        read_labels(file)


def test_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_bytes(b"\xff\xfe\x00")

    with pytest.raises(LabelsUnreadable, match="not UTF-8"):
        read_labels(file)
    with pytest.raises(LabelsUnreadable, match="can't be read"):
        read_labels(tmp_path / "missing.jsonl")
