"""Make a knowledge base anew from its canonical texts. No route does this: it needs the folder."""

from typing import Any

from rich.progress import Progress as Bar

from app.adapters.lock import DataFolderBusy
from app.commands.boundary import CommandFailed
from app.commands.ingesting import progress_bar
from app.commands.lines import ProgressLines
from app.ingest.reports import IngestReport, Progress
from app.settings import Settings
from app.wiring import OpenServices, open_services


async def reindex(settings: Settings, kb: str | None) -> tuple[str, list[IngestReport]]:
    """Reindex one knowledge base, or all, behind a progress bar; return the embedder's name too.

    Raises CommandFailed while another process holds the folder.
    """
    try:
        async with open_services(settings) as services:
            names = [kb] if kb else [each.name for each in await services.library.list()]
            with progress_bar() as bar:
                reports = [await _reindex(services, name, bar) for name in names]
            return services.models["embedder"], reports
    except DataFolderBusy as error:
        raise CommandFailed(
            f"Reindexing needs the data folder to itself: {error}.",
            "Stop that process first, then reindex, then start it again.",
        ) from error


async def _reindex(services: OpenServices, kb: str, bar: Bar) -> IngestReport:
    task = bar.add_task(kb, total=None)
    lines = ProgressLines()

    def show(at: Progress) -> None:
        if bar.disable:
            lines.tell(f"{kb}: {at.size / max(at.total_size, 1):.0%} made anew")
        what = f"{at.name} ({at.chunks})"
        bar.update(task, total=max(at.total_size, 1), completed=at.size, description=what)

    return await services.indexer.reindex(kb, show)


def as_json(embedder: str, report: IngestReport) -> dict[str, Any]:
    """Return what became of one knowledge base, for scripts."""
    return {
        "kb": report.kb,
        "documents": len(report.files),
        "passages": report.chunks,
        "embedder": embedder,
        "seconds": round(report.seconds, 3),
    }
