"""Which words stand in which lines of a passage: read once, used by reranking, ranking and the scorer."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.lines import PassageText, presence, presences

Shares = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Held:
    """How far each word stands where, in [0, 1].

    `heading` has shape (words,); `over` too: the headings with the header of the table that the
    passage goes on with; `lines` has shape (words, lines), each line with what is over it.
    """

    heading: Shares
    over: Shares
    lines: Shares

    @property
    def anywhere(self) -> Shares:
        """Shape (words,): the best place of each word."""
        return np.asarray(np.maximum(self.over, self.lines.max(axis=1, initial=0.0)))


@lru_cache(maxsize=1024)
def held_in(text: PassageText, words: tuple[str, ...]) -> Held:
    """Return where the words stand. The arrays are shared: don't write into them."""
    read = np.array([presences(word, text) for word in words], dtype=np.float32)
    read = read.reshape(len(words), 1 + len(text.lines))
    heading = read[:, 0]
    over = heading
    if text.lead is not None:
        lead = np.array([presence(word, text.lead) for word in words], dtype=np.float32)
        over = np.maximum(heading, lead)
    return Held(heading, over, np.maximum(read[:, 1:], over[:, None]))
