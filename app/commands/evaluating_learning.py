"""Measure learning on public question sets: cross-fitted over the questions, stored nowhere."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from app.commands.evaluating import VECTORS, data_folder, progress_bars, sets_of
from app.evaluation.corpus import CorpusStore
from app.evaluation.crossfit import FITTED_ON
from app.evaluation.datasets import SOURCES
from app.evaluation.retrieval import Opened, Progress, open_set
from app.learning.links import Confirmed
from app.learning.report import LearnReport
from app.learning.teaching import Teacher
from app.services import Services
from app.settings import Settings
from app.wiring import open_services


async def evaluate(
    settings: Settings, folder: Path, names: Sequence[str], limit: int | None, work: Path | None
) -> list[LearnReport]:
    """Learn every question of each set and ask it of what learned the other folds.

    By default only sets whose licences allow that anything is fitted on them. Raises CommandFailed.
    """
    sets = sets_of(folder, names or FITTED_ON, SOURCES)
    with data_folder(work) as data_dir, progress_bars() as progress:
        used = settings.model_copy(update={"data_dir": data_dir})
        async with open_services(used) as services:
            with closing(CorpusStore(services, data_dir / VECTORS)) as corpora:
                return [
                    await _learned(
                        services, await open_set(corpora, one, progress), limit, progress
                    )
                    for one in sets
                ]


async def _learned(
    services: Services, opened: Opened, limit: int | None, progress: Progress
) -> LearnReport:
    name = opened.questions.name
    ids = {info.name: info.id for info in await services.library.documents(name)}
    confirmed = [
        Confirmed(question.text, tuple(ids[key] for key in question.gains))
        for question in opened.questions.questions[:limit]
    ]

    def show(step: str, done: int, of: int) -> None:
        progress(f"{name}: {step}", done, of)

    kb = await services.library.open(name)
    _, _, report = await Teacher(services).tried(kb, confirmed, show, len(confirmed))
    return report
