"""What the retrieval evaluation found, for programs and as ready tables."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from statistics import fmean
from typing import Any

from app.evaluation.bootstrap import Interval, interval, paired
from app.evaluation.metrics import Scores
from app.evaluation.redundancy import LISTS, REDUNDANT
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
        "redundancy": redundancy(outcome),
        "per_question": {
            each.question.id: {mode: round(each.scores[mode].ndcg_10, 4) for mode in MODES}
            for each in outcome.outcomes
        },
    }


def difference(outcome: SetOutcome, mode: str) -> Interval:
    """Return how far the final order lies above another mode in nDCG@10, on the same questions."""
    return paired(_values(outcome, _FINAL, "ndcg_10"), _values(outcome, mode, "ndcg_10"))


def redundancy(outcome: SetOutcome) -> dict[str, dict[str, float]]:
    """Return for each list how redundant it is and how much gold it keeps, against the first one."""
    found: dict[str, dict[str, float]] = {}
    for name in LISTS:
        lists = [each.selections[name] for each in outcome.outcomes]
        cosines = [one.cosine for one in lists if one.cosine is not None]
        count, redundant = sum(one.passages for one in lists), sum(one.redundant for one in lists)
        recall = fmean(one.recall for one in lists)
        first = found.get(LISTS[0], {"redundant": redundant, "gold_recall": recall})
        found[name] = {
            "passages": round(count / len(lists), 3),
            "redundant": redundant,
            "redundant_share": round(redundant / count, 4) if count else 0.0,
            "mean_cosine": round(fmean(cosines), 4) if cosines else 0.0,
            "redundancy_removed": round(1 - redundant / (first["redundant"] or 1), 4),
            "gold_recall": round(recall, 4),
            "gold_recall_kept": round(recall / (first["gold_recall"] or 1), 4),
        }
    selecting = fmean(each.selecting for each in outcome.outcomes)
    found[LISTS[-1]]["milliseconds"] = round(1000 * selecting, 2)
    return found


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
        _redundancy_table(outcomes),
    ]


def _redundancy_table(outcomes: Sequence[SetOutcome]) -> Table:
    title = (
        f"Redundancy: passages whose cosine with one above them is at least {REDUNDANT}; "
        "milliseconds for the whole selection, nothing cached"
    )
    columns = ["set", "evidence", "passages", "redundant", "mean cosine", "redundancy removed"]
    columns += ["gold recall", "gold recall kept", "ms"]
    rows = []
    for outcome in outcomes:
        for name, found in redundancy(outcome).items():
            shares = ("redundant_share", "redundancy_removed", "gold_recall", "gold_recall_kept")
            share, removed, recall, kept = (f"{100 * found[key]:.1f} %" for key in shares)
            took = f"{found['milliseconds']:.1f}" if "milliseconds" in found else ""
            passages, cosine = f"{found['passages']:.1f}", f"{found['mean_cosine']:.3f}"
            rows.append([outcome.name, name, passages, share, cosine, removed, recall, kept, took])
    return title, columns, rows


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
