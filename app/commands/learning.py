"""Teach a knowledge base by confirmed links, through whichever door is open."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from app.calibration.labels import Label
from app.commands.boundary import CommandFailed
from app.commands.client import Client, Reply
from app.commands.door import connect
from app.commands.ingesting import progress_bar
from app.commands.lines import ProgressLines
from app.commands.screen import note, out
from app.learning.links import Link, parse
from app.settings import Settings

_EVERY = 1.0
"""Seconds between two looks at how far the trial is."""
_WIDE = 120
"""Columns where the output is no terminal."""
_STEPS = {"reading": "reading known questions", "asking": "asking what it has not learned"}
_PARTS = {
    "every": "every question",
    "all": "all its documents known",
    "some": "some known",
    "none": "none known",
}


def read_links(file: Path) -> list[Link]:
    """Return the links of a file. Raises OSError, InvalidRequest that names every bad line."""
    try:
        return parse(file.read_text("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CommandFailed(f"{file} is not UTF-8 text.", "Save it as UTF-8.") from error


async def learn(
    settings: Settings, kb: str, links: Sequence[Link], feedback: bool = False
) -> Reply:
    """Learn behind a progress bar and return the report; raises CommandFailed.

    `feedback` adds the links that users confirmed; where a link has the same question it counts.
    """
    async with connect(settings) as client:
        if feedback:
            given = {link.question for link in links}
            more = [link for link in await _confirmed(client, kb) if link.question not in given]
            links = [*links, *more]
            if not links:
                raise CommandFailed(
                    f"No feedback on answers from {kb} names a document that is still there.",
                    "Say which document is right (POST /feedback), or give a file of links.",
                )
        body = [asdict(link) | {"documents": list(link.documents)} for link in links]
        learning = asyncio.create_task(client.learn(kb, body))
        watching = asyncio.create_task(_watch(client, kb))
        try:
            return await learning
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


async def undo(settings: Settings, kb: str) -> Reply:
    """Undo the newest learning and return what counts then."""
    async with connect(settings) as client:
        return await client.undo_learning(kb)


async def _confirmed(client: Client, kb: str) -> list[Link]:
    """Return the links that feedback confirms, documents that are gone left out."""
    held = {document["id"] for document in await client.documents(kb)}
    labels = [Label.model_validate(each) for each in await client.labels(kb)]
    named = [label for label in labels if label.answerable and label.documents]
    found = []
    for label in named:
        documents = tuple(id_ for id_ in label.documents if id_ in held)
        if documents:
            found.append(Link(label.question, documents))
    if gone := len(named) - len(found):
        what = "question is" if gone == 1 else "questions are"
        note(f"{gone} confirmed {what} left out, the documents being gone from {kb}")
    return found


async def _watch(client: Client, kb: str) -> None:
    lines = ProgressLines()
    with progress_bar() as bar:
        task = bar.add_task(kb, total=None)
        while True:
            await asyncio.sleep(_EVERY)
            at = (await client.learned(kb))["running"]
            if not at["questions"]:
                continue
            step = _STEPS.get(at["step"], at["step"])
            bar.update(task, total=at["questions"], completed=at["done"], description=step)
            if bar.disable:
                lines.tell(f"{kb}: {step}, {at['done']} of {at['questions']}")


def show_trial(found: Reply) -> None:
    """Print the trial's table."""
    console = out if out.is_terminal else Console(width=_WIDE, highlight=False, soft_wrap=True)
    table = Table(
        title=f"{found['kb']}: questions asked before and after learning all the others",
        title_justify="left",
    )
    for at, name in enumerate(("questions", "n", "nDCG@10", "", "gain (95 %)", "hit@1", "")):
        table.add_column(name, justify="left" if at == 0 else "right")
    for part in found["parts"]:
        table.add_row(
            _PARTS[part["documents"]],
            str(part["questions"]),
            f"{part['ndcg_before']:.3f}",
            f"{part['ndcg_after']:.3f}",
            f"{part['gain']:+.3f} [{part['gain_low']:+.3f}, {part['gain_high']:+.3f}]",
            f"{part['hit_before']:.3f}",
            f"{part['hit_after']:.3f}",
        )
    if found["parts"]:
        console.print(table)


def report(found: Reply) -> None:
    """Print what became of learning, with the trial's table."""
    show_trial(found)
    out.print(
        f"{found['questions']} known questions ({found['new_questions']} new), "
        f"{found['links']} links; {_made(found)}"
    )
    if found["applied"]:
        out.print(f"applied: {found['reason']}; `youju learn --undo --kb {found['kb']}` undoes it")
    else:
        note(f"not applied, searches stay as they were: {found['reason']}")


def report_undone(found: Reply) -> None:
    """Print what counts after an undo."""
    learned = found["learned"]
    if learned is None:
        out.print(f"{found['kb']}: nothing learned counts any more")
    else:
        out.print(
            f"{found['kb']}: the learning before it counts again, "
            f"{learned['questions']} known questions"
        )


def _made(found: Reply) -> str:
    if not found["adapter_rank"]:
        return "documents expanded, no adapter: too few questions or no gain by it"
    return f"documents expanded, adapter of rank {found['adapter_rank']}"
