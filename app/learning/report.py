"""What a trial of learning found, and whether that is good enough."""

from collections.abc import Sequence

import numpy as np
from pydantic import BaseModel

from app.evaluation.bootstrap import Interval, paired
from app.learning.trial import LEAST_WEIGHTS, Tried


class Part(BaseModel):
    """One line of the trial's table: means before and after, and the paired difference of nDCG@10.

    `documents` says which questions: of documents that the other folds know all, some or none of,
    or "every".
    """

    documents: str
    questions: int
    ndcg_before: float
    ndcg_after: float
    hit_before: float
    hit_after: float
    gain: float
    gain_low: float
    gain_high: float


class LearnReport(BaseModel):
    """What became of learning. `reason` says why it is applied, or why it is not."""

    kb: str
    questions: int
    links: int
    new_questions: int
    applied: bool
    adapter_rank: int
    fitted_weights: bool
    embedder: str
    reason: str
    parts: tuple[Part, ...]


def parts_of(tried: Sequence[Tried]) -> tuple[Part, ...]:
    """Return the trial's table; parts without a question are left out."""
    parts = []
    for name in ("every", "all", "some", "none"):
        own = [one for one in tried if name in ("every", one.seen)]
        if own:
            gain = _gain(own)
            figures = np.array([(*one.before, *one.after) for one in own]).mean(axis=0)
            ndcg_before, hit_before, ndcg_after, hit_after = (round(float(x), 4) for x in figures)
            parts.append(
                Part(
                    documents=name,
                    questions=len(own),
                    ndcg_before=ndcg_before,
                    ndcg_after=ndcg_after,
                    hit_before=hit_before,
                    hit_after=hit_after,
                    gain=round(gain.mean, 4),
                    gain_low=round(gain.low, 4),
                    gain_high=round(gain.high, 4),
                )
            )
    return tuple(parts)


def _gain(tried: Sequence[Tried]) -> Interval:
    return paired([one.after[0] for one in tried], [one.before[0] for one in tried])


def verdict_of(tried: Sequence[Tried], questions: int) -> tuple[bool, str]:
    """Decide whether what was learned is applied, and say why.

    Many questions must show a gain by its lower bound, few ones no loss on average; documents that
    no known question leads to must not lose by more than chance.
    """
    if len(tried) < 2:
        return True, "one known question can't be tried on another: it is applied untried"
    unseen = [one for one in tried if one.seen == "none"]
    if unseen and _gain(unseen).high < 0:
        return False, "questions about documents without a known question would lose"
    gain = _gain(tried)
    if questions < LEAST_WEIGHTS:
        if gain.mean < 0:
            return False, "questions it had not learned were answered worse on average"
        return True, "questions it had not learned lose nothing on average"
    if gain.low <= 0:
        return False, "no gain beyond chance on questions it had not learned"
    return True, "questions it had not learned gain, by the lower bound"
