"""Show every path: load the samples into a folder of its own, ask, print how each answer came."""

import tempfile
from pathlib import Path

from app.commands import inside, rendering, samples
from app.commands.client import Client
from app.commands.ingesting import summary
from app.commands.screen import out
from app.settings import Settings


async def demo(settings: Settings) -> None:
    """Ask the questions that are marked for showing; nothing is left behind."""
    with tempfile.TemporaryDirectory(prefix="youju-demo-") as folder:
        own = settings.model_copy(update={"data_dir": Path(folder)})
        async with inside.running(own) as app:
            client = inside.client_of(app)
            for outcome in await samples.load(client, own.max_upload_bytes):
                out.print(summary(outcome))
            await _ask_all(client, samples.questions())


async def _ask_all(client: Client, shown: list[samples.Sample]) -> None:
    for number, sample in enumerate(shown, start=1):
        answer = await client.ask({"kb": sample.kb, "question": sample.question})
        rendering.show_run(f"{number}/{len(shown)}", sample.kb, answer)
        if sample.follow_up:
            thread = {"thread_id": answer["thread_id"]}
            answer = await client.ask({"kb": sample.kb, "question": sample.follow_up, **thread})
            rendering.show_run(f"{number}/{len(shown)} +", sample.kb, answer)
