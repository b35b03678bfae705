"""What a whole set of passages says about being enough for a question.

Besides the size of the knowledge base, two kinds of sets are told apart. Of a few passages the best one decides: how likely one of its
sentences answers, and how much of the question it holds. Where a search left many, as it does in a large
knowledge base, something near the question is always among them; there it counts whether passages agree,
that is, whether the sentences that most likely answer bring in the same words.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence.bearing import SHIPPED, Asked
from graphs.evidence.holding import held_in
from graphs.evidence.lines import take_apart
from graphs.evidence.passages import Evidence
from graphs.evidence.text import words
from graphs.ports import Candidate, Matrix, RerankQuery

FEW = 5
"""Sets of at most this many passages are judged by their best one."""
SMALL, LARGE = 100, 1000
"""A knowledge base of at most this many passages is small, from that many on it is large."""
_READ = 10
"""Passages of a larger set whose agreement is read, the most likely ones."""
_SENTENCES = 2
"""Sentences of each passage that may say the same as another passage's."""
_SHARED_WORDS = 3
_SOFT = 0.01
_MOST_ODDS = math.log((1 + _SOFT) / _SOFT)


@dataclass(frozen=True, slots=True)
class Signals:
    """What a set of passages says, each in [0, 1] but the counts."""

    base: int = 0
    """Passages of the knowledge base."""
    passages: int = 0
    bearing: float = 0.0
    """The highest probability that a sentence answers."""
    words: float = 0.0
    """Rarity-weighted share of the question's words that one passage holds, the best one."""
    rarest: float = 0.0
    """How far that passage holds the question's heaviest words: 1 − its heaviest lack."""
    agreement: float = 0.0
    """How likely the passages bring in the same new words (`agreement`)."""


def odds(probability: float) -> float:
    """Return the log odds of a probability in [0, 1], mapped to [0, 1]: 0 to 0, 0.5 to 0.5, 1 to 1."""
    soft = math.log((probability + _SOFT) / (1 - probability + _SOFT))
    return min(1.0, max(0.0, 0.5 + 0.5 * soft / _MOST_ODDS))


def smallness(base: int) -> float:
    """Return 1 for a small knowledge base, 0 for a large one, in between by the logarithm.

    The larger it is, the surer it holds something that is near a question and does not answer it.
    """
    if base <= SMALL:
        return 1.0
    return max(0.0, math.log(LARGE / base) / math.log(LARGE / SMALL))


def signals_of(
    query: RerankQuery, evidence: Sequence[Evidence], matrices: Mapping[str, Matrix]
) -> Signals:
    """Return the signals of a set; its order does not matter.

    `query` is the question as the user meant it; `matrices`: passage id to its sentence vectors.
    """
    asked = Asked.of(query)
    weights = np.array(list(asked.weights.values()), dtype=np.float32)
    none = np.zeros((0, len(query.vector)), dtype=np.float32)
    likely: list[list[tuple[str, float]]] = []
    best: list[float] = []
    held: list[tuple[float, float]] = []
    for item in evidence:
        matrix = matrices.get(item.passage.id, none)
        found = asked.signs(Candidate(item.passage, item.dense, item.keyword, matrix))
        if not len(found):
            continue
        chances = SHIPPED.probabilities(found)
        best.append(float(chances.max()))
        held.append(_held(item, tuple(asked.weights), weights))
        lines = take_apart(item.passage).lines
        top = np.argsort(-chances, kind="stable")[:_SENTENCES]
        likely.append([(lines[i].text, float(chances[i])) for i in top])
    if not best:
        return Signals(base=query.passages, passages=len(evidence))
    whole, rarest = max(held)
    order = sorted(range(len(best)), key=lambda i: -best[i])[:_READ]
    known = frozenset(words(query.text))
    return Signals(
        base=query.passages,
        passages=len(evidence),
        bearing=max(best),
        words=whole,
        rarest=rarest,
        agreement=agreement([new_words(likely[i], known) for i in order]),
    )


def new_words(
    sentences: Sequence[tuple[str, float]], known: frozenset[str] = frozenset()
) -> dict[str, float]:
    """Return what sentences bring in beyond `known` words, each with its sentence's probability.

    Single characters say too little, single digits don't.
    """
    found: dict[str, float] = {}
    for text, chance in sentences:
        for word in words(text):
            if word not in known and (len(word) > 1 or word.isdigit()):
                found[word] = max(found.get(word, 0.0), chance)
    return found


def agreement(passages: Sequence[Mapping[str, float]]) -> float:
    """Return how likely an answer is given the passages' new words, by the three most likely words.

    A word's likelihood is the noisy-or, 1 − Π(1 − p), over the passages that bring it in: one passage
    alone counts as much as its best sentence, each further one that says the same adds to it.
    """
    against: dict[str, float] = {}
    for brought in passages:
        for word, chance in brought.items():
            against[word] = against.get(word, 1.0) * (1.0 - chance)
    best = sorted(against.values())[:_SHARED_WORDS]
    return min(1.0, max(0.0, 1.0 - sum(best) / len(best))) if best else 0.0


def _held(
    item: Evidence, asked: tuple[str, ...], weights: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> tuple[float, float]:
    """Return the share of the asked words that a passage holds, and 1 − the heaviest lack."""
    total = float(weights.sum())
    if total <= 0.0:
        return 1.0, 1.0
    anywhere = held_in(take_apart(item.passage), asked).anywhere
    lack = float((weights * (1.0 - anywhere)).max()) / float(weights.max())
    return min(1.0, float(weights @ anywhere) / total), min(1.0, max(0.0, 1.0 - lack))
