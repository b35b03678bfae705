"""The commands by which a knowledge base learns from people."""

from pathlib import Path
from typing import Annotated

import typer

from app.commands.boundary import FAILED, MISUSED, boundary, run, settings_of
from app.commands.options import AsJson, Kb
from app.commands.screen import complain, dump, out

teaching = typer.Typer()


@teaching.command()
def calibrate(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="LABELS.jsonl", help="question, answerable, documents?, answer?"),
    ] = None,
    kb: Kb = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Learn from the feedback on answers as well.")
    ] = False,
    alpha: Annotated[float, typer.Option(min=0.001, max=0.5, help="Errors allowed.")] = 0.05,
    delta: Annotated[float, typer.Option(min=0.001, max=0.5, help="Doubt allowed.")] = 0.10,
    plot: Annotated[Path | None, typer.Option(metavar="PNG", help="Where to draw.")] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Go back to the shipped one.")] = False,
    as_json: AsJson = False,
) -> None:
    """Choose how sure an answer must be, by labelled questions, with a bound on its errors."""
    from app.commands import calibrating, calibration_report  # noqa: PLC0415 # loads the logic

    settings = settings_of()
    name = kb or settings.default_kb
    if undo:
        state = run(calibrating.forget(settings, name))
        dump(state) if as_json else out.print(f"{name}: calibration {state['name']}")
        return
    outcome = run(calibrating.calibrate(settings, name, file, feedback, alpha, delta))
    picture = plot or Path(f"calibration-{name}.png")
    with boundary():
        calibration_report.draw(outcome, picture)
    if as_json:
        dump(outcome.as_json() | {"plot": str(picture)})
    else:
        calibration_report.report(outcome, picture)
    if not outcome.stored:
        raise typer.Exit(FAILED)


@teaching.command()
def learn(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="LINKS.jsonl", help="question, document (id, name or title)."),
    ] = None,
    kb: Kb = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Learn what feedback on answers confirms as well.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the newest learning.")] = False,
    as_json: AsJson = False,
) -> None:
    """Learn from confirmed question → document links; without a file learn the known ones anew."""
    from app.commands import learning  # noqa: PLC0415 # loads the logic

    settings = settings_of()
    name = kb or settings.default_kb
    if undo:
        if file is not None or feedback:
            complain("--undo takes neither a file nor --feedback.", "Leave one of them out.")
            raise typer.Exit(MISUSED)
        state = run(learning.undo(settings, name))
        dump(state) if as_json else learning.report_undone(state)
        return
    with boundary():
        links = learning.read_links(file) if file else []
    found = run(learning.learn(settings, name, links, feedback))
    dump(found) if as_json else learning.report(found)
