"""The command line."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands import asking, files, folders, ingesting, rendering, searching
from app.commands import why_not as missing
from app.commands.boundary import FAILED, MISUSED, boundary, prepare_process, run, settings_of
from app.commands.measuring import measuring
from app.commands.options import AsJson, Kb
from app.commands.screen import complain, dump, out
from app.commands.teaching import teaching
from app.ingest.loading import SUPPORTED
from app.settings_sections import PresetName

app = typer.Typer(
    name="youju",
    help="有据: answers from your own documents that stand on evidence.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


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
    with boundary():
        found = files.find(paths, settings.max_upload_bytes)
    outcome = run(folders.ingest(settings, kb or settings.default_kb, found))
    if as_json:
        dump(outcome.as_json())
    else:
        ingesting.report(outcome)
    if outcome.failed:
        raise typer.Exit(FAILED)
    if not outcome.files:
        complain("There was nothing to read.", f"Give {', '.join(SUPPORTED)} files, or a folder.")
        raise typer.Exit(FAILED)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What to answer from the documents.")],
    kb: Kb = None,
    thread: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
    max_rounds: Annotated[int | None, typer.Option(min=0, max=3, help="Second searches.")] = None,
    preset: Annotated[PresetName | None, typer.Option(help="How sure it must be.")] = None,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="The same as a number.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask a question; the answer cites its sources or says what is missing."""
    options = {"max_rounds": max_rounds, "preset": preset, "threshold": threshold}
    answer = run(asking.ask(settings_of(), question, kb, thread, options))
    if as_json:
        dump(answer)
    else:
        rendering.show_answer(answer)
    if answer["status"] == "error":
        raise typer.Exit(FAILED)


@app.command()
def search(
    query: Annotated[str, typer.Argument(help="What to search for.")],
    kb: Kb = None,
    top_k: Annotated[int, typer.Option(min=1, max=50, help="Number of passages.")] = 10,
    include_duplicates: Annotated[
        bool, typer.Option("--include-duplicates", help="List near-duplicates as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search a knowledge base without answering; every hit shows its place in each stage."""
    settings = settings_of()
    name = kb or settings.default_kb
    found = run(searching.search(settings, query, name, top_k, include_duplicates))
    if as_json:
        dump(found)
    else:
        searching.show(found)


@app.command("why-not")
def why_not(
    question: Annotated[str, typer.Argument(help="The question that missed the document.")],
    document: Annotated[
        str, typer.Option("--doc", metavar="X", help="Its id, name or title, or a part of one.")
    ],
    kb: Kb = None,
    as_json: AsJson = False,
) -> None:
    """Tell where an expected document stood in each stage, what dropped it, and what would help."""
    settings = settings_of()
    found = run(missing.why_not(settings, question, kb or settings.default_kb, document))
    if as_json:
        dump(found)
    else:
        missing.show(found)


@app.command()
def reindex(
    kb: Kb = None,
    every: Annotated[bool, typer.Option("--all", help="Every knowledge base.")] = False,
    change_embedder: Annotated[
        bool, typer.Option("--change-embedder", help="Even if it was made with another embedder.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Make a knowledge base anew with the embedder and splitter in use; needs the server stopped."""
    from app.commands import reindexing  # noqa: PLC0415 # loads the whole service

    settings = settings_of()
    if every and kb is not None:
        complain("--all and --kb exclude each other.", "Leave one of them out.")
        raise typer.Exit(MISUSED)
    name = None if every else kb or settings.default_kb
    made = run(reindexing.reindex(settings, name, change_embedder))
    if as_json:
        dump(made.as_json() if every else made.as_json()["knowledge_bases"][0])
    else:
        reindexing.report(made)


@app.command()
def graph(
    write: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the page.")] = None,
    check: Annotated[Path | None, typer.Option(metavar="FILE", help="Fail if it differs.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the graph that answers questions, as Mermaid text or as the documentation's page."""
    from app.commands import architecture  # noqa: PLC0415 # loads the whole service

    drawn, page = run(architecture.draw(settings_of()))
    with boundary():
        if write is not None:
            write.write_text(page, "utf-8")
        if check is not None:
            architecture.compare(page, check)
    if as_json:
        dump(drawn)
    elif write is None and check is None:
        out.print(drawn["mermaid"])


@app.command()
def demo() -> None:
    """Ask the sample questions without a model and print how each answer came about."""
    from app.commands import demo as showing  # noqa: PLC0415 # loads the whole service

    run(showing.demo(settings_of(llm="off")))


app.add_typer(teaching)
app.add_typer(measuring, name="eval")


def main() -> None:
    """Run the command line."""
    prepare_process()
    app()
