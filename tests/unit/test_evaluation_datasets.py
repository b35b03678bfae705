"""Loaders of public question sets, on files of the same format that the tests write."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.evaluation.crossfit import FOLDS, fold_of
from app.evaluation.dataset_rows import FormatError
from app.evaluation.datasets import SOURCES, QuestionSet, load

DOCUMENTS = """.I 1
.T
lift of a wing
.A
anybody,a.
.W
lift of a wing
  measured in a tunnel .
.I 2
.T
heat in slabs
.W

.I 3
.T
flutter
.W
flutter of panels .
"""
QUERIES = """.I 001
.W
how is lift
measured .
.I 017
.W
heat conduction in slabs .
"""
JUDGEMENTS = "1 1 1 \n1 3 4 \n1 2 -1\n\n2 2 3 \n2 2 2 \n"


def _lines(path: Path, *rows: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", "utf-8")


def _rgb(folder: Path, file: str = "zh_refine") -> None:
    first = {"id": 0, "query": "水泵何时检修？", "answer": ["三月"]}
    second = {"id": 1, "query": "谁批准？", "answer": ["站长"], "negative": ["三月检修水泵。"]}
    _lines(
        folder / "rgb" / f"{file}.dev.jsonl",
        first | {"positive": ["三月检修水泵。"], "negative": ["天气晴朗。", "天气晴朗。", " "]},
        second | {"positive": ["站长批准。\r\n"]},
    )


def _hotpot(folder: Path) -> None:
    context = [["Pump", ["A pump moves water.", " It hums."]], ["Valve", ["A valve shuts."]]]
    row = {"_id": "q1", "question": "What hums?", "answer": "pump", "context": context}
    _lines(folder / "hotpotqa" / "hotpot_200.jsonl", row | {"supporting_facts": [["Pump", 1]]})


def _lecoqa(folder: Path, *names: str) -> None:
    statutes = [{"name": f"法第{n}条", "text": "同样的文字。\n"} for n in "一二"]
    _lines(folder / "lecoqa" / "statutes.jsonl", *statutes)
    question = {"query_id": 7, "问题": "怎么办？", "match_name": list(names), "相关法规": {}}
    _lines(folder / "lecoqa" / "train.jsonl", question)


def _cranfield(folder: Path) -> None:
    (folder / "cranfield").mkdir()
    contents = (DOCUMENTS, QUERIES, JUDGEMENTS)
    for name, content in zip(SOURCES["cranfield"].files, contents, strict=True):
        (folder / name).write_text(content)


def _cmrc(folder: Path) -> None:
    qas = [{"id": "A", "question": "什么？", "answers": []}, {"id": "B", "question": " "}]
    paragraph = {"id": "P", "context": "正文。", "qas": qas}
    data = {"version": "v1", "data": [{"title": "题", "id": "T", "paragraphs": [paragraph]}]}
    _lines(folder / "cmrc2018" / "cmrc2018_trial.json", data)


def _one(folder: Path, name: str) -> QuestionSet:
    found, missing = load(folder, [name])
    assert missing == []
    return found[0]


def _golds(questions: QuestionSet) -> list[dict[tuple[str, str], int]]:
    texts = {each.key: (each.title, each.text) for each in questions.documents}
    return [{texts[key]: gain for key, gain in q.gains.items()} for q in questions.questions]


def test_rgb_passages_are_pooled_once_and_positives_are_gold(tmp_path: Path) -> None:
    _rgb(tmp_path)
    found = _one(tmp_path, "rgb-zh")
    assert [each.text for each in found.documents] == ["三月检修水泵。", "天气晴朗。", "站长批准。"]
    assert _golds(found) == [{("", "三月检修水泵。"): 1}, {("", "站长批准。"): 1}]


def test_rgb_groups_of_positives_are_all_gold(tmp_path: Path) -> None:
    row = {"id": 3, "query": "两次会议的日期", "answer": ["一日", "二日"], "negative": []}
    groups = [["一日开会。"], ["二日开会。", "二日又开会。"]]
    _lines(tmp_path / "rgb" / "zh_int.dev.jsonl", row | {"positive": groups})
    found = _one(tmp_path, "rgb-zh-int")
    assert len(_golds(found)[0]) == 3
    assert [len(part) for part in found.questions[0].parts] == [1, 2]


def test_hotpot_paragraphs_keep_their_title_and_supporting_ones_are_gold(tmp_path: Path) -> None:
    _hotpot(tmp_path)
    found = _one(tmp_path, "hotpotqa")
    assert _golds(found) == [{("Pump", "A pump moves water. It hums."): 1}]
    assert [each.title for each in found.documents] == ["Pump", "Valve"]


def test_statutes_of_equal_text_stay_apart_by_name(tmp_path: Path) -> None:
    _lecoqa(tmp_path, "法第二条")
    found = _one(tmp_path, "lecoqa")
    assert len(found.documents) == 2
    assert _golds(found) == [{("法第二条", "同样的文字。"): 1}]


def test_cranfield_is_judged_by_position_with_falling_gains(tmp_path: Path) -> None:
    _cranfield(tmp_path)
    found = _one(tmp_path, "cranfield")
    assert [each.id for each in found.questions] == ["1", "2"]
    assert found.questions[0].text == "how is lift\nmeasured ."
    lift = ("lift of a wing", "lift of a wing\n  measured in a tunnel .")
    slabs = ("heat in slabs", "heat in slabs")  # a record without a body is its title
    assert _golds(found) == [{lift: 4, ("flutter", "flutter of panels ."): 1}, {slabs: 3}]


def test_blank_questions_are_left_out(tmp_path: Path) -> None:
    _cmrc(tmp_path)
    found = _one(tmp_path, "cmrc2018")
    assert [each.id for each in found.questions] == ["A"]
    assert _golds(found) == [{("题", "正文。"): 1}]


def test_sets_that_the_folder_lacks_are_named(tmp_path: Path) -> None:
    _rgb(tmp_path)
    (tmp_path / "lecoqa").mkdir()
    (tmp_path / "lecoqa" / "train.jsonl").write_text("")
    found, missing = load(tmp_path, ["rgb-zh", "lecoqa", "cranfield"])
    assert [each.name for each in found] == ["rgb-zh"]
    assert missing == ["lecoqa", "cranfield"]


def test_folder_of_one_set_is_read_as_well(tmp_path: Path) -> None:
    _rgb(tmp_path)
    found, _ = load(tmp_path / "rgb", list(SOURCES))
    assert [each.name for each in found] == ["rgb-zh"]


def _break(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edit(folder: Path) -> None:
        path = folder / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")

    return edit


@pytest.mark.parametrize(
    ("make", "name", "edit", "told"),
    [
        (_rgb, "rgb-zh", ("rgb/zh_refine.dev.jsonl", '"query"', '"q"'), "line 1: query: Field"),
        (_rgb, "rgb-zh", ("rgb/zh_refine.dev.jsonl", "}", ""), "line 1: Invalid JSON"),
        (_hotpot, "hotpotqa", ("hotpotqa/hotpot_200.jsonl", '"Valve", ', ""), "context.1"),
        (_cmrc, "cmrc2018", ("cmrc2018/cmrc2018_trial.json", "qas", "questions"), "qas: Field"),
        (_cranfield, "cranfield", ("cranfield/cran.all.1400", ".I 1\n", ""), "line 1: a record"),
        (
            _cranfield,
            "cranfield",
            ("cranfield/cranqrel", "1 3 4", "1 3"),
            "line 2: query, document",
        ),
        (_cranfield, "cranfield", ("cranfield/cranqrel", "1 3 4", "1 9 4"), "document 9 is not in"),
    ],
)
def test_file_in_another_format_is_told_with_its_place(
    tmp_path: Path,
    make: Callable[[Path], None],
    name: str,
    edit: tuple[str, str, str],
    told: str,
) -> None:
    make(tmp_path)
    _break(*edit)(tmp_path)
    with pytest.raises(FormatError, match=told) as raised:
        load(tmp_path, [name])
    assert str(tmp_path / edit[0]) in str(raised.value)


def test_question_about_an_unknown_statute_is_told(tmp_path: Path) -> None:
    _lecoqa(tmp_path, "法第九条")
    with pytest.raises(FormatError, match="法第九条"):
        load(tmp_path, ["lecoqa"])


def test_folds_are_even_and_never_move() -> None:
    folds = [fold_of("lecoqa", str(n)) for n in range(1000)]
    assert {*folds} == set(range(FOLDS))
    assert all(150 < folds.count(fold) < 250 for fold in range(FOLDS))
    assert folds[:8] == [fold_of("lecoqa", str(n)) for n in range(8)]
