"""The answer-bearing sentence scorer: the probability that a sentence answers a question.

One logistic model over few signs, in the order of their worth: a new value or name of the kind that is
asked for, close to the question's words; the rarity-weighted share of the words in the sentence and
around it; whether the rarest word is there; agreement of numbers; meaning last. The weights are fitted
by `python -m benchmarks.fit_bearing` on CMRC 2018 and HotpotQA.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphs.evidence import asks
from graphs.evidence.holding import held_in
from graphs.evidence.lines import Lexicon, take_apart
from graphs.evidence.text import fold, is_cjk, tagged
from graphs.ports import Candidate, RerankQuery

Signs = NDArray[np.float32]
"""Shape (sentences, len(SIGNS)), each in [0, 1] but `meaning`, a cosine."""

SIGNS = (
    "kind",  # a new value or name of the kind that is asked for; 0.5 where no kind is asked for
    "kind_near",  # the same times the share of the question's words in and beside the sentence
    "coverage",  # share of the question's words in the sentence, its headings included
    "around",  # the same with its neighbours, which count 0.6
    "rarest",  # the rarest word stands in or beside the sentence
    "numbers",  # share of the question's numbers in the passage; 0.5 without any
    "meaning",  # cosine with the question
)
_BESIDE = 0.6
_NAME_TAGS = {"person": ("nr",), "place": ("ns", "nt")}
_CAPITAL = re.compile(r"(?<![.!?:;\n])(?<![.!?:;]\s)(?<!^)\b[A-Z][\w-]*")


@dataclass(frozen=True, slots=True)
class Bearing:
    """The model: a bias and one weight per sign."""

    bias: float
    weights: tuple[float, ...]

    def probabilities(self, signs: Signs) -> NDArray[np.float32]:
        """Return shape (sentences,), each in [0, 1]."""
        score = signs @ np.asarray(self.weights, dtype=np.float32) + self.bias
        return np.asarray(1 / (1 + np.exp(-score)), dtype=np.float32)


SHIPPED = Bearing(-5.379, (0.459, -0.230, 2.150, 3.043, -0.278, 0.230, 2.606))


@dataclass(frozen=True, slots=True)
class Asked:
    """A question taken apart once: what its answer must be of, its words with their rarity."""

    query: RerankQuery
    fields: tuple[str, ...]
    weights: Mapping[str, float]
    folded: str
    numbers: frozenset[str]

    @staticmethod
    def of(query: RerankQuery) -> "Asked":
        """Take a question apart."""
        lexicon = Lexicon(query.passages, query.frequency)
        asked = asks.asked_words(query.text)
        return Asked(
            query,
            tuple(asks.requested_fields(query.text)),
            {word: lexicon.weight(word) for word in asked},
            fold(query.text),
            frozenset(re.findall(r"\d+", query.text)),
        )

    def signs(self, candidate: Candidate) -> Signs:
        """Return the signs of every sentence of a candidate, in the order of its sentences."""
        text = take_apart(candidate.passage)
        if not text.lines:
            return np.zeros((0, len(SIGNS)), dtype=np.float32)
        shares = held_in(text, tuple(self.weights)).lines
        weights = np.array(list(self.weights.values()), dtype=np.float32)
        total = float(weights.sum()) or 1.0
        beside = _with_neighbours(shares)
        coverage = weights @ shares / total
        around = weights @ beside / total
        rarest = beside[int(np.argmax(weights))] if len(weights) else np.zeros_like(coverage)
        kind = np.array([self._kind(line.text) for line in text.lines], dtype=np.float32)
        numbers = np.full(len(coverage), self._numbers(candidate), dtype=np.float32)
        meaning = np.zeros(len(coverage), dtype=np.float32)
        cosines = candidate.sentence_vectors @ self.query.vector
        meaning[: len(cosines)] = cosines[: len(meaning)]
        return np.stack([kind, kind * around, coverage, around, rarest, numbers, meaning], axis=1)

    def _kind(self, sentence: str) -> float:
        if not self.fields:
            return 0.5
        # a name is looked for last: it takes the parts of speech of the whole sentence
        fields = sorted(self.fields, key=_NAME_TAGS.__contains__)
        return float(any(self._answers(field, sentence) for field in fields))

    def _answers(self, field: str, sentence: str) -> bool:
        """Tell whether a sentence is of a kind; people and places must be named, and be new."""
        tags = _NAME_TAGS.get(field)
        if tags is None:
            return asks.answers_field(field, sentence, self.query.text)
        if is_cjk(sentence):
            found = [word for word, flag in tagged(sentence) if flag.startswith(tags)]
        else:
            found = _CAPITAL.findall(sentence)
        return any(fold(name) not in self.folded for name in found)

    def _numbers(self, candidate: Candidate) -> float:
        if not self.numbers:
            return 0.5
        passage = candidate.passage
        whole = " ".join((passage.title, *passage.section, passage.text))
        return sum(number in whole for number in self.numbers) / len(self.numbers)


def _with_neighbours(shares: Signs) -> Signs:
    best = shares.copy()
    if shares.shape[1] > 1:
        best[:, 1:] = np.maximum(best[:, 1:], _BESIDE * shares[:, :-1])
        best[:, :-1] = np.maximum(best[:, :-1], _BESIDE * shares[:, 1:])
    return best
