"""How good a ranking is, from the gains of what it found."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Scores:
    """The figures of one ranking, each in [0, 1]."""

    ndcg_10: float
    all_gold_10: float
    mrr_10: float
    hit_1: float
    hit_5: float
    hit_10: float


def score(
    ranking: Sequence[str], gains: Mapping[str, int], parts: Sequence[frozenset[str]] = ()
) -> Scores:
    """Score a ranking, best first, against the gold passages; `gains` must not be empty.

    All gold is there when one passage of each of `parts` is; without parts, when every one is.
    """
    top = ranking[:DEPTH]
    wanted = parts or [frozenset({key}) for key in gains]
    ranks = [rank for rank, key in enumerate(top, start=1) if gains.get(key, 0) > 0]
    first = ranks[0] if ranks else math.inf
    return Scores(
        ndcg_10=ndcg(top, gains, DEPTH),
        all_gold_10=float(all(part & {*top} for part in wanted)),
        mrr_10=1 / first,
        hit_1=float(first <= 1),
        hit_5=float(first <= 5),
        hit_10=float(first <= DEPTH),
    )


def ndcg(ranking: Sequence[str], gains: Mapping[str, int], depth: int) -> float:
    """Return the discounted gain (gain / log2(rank + 1)) over that of the best possible order."""
    ideal = _discounted(sorted(gains.values(), reverse=True)[:depth])
    return _discounted([gains.get(key, 0) for key in ranking[:depth]]) / ideal


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
