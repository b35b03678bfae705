"""Make a knowledge base anew from its canonical texts. No route does this: it needs the folder."""

from app.adapters.lock import DataFolderBusy
from app.commands.boundary import CommandFailed
from app.commands.ingesting import progress_bar
from app.ingest.reports import IngestReport, Progress
from app.settings import Settings
from app.wiring import open_services


async def reindex(settings: Settings, kb: str) -> IngestReport:
    """Reindex behind a progress bar; raises CommandFailed while another process holds the folder."""
    try:
        async with open_services(settings) as services:
            with progress_bar() as bar:
                task = bar.add_task(kb, total=None)

                def show(at: Progress) -> None:
                    what = f"{at.name} ({at.chunks})"
                    bar.update(
                        task, total=max(at.total_size, 1), completed=at.size, description=what
                    )

                return await services.indexer.reindex(kb, show)
    except DataFolderBusy as error:
        raise CommandFailed(
            f"Reindexing needs the data folder to itself: {error}.",
            "Stop that process first, then reindex, then start it again.",
        ) from error
