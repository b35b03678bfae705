"""What the answers' evaluation found, for programs and as ready tables."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from app.evaluation.bootstrap import Interval
from app.evaluation.rag.abstention import BINS, reliability
from app.evaluation.rag.measured import Measured, Row

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]
"""Title, columns, rows of ready texts."""
_FIGURES = {
    "auroc": "AUROC",
    "rejection_at_10": "rejected at 10 % false refusals",
    "rejected": "rejected",
    "falsely_refused": "falsely refused",
    "risk_coverage": "area under risk-coverage",
    "risk_coverage_wrong": "the same, wrong answers too",
    "calibration_error": "ECE",
}


def as_json(measured: Measured) -> dict[str, Any]:
    """Return every figure and row; rows hold answers, so they belong into a file of the caller's."""
    return {
        "protocol": measured.protocol,
        "set": measured.set_name,
        "figures": {
            condition: {
                name: _rounded(found) | {"questions": count}
                for name, (found, count) in measured.means(condition).items()
            }
            for condition in measured.conditions
        },
        "abstention": {name: _rounded(found) for name, found in measured.abstention().items()},
        "reliability": [asdict(each) for each in reliability(measured.judged)]
        if measured.judged
        else [],
        "costs": costs(measured.rows),
        "rows": [row.as_json() for row in measured.rows],
    }


def costs(rows: Sequence[Row]) -> dict[str, float]:
    """Return seconds a question (median and 95th percentile), citations, model calls and tokens."""
    seconds = [row.run.seconds for row in rows]
    citations = sum(row.run.citations for row in rows)
    valid = sum(row.run.valid_citations for row in rows)
    return {
        "questions": len(rows),
        "p50": round(float(np.percentile(seconds, 50)), 4) if rows else 0.0,
        "p95": round(float(np.percentile(seconds, 95)), 4) if rows else 0.0,
        "citations": citations,
        "valid_citations": valid,
        "statements_without_citation": sum(row.run.uncited for row in rows),
        "calls": sum(row.run.calls for row in rows),
        "tokens": sum(row.run.tokens for row in rows),
    }


def tables(outcomes: Sequence[Measured]) -> list[Table]:
    """Return the tables that are printed; nothing of the data stands in them."""
    found = [_scores(measured) for measured in outcomes]
    told = [(measured, figures) for measured in outcomes if (figures := measured.abstention())]
    if told:
        found.append(_abstention(told))
        found.append(_reliability([measured for measured, _ in told]))
    return [*found, _costs(outcomes)]


def _scores(measured: Measured) -> Table:
    title = f"{measured.protocol} on {measured.set_name}"
    figures = {condition: measured.means(condition) for condition in measured.conditions}
    if len(figures) == 1:
        found = next(iter(figures.values()))
        listed = [(name, str(count), _shown(mean)) for name, (mean, count) in found.items()]
        return title, ("figure", "n", "mean [95 %]"), listed
    names = list(dict.fromkeys(name for found in figures.values() for name in found))
    rows = [
        (
            condition,
            str(len(measured.of(condition))),
            *(_shown(found[name][0]) if name in found else "" for name in names),
        )
        for condition, found in figures.items()
    ]
    return title, ("condition", "n", *names), rows


def _abstention(told: Sequence[tuple[Measured, Mapping[str, Interval]]]) -> Table:
    columns = ("protocol", "set", "figure", "value [95 %]", "n answerable", "n not")
    rows = []
    for measured, figures in told:
        held = sum(each.answerable for each in measured.judged)
        for name, title in _FIGURES.items():
            rows.append(
                (
                    measured.protocol,
                    measured.set_name,
                    title,
                    _shown(figures[name]),
                    str(held),
                    str(len(measured.judged) - held),
                )
            )
    return "Knowing what can be answered", columns, rows


def _reliability(told: Sequence[Measured]) -> Table:
    columns = ("protocol", "set", *(str(at) for at in range(1, BINS + 1)))
    rows = []
    for measured in told:
        bins = reliability(measured.judged)
        cells = [f"{each.confidence:.2f} {each.answerable:.2f}" for each in bins]
        rows.append((measured.protocol, measured.set_name, *cells, *[""] * (BINS - len(cells))))
    return (
        "Reliability: mean confidence and share that can be answered, by bins of equal mass",
        columns,
        rows,
    )


def _costs(outcomes: Sequence[Measured]) -> Table:
    columns = (
        "protocol", "set", "questions", "p50 ms", "p95 ms", "citations", "valid", "uncited",
        "model calls", "tokens",
    )  # fmt: skip
    rows = []
    for measured in outcomes:
        spent = costs(measured.rows)
        share = spent["valid_citations"] / spent["citations"] if spent["citations"] else 1.0
        rows.append(
            (
                measured.protocol,
                measured.set_name,
                f"{spent['questions']:.0f}",
                f"{1000 * spent['p50']:.0f}",
                f"{1000 * spent['p95']:.0f}",
                f"{spent['citations']:.0f}",
                f"{100 * share:.2f} %",
                f"{spent['statements_without_citation']:.0f}",
                f"{spent['calls']:.0f}",
                f"{spent['tokens']:,.0f}",
            )
        )
    return "Runs: seconds, and quotes that equal the canonical text at their offsets", columns, rows


def _shown(found: Interval) -> str:
    return f"{found.mean:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _rounded(found: Interval) -> dict[str, float | None]:
    return {
        name: None if np.isnan(value) else round(value, 4) for name, value in asdict(found).items()
    }
