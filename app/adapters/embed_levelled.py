"""Another model's cosines brought to the scale of the default embedder.

Gates, facets and broadening compare cosines with limits that were fitted for the default embedder,
whose unrelated texts lie near 0.1. Many models put every text into a narrow cone, where unrelated
texts reach 0.4 to 0.8. What all texts share and what only tells their language are taken out (as in
"All-but-the-top", Mu & Viswanath 2018) until sentences that have nothing in common lie as far apart
as the default embedder sets them; a model that does so by itself stays as it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from graphs.ports import Embedder, Matrix, Vector

UNRELATED = 0.085
"""Mean cosine of the default embedder between two of the sentences below in one language."""
_METHOD = "levelled-1"
"""Goes into the fingerprint: raise it when sentences or method change."""
_HALVINGS = 20

SENTENCES = {
    "zh": (
        "请在每月五日前提交上个月的考勤记录。",
        "水泵轴承温度超过八十度时应立即停机检查。",
        "昨天晚上的雨把操场淋得很湿。",
        "合同自双方签字盖章之日起生效。",
        "这道菜要先把豆腐切成小块再下锅。",
        "孩子们在图书馆里安静地看书。",
        "数据库的备份文件保存在另一个机房。",
        "他从小就喜欢听爷爷讲古代的故事。",
        "银行将于下周调整存款利率。",
        "春天的时候山坡上开满了野花。",
        "发票遗失的应当向财务部门书面说明。",
        "新的地铁线路将连接机场和火车站。",
        "医生建议病人每天散步半个小时。",
        "实验结果表明温度对反应速度影响很大。",
        "球队在最后一分钟打进了制胜的一球。",
        "猫趴在窗台上晒太阳。",
    ),
    "en": (
        "Employees submit their time sheets by the fifth of each month.",
        "Stop the pump at once if the bearing gets hotter than eighty degrees.",
        "The rain last night left the playground under water.",
        "This agreement takes effect on the day it is signed.",
        "Cut the tofu into cubes before you put it into the pan.",
        "The children were reading quietly in the library.",
        "Copies of the database are kept in another building.",
        "As a boy he loved his grandfather's stories of old kings.",
        "The bank will change its interest rates next week.",
        "In spring the hillside is covered with wild flowers.",
        "A lost invoice must be explained in writing.",
        "The new metro line connects the airport with the main station.",
        "Her doctor told her to walk for half an hour every day.",
        "The experiment shows that heat speeds up the reaction.",
        "The home team scored the winning goal in the last minute.",
        "A cat is sleeping on the window sill.",
    ),
}
"""Everyday sentences, no two of one language on one matter."""


@dataclass(frozen=True, slots=True)
class Level:
    """What is taken out of every vector, `strength` of it: 0 leaves it alone, 1 takes all.

    `shared` is the mean of all sentences, `tongue` the unit vector from one language to the other.
    """

    shared: Vector
    tongue: Vector
    strength: float

    @classmethod
    def measure(cls, embedder: Embedder) -> Self:
        """Embed the sentences and find the smallest strength that sets them apart.

        Raises EmbedderUnavailable.
        """
        parts = [embedder.embed(sentences) for sentences in SENTENCES.values()]
        means = [part.mean(axis=0) for part in parts]
        between = means[0] - means[1]
        tongue = between / max(float(np.linalg.norm(between)), 1e-9)
        level = cls((means[0] + means[1]) / 2, tongue, 0.0)
        low, high = 0.0, 0.0 if unrelated(parts) <= UNRELATED else 1.0
        for _ in range(_HALVINGS):
            level = replace(level, strength=(low + high) / 2)
            if unrelated([level.apply(part) for part in parts]) > UNRELATED:
                low = level.strength
            else:
                high = level.strength
        return replace(level, strength=high)

    def apply(self, rows: Matrix) -> Matrix:
        """Return the rows moved and at length 1."""
        if not self.strength:
            return rows
        along = (rows - self.shared) @ self.tongue
        moved = rows - self.strength * (self.shared + np.outer(along, self.tongue))
        lengths = np.linalg.norm(moved, axis=1, keepdims=True)
        return np.asarray(moved / np.maximum(lengths, 1e-9), dtype=np.float32)


class LevelledEmbedder:
    """An embedder whose vectors are moved to a level. Thread-safe where the embedder is."""

    def __init__(self, embedder: Embedder, level: Level) -> None:
        self._embedder = embedder
        self._level = level

    @property
    def fingerprint(self) -> str:
        """The embedder's fingerprint and the method."""
        return f"{self._embedder.fingerprint}/{_METHOD}"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text. Raises EmbedderUnavailable."""
        return self._level.apply(self._embedder.embed(texts))


def unrelated(parts: Sequence[Matrix]) -> float:
    """Return the mean cosine of two different sentences of one language."""
    sums = [
        (float((part @ part.T).sum()) - len(part), len(part) * (len(part) - 1)) for part in parts
    ]
    return sum(total for total, _ in sums) / sum(pairs for _, pairs in sums)
