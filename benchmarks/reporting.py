"""What a benchmark hands back, and how it is printed and written."""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from rich.console import Console
from rich.table import Table as RichTable

from benchmarks.machine import machine_facts

Scale = Literal["tiny", "short", "full"]
SCALES: tuple[Scale, ...] = ("tiny", "short", "full")
RESULTS = Path("bench-results")
_WIDE = 160
"""Columns where the output is no terminal: a narrow default would cut the tables."""


@dataclass(frozen=True, slots=True)
class Target:
    """A limit that a figure must keep: at most `limit`, or exactly it."""

    name: str
    value: float
    limit: float
    unit: str
    exact: bool = False

    @property
    def met(self) -> bool:
        """Tell whether the figure keeps its limit."""
        return self.value == self.limit if self.exact else self.value <= self.limit


@dataclass(frozen=True, slots=True)
class Table:
    """A table of ready texts."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Report:
    """One benchmark's outcome: figures for programs, tables for people, targets, raw details."""

    name: str
    figures: dict[str, Any]
    tables: Sequence[Table]
    targets: Sequence[Target] = ()
    details: Any = field(default_factory=dict)

    @property
    def met(self) -> bool:
        """Tell whether every target is met."""
        return all(target.met for target in self.targets)

    def as_json(self) -> dict[str, Any]:
        """Return everything but the tables."""
        return {
            "name": self.name,
            "figures": self.figures,
            "targets": [asdict(target) | {"met": target.met} for target in self.targets],
            "details": self.details,
        }

    def all_tables(self) -> list[Table]:
        """Return the tables, led by that of the targets."""
        return [_targets(self.name, self.targets), *self.tables] if self.targets else [*self.tables]


Measure = Callable[[Scale], Coroutine[Any, Any, Report]]


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Return median, 95th percentile, largest value and count."""
    if not values:
        return {"p50": 0.0, "p95": 0.0, "max": 0.0, "count": 0}
    p50, p95 = np.percentile(values, (50, 95))
    return {
        "p50": round(float(p50), 3),
        "p95": round(float(p95), 3),
        "max": round(float(max(values)), 3),
        "count": len(values),
    }


def show(report: Report) -> None:
    """Print the tables."""
    console = Console(width=None if sys.stdout.isatty() else _WIDE)
    for table in report.all_tables():
        drawn = RichTable(title=table.title, title_justify="left")
        for index, column in enumerate(table.columns):
            drawn.add_column(column, justify="left" if index == 0 else "right")
        for row in table.rows:
            drawn.add_row(*row)
        console.print(drawn)


def markdown(tables: Sequence[Table]) -> str:
    """Return the tables as Markdown, for pasting into the README."""
    parts = []
    for table in tables:
        rule = ["---"] + ["---:"] * (len(table.columns) - 1)
        lines = [_row(cells) for cells in (table.columns, rule, *table.rows)]
        parts.append(f"**{table.title}**\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def write_json(path: Path, data: Any) -> None:
    """Write JSON, making the folder if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n")


def arguments(description: str, output: Path) -> argparse.ArgumentParser:
    """Return a parser of the options that every script takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("output", nargs="?", type=Path, default=output, help="file for the JSON")
    parser.add_argument("--scale", choices=SCALES, default="short", help="how much is measured")
    parser.add_argument("--full", dest="scale", action="store_const", const="full")
    parser.add_argument(
        "--report-only", action="store_true", help="don't fail where a target is missed"
    )
    return parser


def command(name: str, description: str, measure: Measure) -> int:
    """Run one benchmark as a program and return its exit code."""
    options = arguments(description, RESULTS / f"{name}.json").parse_args()
    return finish(asyncio.run(measure(options.scale)), options)


def finish(report: Report, options: argparse.Namespace) -> int:
    """Print and write one report; return 1 where a missed target must fail the program."""
    show(report)
    facts = {"machine": machine_facts(), "scale": options.scale}
    write_json(options.output, facts | report.as_json())
    return 0 if report.met or options.report_only else 1


def _targets(name: str, targets: Sequence[Target]) -> Table:
    rows = [
        (
            target.name,
            f"{target.value:.4g} {target.unit}",
            f"{'' if target.exact else '≤ '}{target.limit:g} {target.unit}",
            "met" if target.met else "MISSED",
        )
        for target in targets
    ]
    return Table(f"{name}: targets", ("target", "measured", "limit", ""), rows)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
