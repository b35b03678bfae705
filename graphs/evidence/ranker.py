"""The small ranker: a linear model over what words, characters, meaning and links say of a passage.

It orders candidates and nothing else: gates read calibrated scores. The weights are fitted by
`python -m benchmarks.fit_ranker` on LeCoQA, CMRC 2018 and HotpotQA, held non-negative (more of a
feature never counts against a passage): that carries over to other sets better than free weights.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import jieba
import numpy as np
from numpy.typing import NDArray

from graphs.evidence.asks import asked_words, strip_cues
from graphs.evidence.fusion import K1
from graphs.evidence.holding import held_in
from graphs.evidence.lines import Lexicon, take_apart
from graphs.evidence.text import fold, is_cjk
from graphs.ports import Candidate, RerankQuery

Features = NDArray[np.float32]
"""Shape (candidates, len(FEATURES))."""

FEATURES = (
    "dense",  # cosine of the question with the passage
    "dense_here",  # the same in deviations from the mean of these candidates
    "keyword_here",  # BM25 in deviations from the mean of these candidates
    "coverage",  # rarity-weighted share of the question's words
    "sentence",  # best sentence: its cosine + 0.6 of the share of the words that stands there
    "rarest",  # 1 where the rarest word of the question is held
    "characters",  # BM25 over the question's ideographs, by how common they are in the language
    "longest",  # longest run of the question's characters that stands in the passage, as a share
    "numbers",  # share of the question's numbers that are held; 0.5 without any
    "named",  # 1 where the question names the passage's title or section
    "linked",  # 1 / rank of the best passage that names the passage's title or section
)
_SHORT_LENGTH = 220.0
"""Characters of an average passage, for the length norm of `characters`."""
_RUN = 60
"""Characters of the question that `longest` looks at."""


@dataclass(frozen=True, slots=True)
class Ranker:
    """Orders candidates by a weighted sum of their features."""

    weights: tuple[float, ...]
    margin: float = 4.0
    """How far below the best one a passage is beside the question (`graphs.evidence.noise`)."""

    def score(self, features: Features) -> NDArray[np.float32]:
        """Return shape (candidates,): higher is better, on a scale that means nothing by itself."""
        return np.asarray(features @ np.asarray(self.weights, dtype=np.float32), dtype=np.float32)


SHIPPED = Ranker((1.015, 0.226, 0.305, 0.792, 2.265, 0.66, 5.739, 3.321, 0.656, 1.431, 2.333))
"""Weights for raw features, in the order of FEATURES."""


def features_of(query: RerankQuery, candidates: Sequence[Candidate]) -> Features:
    """Return the features of every candidate, in the order of FEATURES."""
    question = _Question.of(query)
    rows = np.array([question.read(candidate) for candidate in candidates], dtype=np.float32)
    rows = rows.reshape(len(candidates), len(FEATURES))
    for column in (FEATURES.index("dense_here"), FEATURES.index("keyword_here")):
        values = rows[:, column]
        if len(values):
            rows[:, column] = (values - values.mean()) / (values.std() + 1e-6)
    return rows


@dataclass(frozen=True, slots=True)
class _Question:
    """A question taken apart once for all candidates."""

    query: RerankQuery
    weights: dict[str, float]
    rarest: str
    folded: str
    ideographs: frozenset[str]
    numbers: frozenset[str]

    @staticmethod
    def of(query: RerankQuery) -> "_Question":
        """Take a question apart."""
        lexicon = Lexicon(query.passages, query.frequency)
        asked = asked_words(query.text)
        weights = {word: lexicon.weight(word) for word in asked}
        folded = fold(strip_cues(query.text)) if is_cjk(query.text) else ""
        return _Question(
            query,
            weights,
            max(weights, key=lambda word: weights[word], default=""),
            folded[:_RUN],
            frozenset(ch for ch in fold(query.text) if is_cjk(ch)),
            frozenset(re.findall(r"\d+", query.text)),
        )

    def read(self, candidate: Candidate) -> tuple[float, ...]:
        """Return one row of features; the two relative ones are still absolute."""
        text = take_apart(candidate.passage)
        stands = held_in(text, tuple(self.weights))
        weights = np.array(list(self.weights.values()), dtype=np.float32)
        total = float(weights.sum()) or 1.0
        held = stands.anywhere
        rarest = float(held[list(self.weights).index(self.rarest)]) if self.rarest else 0.0
        body = fold(candidate.passage.text)
        whole = " ".join((candidate.passage.title, *candidate.passage.section, body))
        return (
            candidate.dense,
            candidate.dense,
            candidate.keyword,
            float(weights @ held) / total if len(weights) else 0.0,
            self._sentence(candidate, stands.lines, weights / total),
            rarest,
            self._characters(whole),
            longest_run(self.folded, body) / len(self.folded) if self.folded else 0.0,
            sum(n in whole for n in self.numbers) / len(self.numbers) if self.numbers else 0.5,
            candidate.named,
            candidate.linked,
        )

    def _sentence(
        self, candidate: Candidate, shares: Features, weights: NDArray[np.float32]
    ) -> float:
        cosines = candidate.sentence_vectors @ self.query.vector
        held = weights @ shares if len(weights) else np.zeros(len(cosines), dtype=np.float32)
        count = min(len(cosines), len(held))
        if not count:
            return 0.0
        return float(np.max(cosines[:count] + 0.6 * held[:count]))

    def _characters(self, text: str) -> float:
        if not self.ideographs:
            return 0.0
        norm = K1 * (0.25 + 0.75 * len(text) / _SHORT_LENGTH)
        highest = sum(character_weight(ch) for ch in self.ideographs) * (K1 + 1)
        held = 0.0
        for ch in self.ideographs:
            count = text.count(ch)
            held += character_weight(ch) * count * (K1 + 1) / (count + norm)
        return held / highest


def longest_run(needle: str, text: str) -> int:
    """Return the length of the longest substring of `needle` that stands in `text`."""
    best = 0
    for start in range(len(needle)):
        while start + best < len(needle) and needle[start : start + best + 1] in text:
            best += 1
    return best


@lru_cache(maxsize=1)
def _character_counts() -> Counter[str]:
    """Return how common ideographs are, from the counts of jieba's dictionary."""
    jieba.initialize()
    counts: Counter[str] = Counter()
    for word, frequency in jieba.dt.FREQ.items():
        if frequency:
            for ch in set(word):
                counts[ch] += frequency
    return counts


@lru_cache(maxsize=8192)
def character_weight(ch: str) -> float:
    """Return the inverse frequency of a character in the language; rare ones weigh most."""
    counts = _character_counts()
    return math.log1p(jieba.dt.total / (counts[ch] + 200))
