"""Take files into a knowledge base and say what became of each."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from app.commands.client import Client, Reply
from app.commands.files import File, Found, batches
from app.commands.screen import err, note, out, plain
from app.ingest.loading import why_unread

_STYLES = {"added": "green", "changed": "cyan", "unchanged": "dim", "failed": "bold red"}


@dataclass(slots=True)
class Outcome:
    """What became of the files of one command."""

    kb: str
    files: list[Reply] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def failed(self) -> list[Reply]:
        """The files that were not taken."""
        return [file for file in self.files if file["outcome"] == "failed"]

    @property
    def counts(self) -> Counter[str]:
        """How many files had each outcome."""
        return Counter(file["outcome"] for file in self.files)

    @property
    def passages(self) -> int:
        """Passages of all files that were taken, changed or not."""
        return sum(file["passages"] for file in self.files)

    def as_json(self) -> dict[str, Any]:
        """Return the report for scripts."""
        return {"kb": self.kb, "files": self.files, "skipped": self.skipped}


def progress_bar() -> Progress:
    """Return a bar on the error stream; it stays silent where nobody looks."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


def begin(kb: str, found: Found) -> Outcome:
    """Return a report that holds what is known before anything is sent."""
    unread = [_unread(path, reason) for path, reason in found.failed.items()]
    return Outcome(kb, unread, found.skipped)


async def ingest(client: Client, kb: str, found: Found) -> Outcome:
    """Send the files in batches behind a progress bar."""
    outcome = begin(kb, found)
    with progress_bar() as bar:
        task = bar.add_task(kb, total=len(found.files))
        await send(client, outcome, list(found.files.values()), lambda n: bar.advance(task, n))
    return outcome


async def send(
    client: Client, outcome: Outcome, files: Sequence[File], advance: Callable[[int], Any]
) -> None:
    """Send files in batches and book what became of them."""
    for batch in batches(files):
        outcome.files += await client.upload(outcome.kb, batch)
        advance(len(batch))


def report(outcome: Outcome) -> None:
    """Print the summary, with the reason of every file that was not taken."""
    for path in outcome.skipped:
        note(f"{path} was skipped: {why_unread(path)}")
    for file in outcome.failed:
        reason = file["error"]
        err.print(Text.assemble((plain(file["name"]), "bold red"), f": {plain(reason['message'])}"))
        if reason["hint"]:
            err.print(Text.assemble(("  hint: ", "cyan"), plain(reason["hint"])))
    out.print(summary(outcome))


def summary(outcome: Outcome) -> Text:
    """Return one line: the knowledge base and the count of each outcome."""
    counts = outcome.counts
    parts = [
        (f"{counts[name]} {name}", style if counts[name] else "dim")
        for name, style in _STYLES.items()
    ]
    line = Text.assemble((outcome.kb, "bold"), ": ")
    line.append_text(Text(", ").join(Text(text, style) for text, style in parts))
    if counts["settings"]:
        line.append(", kb.yaml taken")
    return line.append(f"; {outcome.passages} passages")


def _unread(path: str, reason: str) -> Reply:
    error = {"code": "unreadable", "message": reason, "hint": ""}
    return {"name": path, "outcome": "failed", "document_id": None, "passages": 0, "error": error}
