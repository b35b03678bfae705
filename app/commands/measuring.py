"""The commands of `youju eval`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from app.commands.boundary import boundary, run, settings_of
from app.commands.options import AsJson
from app.commands.screen import dump

measuring = typer.Typer(no_args_is_help=True, help="Measure on labelled questions.")


@measuring.command("retrieval")
def eval_retrieval(
    data: Annotated[Path, typer.Option(metavar="FOLDER", help="Holds the question sets.")],
    sets: Annotated[str, typer.Option(metavar="A,B", help="Only these; all by default.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    work: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the knowledge bases for next time.")
    ] = None,
    reranker: Annotated[
        str | None, typer.Option(metavar="NAME", help="lexical, bge, llm or none.")
    ] = None,
    cross_fit: Annotated[
        bool, typer.Option("--cross-fit", help="Ask with parameters of the other folds.")
    ] = False,
    write: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the JSON.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure dense, keyword, fused and reranked search on question sets that were downloaded."""
    from app.commands import evaluating  # noqa: PLC0415 # loads the whole service

    settings = evaluating.settings_for(reranker)
    outcomes = run(evaluating.evaluate(settings, data, _names(sets), limit, work, cross_fit))
    found = evaluating.as_json(outcomes, settings)
    with boundary():
        if write is not None:
            write.write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    if as_json:
        dump(found)
    else:
        evaluating.report(outcomes)


@measuring.command("rag")
def eval_rag(
    data: Annotated[Path, typer.Option(metavar="FOLDER", help="Holds the question sets.")],
    sets: Annotated[
        str, typer.Option("--sets", metavar="A,B", help="Only these sets; all by default.")
    ] = "",
    protocols: Annotated[
        str, typer.Option("--protocols", metavar="A,B", help="Only these; all by default.")
    ] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    work: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the knowledge bases for next time.")
    ] = None,
    write: Annotated[
        Path | None, typer.Option("--write", metavar="FILE", help="Write figures and every answer.")
    ] = None,
    llm: Annotated[
        bool, typer.Option("--llm", help="Ask the configured model instead of the embedded brain.")
    ] = False,
) -> None:
    """Measure answers, refusals and citations on question sets that were downloaded."""
    from app.commands import evaluating_rag  # noqa: PLC0415 # loads the whole service

    settings = evaluating_rag.settings_for(llm)
    chosen, ways = _names(sets), _names(protocols)
    outcomes = run(evaluating_rag.evaluate(settings, data, chosen, ways, limit, work))
    with boundary():
        if write is not None:
            found = evaluating_rag.as_json(outcomes, settings)
            write.write_text(json.dumps(found, ensure_ascii=False) + "\n", "utf-8")
    evaluating_rag.report(outcomes)


@measuring.command("compare")
def eval_compare(
    first: Annotated[Path, typer.Argument(metavar="A.json", help="Results of one build.")],
    second: Annotated[Path, typer.Argument(metavar="B.json", help="Results of another.")],
) -> None:
    """Compare two builds that `eval rag --write` measured, on the questions that both answered."""
    from app.commands import evaluating_rag  # noqa: PLC0415 # loads the whole service

    with boundary():
        evaluating_rag.report_differences(evaluating_rag.compared(first, second))


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


@measuring.command("learning")
def eval_learning(
    data: Annotated[Path, typer.Option(metavar="FOLDER", help="Holds the question sets.")],
    sets: Annotated[str, typer.Option(metavar="A,B", help="Only these sets.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N questions.")] = None,
    work: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Keep the knowledge bases for next time.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure what learning from confirmed links gains on questions that were not learned."""
    from app.commands import evaluating_learning, learning  # noqa: PLC0415 # loads the service

    settings = settings_of(llm="off")
    found = run(evaluating_learning.evaluate(settings, data, _names(sets), limit, work))
    reports = [one.model_dump() for one in found]
    if as_json:
        dump({"name": "learning", "sets": reports})
        return
    for one in reports:
        learning.show_trial(one)
