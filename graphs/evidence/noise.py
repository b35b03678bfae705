"""Noise among ranked passages: what is beside the question, and what repeats what stands above it.

Contrastive: a passage is held against the best one, not against a fixed number, so that a question
with one good passage keeps one and a question with ten keeps ten. Nothing leaves that consistency
and freshness must see: a passage that is near a kept one but differs in a number, unit, date, code,
negation or named entity, or belongs to another version of its document.
"""

from collections.abc import Sequence

import numpy as np

from graphs.evidence.dedupe import protected
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import trigrams

ALIKE = 0.9
"""Cosine from which two passages of the default embedder tell the same."""
CONTAINED = 0.3
"""Share of a passage's word 3-grams that a better one must hold to tell the same."""
STRONG = 0.65
"""A passage with this calibrated score is never beside the question: another part of it may be what
it answers."""
KEPT = 3
"""Passages that are never beside the question: gaps are read from them."""


def without_noise(ranked: Sequence[Evidence], margin: float) -> list[Evidence]:
    """Return the passages to read, best first.

    `margin` is how far below the best one, on the ranker's scale, a passage is beside the question.
    """
    kept: list[Evidence] = []
    highest = max((item.order for item in ranked), default=0.0)
    for item in ranked:
        near = _nearest(item, kept)
        if near is not None:
            noisy = adds_nothing(item.passage, near)
        else:
            # what is near a kept passage is about the same: it may contradict it
            below = item.order < highest - margin and item.score < STRONG
            noisy = below and len(kept) >= KEPT
        if not noisy:
            kept.append(item)
    return kept


def adds_nothing(passage: Passage, kept: Passage) -> bool:
    """Tell whether a passage that tells the same as a better one states nothing beyond it."""
    if passage.document_id == kept.document_id and passage.version != kept.version:
        return False
    if not protected(passage) <= protected(kept):
        return False
    own = trigrams(passage.text)
    return len(own & trigrams(kept.text)) >= CONTAINED * len(own)


def _nearest(item: Evidence, kept: Sequence[Evidence]) -> Passage | None:
    """Return the kept passage that tells the same, the nearest one, or None."""
    others = [(each.passage, each.meaning) for each in kept if each.meaning is not None]
    if item.meaning is None or not others:
        return None
    cosines = np.stack([meaning for _, meaning in others]) @ item.meaning
    best = int(np.argmax(cosines))
    return others[best][0] if float(cosines[best]) >= ALIKE else None
