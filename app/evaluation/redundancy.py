"""How much the evidence repeats itself, and what it costs to make it repeat itself less."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphs.policy import Profile
from graphs.ports import Vector
from graphs.retrieval.hybrid import Found

LISTS = ("reranked", "near-duplicates collapsed", "noise removed")
REDUNDANT = 0.85
"""A passage whose vector is this near to one above it counts as redundant."""


@dataclass(frozen=True, slots=True)
class Selection:
    """One list of passages for one question.

    `redundant` counts passages that repeat one above them; `cosine` is the mean over all pairs,
    None below two passages; `recall` is the share of the gold passages in the list.
    """

    passages: int
    redundant: int
    cosine: float | None
    recall: float


def lists_of(found: Found, profile: Profile) -> dict[str, list[str]]:
    """Return the ids of what would be read after each step of the selection, best first."""
    dropped = found.trace.dropped
    ranked = [hit.id for hit in found.trace.reranked if dropped.get(hit.id) != "threshold"]
    single = [id_ for id_ in ranked if dropped.get(id_) != "duplicate"]
    kept = [item.passage.id for item in found.evidence]
    return dict(zip(LISTS, (ranked[: profile.top_n], single[: profile.top_n], kept), strict=True))


def measure(
    ids: Sequence[str],
    vectors: Mapping[str, Vector],
    keys: Mapping[str, str],
    gains: Mapping[str, int],
) -> Selection:
    """Measure one list; `keys` maps passage id to document key."""
    recall = len({keys[id_] for id_ in ids} & set(gains)) / len(gains)
    if len(ids) < 2:
        return Selection(len(ids), 0, None, recall)
    rows = np.stack([vectors[id_] for id_ in ids])
    cosines = rows @ rows.T
    above = np.tril(cosines, k=-1)  # row i against the rows before it: those ranked above
    redundant = int(np.sum(above[1:].max(axis=1) >= REDUNDANT))
    pairs = len(ids) * (len(ids) - 1) / 2
    return Selection(len(ids), redundant, float(above.sum() / pairs), recall)
