"""Small question sets with answers and given passages, in the published formats."""

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

_PARTS = "给水泵 循环泵 引风机 送风机 磨煤机 凝结泵".split()
_NEGATIVE = (
    "{part}由{at}班的值班员巡视，巡视结果写进日志。",
    "{part}安装在{at}号厂房的零米层。",
    "{part}的铭牌由制造厂提供。",
    "食堂周三供应面条，周四供应米饭。",
    "停车场在南门外，夜间有灯。",
)
_POSITIVE = (
    "按照规程，{part}每{months}个月检修一次。",
    "{part}的检修周期是{months}个月。",
    "检修计划写明：{part}每{months}个月检修一次，由检修班负责。",
    "{part}检修间隔为{months}个月，不得延长。",
    "年度安排里，{part}每隔{months}个月检修一次。",
)


def months(at: int) -> int:
    """Return the right number of a question of `write_zh`."""
    return at + 2


def write_zh(folder: Path) -> int:
    """Write RGB's Chinese file; return its number of questions."""
    rows = [
        {
            "id": 2 * at,
            "query": f"{part}多久检修一次？",
            "answer": [[f"{months(at)}个月", f"{months(at)} 个月"]],
            "positive": [text.format(part=part, months=months(at)) for text in _POSITIVE],
            "negative": [text.format(part=part, at=at) for text in _NEGATIVE],
        }
        for at, part in enumerate(_PARTS)
    ]
    _lines(folder / "rgb" / "zh_refine.dev.jsonl", rows)
    return len(rows)


def write_conflicting(folder: Path) -> int:
    """Write RGB's counterfactual file: one question has too few passages; return the others."""
    rows = [
        {
            "id": 2 * at,
            "query": f"{part}多久检修一次？",
            "answer": f"{months(at)}个月",
            "fakeanswer": f"{months(at) + 20}个月",
            "positive": [text.format(part=part, months=months(at)) for text in _POSITIVE[:2]],
            "positive_wrong": [
                text.format(part=part, months=months(at) + 20)
                for text in _POSITIVE[: 2 - (at == 0)]
            ],
            "negative": [text.format(part=part, at=at) for text in _NEGATIVE[:1]],
        }
        for at, part in enumerate(_PARTS)
    ]
    _lines(folder / "rgb" / "zh_fact.dev.jsonl", rows)
    return len(rows) - 1


def write_integrated(folder: Path) -> int:
    """Write RGB's file of answers in two parts; return its number of questions."""
    rows = [
        {
            "id": 2 * at,
            "query": f"{one}和{other}分别多久检修一次？",
            "answer": [f"{months(at)}个月", f"{months(at) + 1}个月"],
            "positive": [
                [text.format(part=one, months=months(at)) for text in _POSITIVE[:3]],
                [text.format(part=other, months=months(at) + 1) for text in _POSITIVE[:3]],
            ],
            "negative": [text.format(part=one, at=at) for text in _NEGATIVE],
        }
        for at, (one, other) in enumerate(pairwise(_PARTS))
    ]
    _lines(folder / "rgb" / "zh_int.dev.jsonl", rows)
    return len(rows)


def write_cmrc(folder: Path) -> int:
    """Write a file in CMRC's format; return its number of questions."""
    articles = [
        {
            "title": f"{part}说明",
            "paragraphs": [
                {
                    "context": f"{part}在{1990 + at}年投运。{_POSITIVE[0].format(part=part, months=months(at))}",
                    "qas": [
                        {
                            "id": f"Q{at}",
                            "question": f"{part}是哪一年投运的？",
                            "answers": [{"text": f"{1990 + at}年"}, {"text": f"{1990 + at}"}],
                        }
                    ],
                }
            ],
        }
        for at, part in enumerate(_PARTS)
    ]
    path = folder / "cmrc2018" / "cmrc2018_trial.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"data": articles}, ensure_ascii=False), "utf-8")
    return len(articles)


def write_hops(folder: Path) -> int:
    """Write a file in HotpotQA's format whose questions need two paragraphs; return their number."""
    names = "Orlin Tavor Brask Quill".split()
    rows = [
        {
            "_id": f"h{at}",
            "question": f"In which town was the builder of the {name} bridge born?",
            "answer": f"Port {name}ville",
            "context": [
                [f"{name} bridge", [f"The {name} bridge was built by Master {name}son."]],
                [f"{name}son", [f"Master {name}son was born in Port {name}ville."]],
                [f"{name} river", [f"The river under the {name} bridge is {at + 3} km long."]],
            ],
            "supporting_facts": [[f"{name} bridge", 0], [f"{name}son", 0]],
        }
        for at, name in enumerate(names)
    ]
    _lines(folder / "hotpotqa" / "hotpot_200.jsonl", rows)
    return len(rows)


def _lines(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n", "utf-8")
