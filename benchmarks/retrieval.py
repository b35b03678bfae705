"""How well passages are found on public question sets; `youju eval retrieval` with a report."""

import argparse
import asyncio
import sys
from pathlib import Path

import typer

from app.commands import evaluating
from app.commands.boundary import boundary
from app.evaluation import reporting
from app.evaluation.datasets import SOURCES
from app.evaluation.retrieval import SetOutcome
from app.settings import Settings
from benchmarks.machine import machine_facts
from benchmarks.reporting import RESULTS, Table, markdown, write_json


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the question sets")
    parser.add_argument("--sets", nargs="*", choices=list(SOURCES), default=[], metavar="SET")
    parser.add_argument("--limit", type=int, help="only the first N questions of each set")
    parser.add_argument("--work", type=Path, help="keep the knowledge bases for the next run")
    parser.add_argument("--reranker", help="lexical, bge, llm or none")
    parser.add_argument("--cross-fit", action="store_true")
    parser.add_argument("output", nargs="?", type=Path, default=RESULTS / "retrieval.json")
    options = parser.parse_args()
    try:
        with boundary():
            settings = evaluating.settings_for(options.reranker)
            outcomes = asyncio.run(_evaluate(settings, options))
    except typer.Exit as stopped:  # the reason is told already
        return stopped.exit_code
    evaluating.report(outcomes)
    write_json(
        options.output,
        {"machine": machine_facts()} | evaluating.as_json(outcomes, settings),
    )
    page = options.output.with_suffix(".md")
    page.write_text(markdown([Table(*table) for table in reporting.tables(outcomes)]))
    print(f"{options.output} and, for the README, {page} were written")
    return 0


async def _evaluate(settings: Settings, options: argparse.Namespace) -> list[SetOutcome]:
    return await evaluating.evaluate(
        settings, options.data, options.sets, options.limit, options.work, options.cross_fit
    )


if __name__ == "__main__":
    sys.exit(main())
