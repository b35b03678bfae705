"""Files for the ingest benchmark: made from a fixed seed, or cut from a file that is given."""

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from app.ingest.atoms import SplitLimits
from app.ingest.loading import convert
from app.ingest.preparing import prepare
from app.ingest.reports import Source

_SEED = 20_260_102
_ZH = (
    "{unit}号机组{part}在{month}月的检修中发现{fault}，处理后试运{n}小时正常。",
    "运行人员应每{n}小时检查一次{part}的温度和振动，超过{m}摄氏度时立即汇报值长。",
    "{part}的{fault}多由润滑不足引起，更换{part2}后应重新校验定值{m}。",
    "依据第{n}条，{part}退出运行前须取得{unit}号机组值长的许可，并在{m}分钟内完成隔离。",
)
_EN = (
    "The {part_en} of line {unit} was inspected in week {n}, and {fault_en} was found at point {m}.",
    "Operators record the temperature of the {part_en} every {n} hours and report above {m} degrees.",
    "If {fault_en} returns within {n} days, replace the {part_en} and test line {unit} again at {m} bar.",
)
_WORDS = {
    "part": "真空泵 凝汽器 给水泵 轴承 阀门 冷却塔 润滑油泵 汽封 加热器 除氧器".split(),
    "part2": "密封圈 滤网 联轴器 填料 热电偶 变送器".split(),
    "fault": "振动偏大 泄漏 温度偏高 卡涩 异响 压力波动 腐蚀 堵塞".split(),
    "part_en": ["feed pump", "conveyor", "gearbox", "air dryer", "heat exchanger", "control valve"],
    "fault_en": [
        "a leak",
        "corrosion",
        "a loose bolt",
        "unusual noise",
        "a blocked filter",
        "wear",
    ],
}


def corpus(passages: int, data: Path | None = None) -> Iterator[Source]:
    """Yield about `passages` passages as files: made from a fixed seed, or cut from `data`.

    `data` is a text file with a document a line, or a JSON list of {"title", "text"}.
    """
    texts = _read(data) if data else _make()
    limits, count, number = SplitLimits(), 0, 0
    while count < passages:
        text = next(texts, None)
        if text is None:
            return
        source = Source(f"file-{number:05d}.md", text.encode())
        number += 1
        converted = convert(source.name, source.data)
        count += len(prepare("k", source.name, converted, limits, "").passages)
        yield source


def _make() -> Iterator[str]:
    """Yield documents of several sections, Chinese and English, from a fixed seed, without end."""
    chance = random.Random(_SEED)
    while True:
        forms = chance.choice((_ZH, _EN))
        title = f"{'检修记录' if forms is _ZH else 'Inspection record'} {chance.randrange(10**6)}"
        sections = [
            f"## {number}\n\n"
            + " ".join(_sentence(chance, forms) for _ in range(chance.randint(4, 8)))
            for number in range(1, chance.randint(4, 12))
        ]
        yield f"# {title}\n\n" + "\n\n".join(sections) + "\n"


def _sentence(chance: random.Random, forms: Sequence[str]) -> str:
    words = {name: chance.choice(choices) for name, choices in _WORDS.items()}
    numbers = {name: chance.randint(1, 999) for name in ("unit", "month", "n", "m")}
    return chance.choice(forms).format(**words, **numbers)


def _read(path: Path) -> Iterator[str]:
    if path.suffix == ".json":
        for item in json.loads(path.read_text("utf-8")):
            yield f"# {item['title']}\n\n{item['text']}\n"
    else:
        for line in path.read_text("utf-8").split("\n"):
            if line.strip():
                yield line
