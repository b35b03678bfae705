"""What a text names: runs of content words, names with a number, and how telling a word is."""

import re
from collections.abc import Iterator, Sequence

from graphs.evidence.numbers import claims
from graphs.evidence.text import STOP_WORDS, normalise, stem, tagged

SOURCE_WORDS = frozenset(
    "记录 规程 制度 文件 手册 规定 缺陷 历史 案例 policy document record manual rule".split()
)
"""Words that name a kind of source rather than the subject."""
_WEAK_WORDS = frozenset(
    "运行 人员 值班员 员工 系统 设备 公司 处理 影响 方面 部分 侧 类 说 对应 优先 优先级 出现 发生 存在 采取 期间 明显 一点 后 前 employee "
    "company staff use get make take need happen apply".split()
)
"""Content words that say little of what the question is about; they count a third."""
_CONTENT = ("n", "v", "a", "eng", "j", "l", "i", "b", "z", "s", "m")
_NAMING = ("n", "eng", "j", "l", "vn", "b", "s")
_NUMBERED = re.compile(
    r"\b([a-z]{3,}) (\d{1,6}(?:\.\d+)?|[a-z])\b(?!\s*(?:%|percent))|(\d{1,4})\s*(?:号|#)\s*([\u4e00-\u9fff]{1,3})",
    re.IGNORECASE,
)
"""A name with its number: part 5, wing b, 3号机."""


def numbered_names(clause: str) -> list[str]:
    """Return names with their number, as they must stand in a passage: "part 5", "3号机"."""
    found: list[str] = []
    for match in _NUMBERED.finditer(clause):
        if (
            match[1]
            and normalise(match[1]) not in STOP_WORDS
            and not (match[2].isalpha() and match[2].islower() and match[2] in "ai")
        ):
            end = match.end(2)
            unit = claims(clause[match.start(2) : end + 12]) if match[2][0].isdigit() else []
            if not (unit and unit[0].unit):
                found.append(f"{match[1]} {match[2]}".lower())
        elif match[3]:
            found.append(f"{match[3]}号{match[4][:1]}")
    return found


def noun_phrases(clause: str) -> Iterator[str]:
    """Yield runs of adjacent content words that name something: 循环水旋转滤网压差升高, hotel cost."""
    run: list[str] = []
    named = False
    for word, flag in (*tagged(clause), ("", "x")):
        content = (
            bool(word.strip())
            and word not in STOP_WORDS
            and flag.startswith(_CONTENT)
            and not (flag == "m" and not word.isascii())
            and not word.isdigit()
        )
        if content:
            run.append(word)
            named = named or (flag.startswith(_NAMING) and word not in _WEAK_WORDS)
        elif run and (word != " " or not run[-1].isascii()):
            if named:
                yield _joined(run)
            run, named = [], False


def _joined(run: Sequence[str]) -> str:
    text = " ".join(run) if run[0].isascii() else "".join(run)
    return text[:-1] if len(text) > 2 and text[-1] in "时后前中" else text


def term_weight(term: str) -> float:
    """Return how much a word says of the subject, apart from its rarity: 1, or a third."""
    if term in _WEAK_WORDS or stem(term) in _WEAK_WORDS:
        return 0.33
    if len(term) == 1 and not term.isascii():
        return 0.33
    return 0.5 if term in SOURCE_WORDS else 1.0
