"""How a search came to its list: where every passage stood in each stage, and which gate dropped it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from graphs.evidence.passages import Evidence, Hit
from graphs.policy import Profile

Gate = Literal["threshold", "duplicate", "noise", "top_n"]
"""What keeps a ranked passage out of the evidence: its calibrated score lies under the profile's
threshold; a near-duplicate stands above it; it adds nothing to what stands above it; the list is full."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The stages of one search, each best first.

    `dense` holds cosines, `keyword` raw BM25, `fused` the weighted sum, `reranked` calibrated scores
    in their final order. `dropped` maps the id of each reranked passage that is no evidence to its
    gate.
    """

    dense: tuple[Hit, ...] = ()
    keyword: tuple[Hit, ...] = ()
    fused: tuple[Hit, ...] = ()
    reranked: tuple[Hit, ...] = ()
    dropped: Mapping[str, Gate] = field(default_factory=dict)


def traced(
    dense: Sequence[Hit],
    keyword: Sequence[Hit],
    fused: Sequence[Hit],
    ranked: Sequence[Evidence],
    kept: Sequence[Evidence],
    profile: Profile,
) -> Trace:
    """Return the trace of a search from its stages and from what it kept.

    What stands above the last passage of a full list, and is not in it, was noise.
    """
    chosen = {item.passage.id for item in kept}
    variants = {id_ for item in kept for id_ in item.variants}
    last = kept[-1].passage.id if len(kept) >= profile.top_n else ""
    dropped: dict[str, Gate] = {}
    full = False
    for item in ranked:
        id_ = item.passage.id
        if id_ in variants:
            dropped[id_] = "duplicate"
        elif item.score < profile.threshold and not item.confirmed:
            dropped[id_] = "threshold"
        elif id_ not in chosen:
            dropped[id_] = "top_n" if full else "noise"
        full = full or id_ == last
    reranked = tuple(Hit(item.passage.id, item.score) for item in ranked)
    return Trace(tuple(dense), tuple(keyword), tuple(fused), reranked, dropped)
