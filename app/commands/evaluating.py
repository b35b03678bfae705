"""Measure retrieval and answers on public question sets that the caller has downloaded."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
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
from app.evaluation.datasets import SOURCES, QuestionSet, Source, load
from app.evaluation.ranker_fit import RankerFitter
from app.evaluation.retrieval import Progress, SetOutcome, open_set, run
from app.settings import Settings
from app.wiring import open_services

_WIDE = 160
"""Columns where the output is no terminal: a narrow default would cut the tables."""
VECTORS = "evaluation-vectors.sqlite"
"""The file in a data folder that keeps the vectors of the passages."""


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
    sets = sets_of(folder, names, SOURCES)
    with data_folder(work) as data_dir, progress_bars() as progress:
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
        with closing(CorpusStore(services, settings.data_dir / VECTORS)) as corpora:
            if not folds:
                return await run(corpora, sets, search, limit, progress)
            learned = [await open_set(corpora, s, progress) for s in sets if s.name in FITTED_ON]
            others = [each for each in sets if each.name not in FITTED_ON]
            fitted = await cross_fit(learned, search, RankerFitter(), limit, progress)
            return fitted + await run(corpora, others, search, limit, progress)


def report(outcomes: Sequence[SetOutcome]) -> None:
    """Print the tables."""
    show(reporting.tables(outcomes))


def show(tables: Sequence[reporting.Table]) -> None:
    """Print ready tables; the first two columns hold words, the others numbers."""
    console = out if out.is_terminal else Console(width=_WIDE, highlight=False, soft_wrap=True)
    for title, columns, rows in tables:
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


def sets_of(folder: Path, names: Sequence[str], sources: Mapping[str, Source]) -> list[QuestionSet]:
    """Return the named sets that the folder holds, all of `sources` where none is named.

    Raises CommandFailed where there is none, FormatError for a file in another form.
    """
    unknown = [name for name in names if name not in sources]
    if unknown:
        raise CommandFailed(
            f"There is no question set named {unknown[0]}.", f"Choose from {', '.join(sources)}."
        )
    found, missing = load(folder, names or list(sources))
    for name in missing:
        note(f"{name} was left out: {folder} lacks {' or '.join(sources[name].files)}")
    if not found:
        raise CommandFailed(
            f"{folder} holds no question set.",
            "Give the folder above rgb/, hotpotqa/, lecoqa/ and so on; the README names their files.",
        )
    return found


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show a bar for each thing that is told of."""
    with progress_bar() as bar:
        tasks: dict[str, Any] = {}

        def progress(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what)
            bar.update(tasks[what], completed=done, total=total)

        yield progress


@contextmanager
def data_folder(work: Path | None) -> Iterator[Path]:
    """Give the folder that knowledge bases are kept in, or one that is gone afterwards."""
    if work is not None:
        yield work
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)
