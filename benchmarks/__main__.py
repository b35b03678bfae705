"""Run every benchmark; print the tables, machine facts and Markdown; write one JSON file.

`python -m benchmarks NAME` runs one alone, with its own options.
"""

import asyncio
import runpy
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks import durability, ingest, quality, questions, start
from benchmarks.machine import machine_facts
from benchmarks.reporting import RESULTS, Report, arguments, markdown, show, write_json

ALONE = (
    "assess", "durability", "figure", "ingest", "latency", "llm_cost", "quality", "questions", "retrieval",
    "start",
)  # fmt: skip


def main() -> int:
    """Return 1 where a target was missed, unless only a report was asked for."""
    if sys.argv[1:2] and sys.argv[1] in ALONE:
        name = sys.argv.pop(1)
        runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
        return 0
    parser = arguments("Run every benchmark.", RESULTS / "all.json")
    parser.add_argument("--venv", type=Path, help="a virtual environment to weigh")
    options = parser.parse_args()
    machine, began = machine_facts(), time.perf_counter()
    Console().print(machine)
    # Each has an event loop of its own; the one that counts milliseconds comes first.
    runs: tuple[Callable[[], Coroutine[Any, Any, Report]], ...] = (
        lambda: durability.measure(options.scale),
        lambda: questions.measure(options.scale),
        lambda: quality.measure(options.scale),
        lambda: ingest.measure(options.scale),
        lambda: start.measure(options.scale, options.venv),
    )
    reports: list[Report] = []
    for run in runs:
        reports.append(asyncio.run(run()))
        show(reports[-1])
    seconds = round(time.perf_counter() - began, 1)
    facts = {"machine": machine, "scale": options.scale, "seconds": seconds}
    write_json(options.output, facts | {report.name: report.as_json() for report in reports})
    page = options.output.with_suffix(".md")
    page.write_text(
        f"{machine['cores']} cores, Python {machine['python']}, SQLite {machine['sqlite']},"
        f" load {machine['load_1_min']} at the start, {seconds:g} s in all.\n\n"
        + markdown([table for report in reports for table in report.all_tables()])
    )
    print(f"{options.output} and, for the README, {page} were written in {seconds:g} s")
    return 0 if options.report_only or all(report.met for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
