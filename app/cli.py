"""The command line."""

from typing import Annotated

import typer

from app.commands import files, ingesting
from app.commands.boundary import FAILED, prepare_process, run, settings_of
from app.commands.door import connect
from app.commands.screen import complain, dump
from app.settings import Settings

app = typer.Typer(
    name="youju",
    help="有据: answers from your own documents that stand on evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Kb = Annotated[str | None, typer.Option("--kb", metavar="NAME", help="The knowledge base.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to serve at.")] = None,
    port: Annotated[int | None, typer.Option(min=0, max=65535, help="0 takes a free one.")] = None,
    samples: Annotated[bool, typer.Option("--samples", help="Load the sample documents.")] = False,
) -> None:
    """Serve over HTTP until Ctrl-C."""
    from app.commands import serving  # noqa: PLC0415 # loads the whole service

    given = {"host": host, "port": port}
    settings = settings_of().model_copy(update={k: v for k, v in given.items() if v is not None})
    run(serving.serve(settings, samples))


@app.command()
def ingest(
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="Files, folders, patterns.")],
    kb: Kb = None,
    as_json: AsJson = False,
) -> None:
    """Take documents into a knowledge base, which is made if it is missing."""
    settings = settings_of()
    found = files.find(paths, settings.max_upload_bytes)
    outcome = run(_ingest(settings, kb or settings.default_kb, found))
    if as_json:
        dump(outcome.as_json())
    else:
        ingesting.report(outcome)
    if outcome.failed:
        raise typer.Exit(FAILED)
    if not outcome.files:
        complain("There was nothing to read.", "Give .md, .markdown or .txt files, or a folder.")
        raise typer.Exit(FAILED)


async def _ingest(settings: Settings, kb: str, found: files.Found) -> ingesting.Outcome:
    if not found.files:
        return ingesting.begin(kb, found)
    async with connect(settings) as client:
        return await ingesting.ingest(client, kb, found)


def main() -> None:
    """Run the command line."""
    prepare_process()
    app()
