"""Measure retrieval on public question sets that the caller has downloaded."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from app.commands.boundary import CommandFailed, settings_of
from app.commands.ingesting import progress_bar
from app.commands.screen import note, out
from app.evaluation import reporting
from app.evaluation.corpus import CorpusStore
from app.evaluation.crossfit import FITTED_ON, cross_fit
from app.evaluation.datasets import SOURCES, QuestionSet, load
from app.evaluation.ranker_fit import RankerFitter
from app.evaluation.retrieval import Progress, SetOutcome, open_set, run
from app.settings import Settings
from app.wiring import open_services

_WIDE = 160
"""Columns where the output is no terminal: a narrow default would cut the tables."""
_VECTORS = "evaluation-vectors.sqlite"


def settings_for(reranker: str | None) -> Settings:
    """Return the settings with the reranker that is evaluated; a language model only for `llm`."""
    given = {} if reranker is None else {"reranker": reranker}
    settings = settings_of(**given)
    used: str = settings.reranker
    return settings if used == "llm" else settings_of(**given, llm="off")


async def evaluate(
    settings: Settings,
    folder: Path,
    names: Sequence[str],
    limit: int | None,
    work: Path | None,
    folds: bool,
) -> list[SetOutcome]:
    """Evaluate the sets that the folder holds, in a data folder of its own below `work`.

    Raises CommandFailed where there is nothing to evaluate, FormatError for a file in another form.
    """
    sets = _sets(folder, names)
    with _folder(work) as data_dir, progress_bar() as bar:
        tasks: dict[str, Any] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what)
            bar.update(tasks[what], completed=done, total=total)

        used = settings.model_copy(update={"data_dir": data_dir})
        return await _evaluate(used, sets, limit, folds, progress)


async def _evaluate(
    settings: Settings,
    sets: Sequence[QuestionSet],
    limit: int | None,
    folds: bool,
    progress: Progress,
) -> list[SetOutcome]:
    async with open_services(settings) as services:
        search = services.searcher.search_with
        if folds and search.ranker is None:
            raise CommandFailed(
                "The reranker in use has no fitted parameters, so there is nothing to cross-fit.",
                "Leave --cross-fit out.",
            )
        with closing(CorpusStore(services, settings.data_dir / _VECTORS)) as corpora:
            if not folds:
                return await run(corpora, sets, search, limit, progress)
            learned = [await open_set(corpora, s, progress) for s in sets if s.name in FITTED_ON]
            others = [each for each in sets if each.name not in FITTED_ON]
            fitted = await cross_fit(learned, search, RankerFitter(), limit, progress)
            return fitted + await run(corpora, others, search, limit, progress)


def report(outcomes: Sequence[SetOutcome]) -> None:
    """Print the tables."""
    console = out if out.is_terminal else Console(width=_WIDE, highlight=False, soft_wrap=True)
    for title, columns, rows in reporting.tables(outcomes):
        table = Table(title=title, title_justify="left")
        for index, column in enumerate(columns):
            table.add_column(column, justify="left" if index < 2 else "right")
        for row in rows:
            table.add_row(*row)
        console.print(table)


def as_json(outcomes: Sequence[SetOutcome], settings: Settings) -> dict[str, Any]:
    """Return all figures for scripts."""
    sets = {outcome.name: reporting.as_json(outcome) for outcome in outcomes}
    return {"name": "retrieval", "reranker": settings.reranker, "sets": sets}


def _sets(folder: Path, names: Sequence[str]) -> list[QuestionSet]:
    unknown = [name for name in names if name not in SOURCES]
    if unknown:
        raise CommandFailed(
            f"There is no question set named {unknown[0]}.", f"Choose from {', '.join(SOURCES)}."
        )
    found, missing = load(folder, names or list(SOURCES))
    for name in missing:
        note(f"{name} was left out: {folder} lacks {' or '.join(SOURCES[name].files)}")
    if not found:
        raise CommandFailed(
            f"{folder} holds no question set.",
            "Give the folder above rgb/, hotpotqa/, lecoqa/ and so on; the README names their files.",
        )
    return found


@contextmanager
def _folder(work: Path | None) -> Iterator[Path]:
    if work is not None:
        yield work
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
