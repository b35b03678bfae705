"""Two builds on the same questions: paired differences with their intervals."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.evaluation.bootstrap import Interval, Positions, interval_of, paired
from app.evaluation.rag.abstention import Numbers, auroc, calibration_error, rejection
from graphs.errors import YoujuError

_STATISTICS: Mapping[str, Callable[[Numbers, Numbers], float]] = {
    "AUROC": auroc,
    "rejected at 10 % false refusals": rejection,
    "ECE": calibration_error,
}
_Rows = Mapping[tuple[str, str], Mapping[str, Any]]


class NothingToCompare(YoujuError):
    """Two results have no question in common."""

    hint = "Give two files that `youju eval rag --write` wrote, with a set and protocol in common."


@dataclass(frozen=True, slots=True)
class Difference:
    """How far the second build lies above the first one, over `questions` that both were asked."""

    protocol: str
    set_name: str
    condition: str
    figure: str
    first: float
    second: float
    difference: Interval
    questions: int


def compare(first: Mapping[str, Any], second: Mapping[str, Any]) -> list[Difference]:
    """Compare two results of `eval rag`; raises NothingToCompare."""
    befores, afters = _outcomes(first), _outcomes(second)
    found = [
        each
        for key in befores
        if key in afters
        for each in (
            *_means(key, befores[key], afters[key]),
            *_statistics(key, befores[key], afters[key]),
        )
    ]
    if not found:
        raise NothingToCompare("The two results have no question in common.")
    return found


def _outcomes(result: Mapping[str, Any]) -> dict[tuple[str, str], _Rows]:
    return {
        (each["protocol"], each["set"]): {
            (row["condition"], row["id"]): row for row in each["rows"]
        }
        for each in result.get("outcomes", [])
    }


def _means(key: tuple[str, str], before: _Rows, after: _Rows) -> list[Difference]:
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for place, row in before.items():
        for name, value in row["scores"].items():
            if place in after and name in after[place]["scores"]:
                pair = (value, after[place]["scores"][name])
                pairs.setdefault((place[0], name), []).append(pair)
    return [
        Difference(
            *key,
            condition,
            name,
            float(np.mean([one for one, _ in values])),
            float(np.mean([other for _, other in values])),
            paired([other for _, other in values], [one for one, _ in values]),
            len(values),
        )
        for (condition, name), values in pairs.items()
    ]


def _statistics(key: tuple[str, str], before: _Rows, after: _Rows) -> list[Difference]:
    """Compare what needs answerable and unanswerable questions together."""
    places = [
        place
        for place, row in before.items()
        if row["answerable"] is not None and place in after
        if after[place]["answerable"] == row["answerable"]
    ]
    answerable = np.array([before[place]["answerable"] for place in places], dtype=np.float64)
    if len(set(answerable.tolist())) < 2:
        return []
    old, new = (_confidence(rows, places) for rows in (before, after))

    def difference(
        statistic: Callable[[Numbers, Numbers], float],
    ) -> Callable[[Positions], float]:
        return lambda at: statistic(new[at], answerable[at]) - statistic(old[at], answerable[at])

    return [
        Difference(
            *key,
            "both",
            name,
            statistic(old, answerable),
            statistic(new, answerable),
            interval_of(difference(statistic), len(places)),
            len(places),
        )
        for name, statistic in _STATISTICS.items()
    ]


def _confidence(rows: _Rows, places: Sequence[tuple[str, str]]) -> Numbers:
    return np.array([rows[place]["confidence"] for place in places], dtype=np.float64)
