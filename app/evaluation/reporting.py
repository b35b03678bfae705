"""What the retrieval evaluation found, for programs and as ready tables."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from statistics import fmean
from typing import Any

from app.evaluation.bootstrap import Interval, interval, paired
from app.evaluation.metrics import Scores
from app.evaluation.retrieval import MODES, SetOutcome

METRICS = tuple(each.name for each in fields(Scores))
_SINGLE = ("dense", "keyword")
_FINAL = MODES[-1]

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""Title, columns, rows of ready texts."""


def as_json(outcome: SetOutcome) -> dict[str, Any]:
    """Return the figures of one set; questions appear by id alone, their texts are not ours."""
    better = _better(outcome)
    return {
        "questions": len(outcome.outcomes),
        "passages": outcome.passages,
        "seconds_per_question": round(fmean(each.seconds for each in outcome.outcomes), 4),
        "modes": {
            mode: {metric: _rounded(_figure(outcome, mode, metric)) for metric in METRICS}
            for mode in MODES
        },
        "difference": {"from": better, **_rounded(difference(outcome, better))},
        "per_question": {
            each.question.id: {mode: round(each.scores[mode].ndcg_10, 4) for mode in MODES}
            for each in outcome.outcomes
        },
    }


def difference(outcome: SetOutcome, mode: str) -> Interval:
    """Return how far the final order lies above another mode in nDCG@10, on the same questions."""
    return paired(_values(outcome, _FINAL, "ndcg_10"), _values(outcome, mode, "ndcg_10"))


def tables(outcomes: Sequence[SetOutcome]) -> list[Table]:
    """Return quality by set and mode, and the final order against the better single index."""
    columns = ("set", "mode", "nDCG@10 [95 %]", "all-gold@10", "MRR@10", "hit@10", "hit@1", "n")
    rows = [_row(outcome, mode) for outcome in outcomes for mode in MODES]
    gains = [
        (
            outcome.name,
            _better(outcome),
            _signed(difference(outcome, _better(outcome))),
            f"{1000 * fmean(each.seconds for each in outcome.outcomes):.0f}",
            f"{outcome.passages:,}",
        )
        for outcome in outcomes
    ]
    against = (
        "set",
        "better index",
        "nDCG@10 of the final order above it [95 %]",
        "ms",
        "passages",
    )
    return [
        ("Retrieval quality; each passage of the pooled corpus is one chunk", columns, rows),
        ("Paired difference on the same questions, and milliseconds per question", against, gains),
    ]


def _row(outcome: SetOutcome, mode: str) -> list[str]:
    found = _figure(outcome, mode, "ndcg_10")
    others = ("all_gold_10", "mrr_10", "hit_10", "hit_1")
    return [
        outcome.name,
        mode,
        f"{found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]",
        *(f"{fmean(_values(outcome, mode, metric)):.3f}" for metric in others),
        str(len(outcome.outcomes)),
    ]


def _better(outcome: SetOutcome) -> str:
    return max(_SINGLE, key=lambda mode: fmean(_values(outcome, mode, "ndcg_10")))


def _figure(outcome: SetOutcome, mode: str, metric: str) -> Interval:
    return interval(_values(outcome, mode, metric))


def _values(outcome: SetOutcome, mode: str, metric: str) -> list[float]:
    return [getattr(each.scores[mode], metric) for each in outcome.outcomes]


def _signed(found: Interval) -> str:
    return f"{found.mean:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"


def _rounded(found: Interval) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(found).items()}
