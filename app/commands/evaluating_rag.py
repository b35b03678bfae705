"""Measure answers on public question sets that the caller has downloaded."""

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from app.adapters.lock import DataLock
from app.commands.boundary import CommandFailed, settings_of
from app.commands.evaluating import VECTORS, data_folder, progress_bars, sets_of, show
from app.evaluation.corpus import CorpusStore
from app.evaluation.datasets import EVERY
from app.evaluation.rag import reporting
from app.evaluation.rag.asking import Asker
from app.evaluation.rag.compare import Difference, compare
from app.evaluation.rag.measured import Measured
from app.evaluation.rag.running import PROTOCOLS, SETS, of_set, run
from app.settings import Settings
from app.wiring import open_core


def settings_for(llm: bool) -> Settings:
    """Return the settings: the configured endpoint where a model is wanted, else the embedded brain."""
    return settings_of(llm="on" if llm else "off")


async def evaluate(
    settings: Settings,
    folder: Path,
    names: Sequence[str],
    protocols: Sequence[str],
    limit: int | None,
    work: Path | None,
) -> list[Measured]:
    """Measure the sets that the folder holds, in a data folder of its own below `work`.

    Raises CommandFailed where there is nothing to measure, FormatError for a file in another form.
    """
    unknown = [name for name in protocols if name not in PROTOCOLS]
    if unknown:
        raise CommandFailed(
            f"There is no protocol named {unknown[0]}.", f"Choose from {', '.join(PROTOCOLS)}."
        )
    wanted = [name for name in names or SETS if name not in SETS or of_set(name, protocols)]
    if not wanted:
        raise CommandFailed(
            "None of these sets is measured by these protocols.",
            "; ".join(f"{name}: {', '.join(sets)}" for name, (_, sets) in PROTOCOLS.items()),
        )
    sets = sets_of(folder, wanted, {name: EVERY[name] for name in SETS})
    with data_folder(work) as data_dir, progress_bars() as progress:
        used = settings.model_copy(update={"data_dir": data_dir})
        lock = DataLock(data_dir)
        lock.acquire()
        try:
            async with open_core(used) as core:
                with closing(CorpusStore(core, data_dir / VECTORS)) as corpora:
                    return await run(Asker(core), corpora, sets, protocols, limit, progress)
        finally:
            lock.release()


def report(outcomes: Sequence[Measured]) -> None:
    """Print the tables."""
    show(reporting.tables(outcomes))


def as_json(outcomes: Sequence[Measured], settings: Settings) -> dict[str, Any]:
    """Return all figures and rows for scripts and comparisons."""
    return {
        "name": "rag",
        "reasoner": settings.llm_model if settings.llm == "on" else "embedded",
        "reranker": settings.reranker,
        "outcomes": [reporting.as_json(each) for each in outcomes],
    }


def compared(first: Path, second: Path) -> list[Difference]:
    """Compare two files of results; raises CommandFailed where one is none."""
    results = [_result(path) for path in (first, second)]
    return compare(*results)


def report_differences(differences: Sequence[Difference]) -> None:
    """Print the paired differences."""
    columns = (
        "protocol",
        "set",
        "condition",
        "figure",
        "first",
        "second",
        "difference [95 %]",
        "n",
    )
    rows = [
        (
            each.protocol,
            each.set_name,
            each.condition,
            each.figure,
            f"{each.first:.3f}",
            f"{each.second:.3f}",
            f"{each.difference.mean:+.3f} "
            f"[{each.difference.low:+.3f}, {each.difference.high:+.3f}]",
            str(each.questions),
        )
        for each in differences
    ]
    show([("The second build against the first one, on the same questions", columns, rows)])


def _result(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise CommandFailed(
            f"{path} is not JSON.", "Give what `eval rag --write` wrote."
        ) from error
    if not isinstance(found, dict) or found.get("name") != "rag":
        raise CommandFailed(f"{path} holds no result.", "Give what `eval rag --write` wrote.")
    return found
