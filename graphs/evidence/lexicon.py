"""How rare the words of a question are in a knowledge base."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphs.evidence.names import term_weight

_UNKNOWN = 2
"""A word that no passage holds weighs like one that this many hold; chosen on the sample questions
among 0, 1, 2 and 4: fewest wrong answers at the highest share of answered ones."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How rare words are in a knowledge base of `passages` passages."""

    passages: int
    frequency: Mapping[str, int]
    _weights: dict[str, float] = field(default_factory=dict, repr=False, compare=False)

    def weight(self, word: str) -> float:
        """Return the smoothed inverse document frequency times the word's own weight.

        Words that the knowledge base does not know weigh as much as rare ones: they tell that it may
        not answer, but many are only slips of segmentation.
        """
        known = self._weights.get(word)
        if known is None:
            held = self.frequency.get(word, 0) or _UNKNOWN
            known = math.log1p(self.passages / (held + 0.5)) * term_weight(word)
            self._weights[word] = known
        return known
