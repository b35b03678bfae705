"""Make a knowledge base anew from its canonical texts. No route does this: it needs the folder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.progress import Progress as Bar

from app.adapters.dense_chroma import FingerprintMismatch
from app.adapters.embedder_settings import setting_of
from app.adapters.lock import DataFolderBusy
from app.commands.boundary import CommandFailed
from app.commands.ingesting import progress_bar
from app.commands.lines import ProgressLines
from app.commands.screen import note, out
from app.ingest.reports import IngestReport, Progress
from app.learning.teaching import Teacher
from app.settings import Settings
from app.wiring import OpenServices, open_services


@dataclass(frozen=True, slots=True)
class Made:
    """What was made anew, and with which embedder."""

    embedder: str
    reports: list[IngestReport]
    resting: Mapping[str, int]
    """Knowledge base to its known questions, where what it learned was learned with another embedder."""

    def as_json(self) -> dict[str, Any]:
        """Return what became of each knowledge base, for scripts."""
        return {"knowledge_bases": [self._one(report) for report in self.reports]}

    def _one(self, report: IngestReport) -> dict[str, Any]:
        return {
            "kb": report.kb,
            "documents": len(report.files),
            "passages": report.chunks,
            "embedder": self.embedder,
            "seconds": round(report.seconds, 3),
            "resting_questions": self.resting.get(report.kb, 0),
        }


async def reindex(settings: Settings, kb: str | None, change_embedder: bool) -> Made:
    """Reindex one knowledge base, or all, behind a progress bar.

    Raises CommandFailed while another process holds the folder, and where a knowledge base was made
    with another embedder than the settings name, unless `change_embedder` asks for that.
    """
    try:
        async with open_services(settings) as services:
            names = [kb] if kb else [each.name for each in await services.library.list()]
            if not change_embedder:
                await _refuse_other_embedder(services, names)
            with progress_bar() as bar:
                reports = [await _reindex(services, name, bar) for name in names]
            return Made(services.models["embedder"], reports, await _resting(services, names))
    except DataFolderBusy as error:
        raise CommandFailed(
            f"Reindexing needs the data folder to itself: {error}.",
            "Stop that process first, then reindex, then start it again.",
        ) from error


async def _resting(services: OpenServices, names: Sequence[str]) -> dict[str, int]:
    """Return how many known questions rest, by knowledge base."""
    teacher = Teacher(services)
    found = {name: await teacher.state(name) for name in names}
    return {
        name: learned.questions
        for name, learned in found.items()
        if learned is not None and learned.applied and learned.embedder != teacher.embedder
    }


async def _refuse_other_embedder(services: OpenServices, names: Sequence[str]) -> None:
    """Raise CommandFailed unless all were made with the embedder in use, of whatever release."""
    others: dict[str, list[str]] = {}
    for name in names:
        try:
            await services.library.open(name)
        except FingerprintMismatch as error:
            if setting_of(error.stored) != setting_of(error.used):
                others.setdefault(error.stored, []).append(name)
    if not others:
        return
    made = "; ".join(f"{', '.join(kbs)} with {stored}" for stored, kbs in others.items())
    former = " or ".join(f"`{setting_of(stored)}`" for stored in others)
    raise CommandFailed(
        f"This would change the embedder. Made were {made}; the settings here name "
        f"{services.models['embedder']}. Nothing was changed.",
        f"To keep the embedder, set what the server is started with ({former}) and reindex again; "
        "to change it, add --change-embedder.",
    )


async def _reindex(services: OpenServices, kb: str, bar: Bar) -> IngestReport:
    task = bar.add_task(kb, total=None)
    lines = ProgressLines()

    def show(at: Progress) -> None:
        if bar.disable:
            lines.tell(f"{kb}: {at.size / max(at.total_size, 1):.0%} made anew")
        what = f"{at.name} ({at.chunks})"
        bar.update(task, total=max(at.total_size, 1), completed=at.size, description=what)

    return await services.indexer.reindex(kb, show)


def report(made: Made) -> None:
    """Print a line for each knowledge base."""
    for each in made.as_json()["knowledge_bases"]:
        line = "{kb}: {documents} documents, {passages} passages made anew with {embedder}"
        out.print(line.format_map(each))
        if each["resting_questions"]:
            what = "question is" if each["resting_questions"] == 1 else "questions are"
            note(
                f"{each['kb']}: {each['resting_questions']} known {what} kept, but what was learned "
                f"rests: it was learned with another embedder; `youju learn --kb {each['kb']}` "
                "makes it anew"
            )
    if not made.reports:
        out.print("There is no knowledge base to reindex.")
