"""Small question sets in the published formats, made for the tests."""

import json
from pathlib import Path

_PARTS = (
    "给水泵 循环泵 引风机 送风机 磨煤机 凝结泵 除氧器 空预器 汽轮机 发电机 变压器 冷却塔".split()
)
_TITLES = "Pump Valve Boiler Turbine Fan Filter Relay Sensor Motor Cable Switch Tank".split()


def write_rgb(folder: Path) -> int:
    """Write a set in RGB's format and return its number of questions."""
    rows = [
        {
            "id": at,
            "query": f"{part}多久检修一次？",
            "answer": [f"{at + 2}个月"],
            "positive": [f"按照规程，{part}每{at + 2}个月检修一次。"],
            "negative": [f"{part}由{at}班的值班员巡视。", "食堂周三供应面条。"],
        }
        for at, part in enumerate(_PARTS)
    ]
    _write(folder / "rgb" / "zh_refine.dev.jsonl", rows)
    return len(rows)


def write_hotpot(folder: Path) -> int:
    """Write a set in HotpotQA's format and return its number of questions."""
    rows = [
        {
            "_id": f"q{at}",
            "question": f"Which colour is the {title.lower()}?",
            "context": [
                [title, [f"The {title.lower()} is painted in colour {at}.", " It is old."]],
                [f"{title} room", [f"A {title.lower()} stands in room {at}."]],
            ],
            "supporting_facts": [[title, 0]],
        }
        for at, title in enumerate(_TITLES)
    ]
    _write(folder / "hotpotqa" / "hotpot_200.jsonl", rows)
    return len(rows)


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("\n".join(lines) + "\n", "utf-8")
