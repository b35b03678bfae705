"""Take files into a knowledge base and say what became of each."""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.text import Text

from app.commands.client import Client, Reply
from app.commands.files import Content, File, Found, batches, why_not_read
from app.commands.lines import ProgressLines
from app.commands.screen import err, note, out, plain

Show = Callable[[int, int], None]
_LOOK_SECONDS = 0.4
_SHOWN = 20
"""Documents without a file that a report names."""
_STYLES = {"added": "green", "changed": "cyan", "unchanged": "dim", "failed": "bold red"}


@dataclass(slots=True)
class Outcome:
    """What became of the files of one command."""

    kb: str
    files: list[Reply] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    """Path to the reason."""
    gone: list[Reply] = field(default_factory=list)
    """Documents whose file was in a folder at an earlier ingest of it and is there no more."""

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
        gone = [{key: document[key] for key in ("id", "name")} for document in self.gone]
        return {"kb": self.kb, "files": self.files, "skipped": list(self.skipped), "gone": gone}


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


def size_bar() -> Progress:
    """Return a bar that counts bytes, with their rate and the remaining time."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[files]} files"),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=err,
        transient=True,
        disable=not err.is_terminal,
    )


async def ingest(client: Client, kb: str, found: Found) -> Outcome:
    """Send the files in batches behind a progress bar, or a line now and then without a terminal."""
    outcome = begin(kb, found)
    with size_bar() as bar:
        total = sum(file.size for file in found.files.values())
        task = bar.add_task(kb, total=total, files=f"0/{len(found.files)}")

        lines = ProgressLines()

        def show(done: int, size: int) -> None:
            bar.update(task, completed=size, files=f"{done}/{len(found.files)}")
            if bar.disable:
                share = f"{size / 1e6:,.1f} of {total / 1e6:,.1f} MB"
                lines.tell(f"{done:,} of {len(found.files):,} files, {share}")

        await send(client, outcome, list(found.files.values()), show)
    if outcome.counts["added"] or outcome.counts["changed"]:
        outcome.files = _with_copies(outcome.files, await client.documents(kb))
    return outcome


async def send(
    client: Client, outcome: Outcome, files: Sequence[File], show: Show | None = None
) -> None:
    """Send files in batches and book what became of them; `show` gets files and bytes done.

    A file that can't be read any more is booked as failed. Each batch is read before the one
    before it is sent: only then is it known whether another request follows.
    """
    name = uuid4().hex
    done = size = 0
    waiting = _read(batches(files), outcome)
    batch = next(waiting, None)
    while batch is not None:
        following = next(waiting, None)
        upload = client.upload(outcome.kb, batch, name, more=following is not None)
        if show is None:
            outcome.files += await upload
        else:
            follow = _follow(client, outcome.kb, name, (done, size), len(batch), show)
            outcome.files += await _watched(upload, follow)
            done, size = done + len(batch), size + sum(len(file.data) for file in batch)
            show(done, size)
        batch = following


def _read(groups: Iterable[Sequence[File]], outcome: Outcome) -> Iterator[list[Content]]:
    """Yield what can be read of each batch, and book the rest as failed."""
    for group in groups:
        batch = []
        for file in group:
            try:
                batch.append(file.read())
            except OSError as error:
                outcome.files.append(_unread(file.name, why_not_read(error)))
        if batch:
            yield batch


async def _watched(
    upload: Coroutine[Any, Any, list[Reply]], follow: Coroutine[Any, Any, None]
) -> list[Reply]:
    """Return what an upload gives, with `follow` beside it until then."""
    following = asyncio.create_task(follow)
    try:
        return await upload
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def _follow(
    client: Client, kb: str, name: str, before: tuple[int, int], files: int, show: Show
) -> None:
    """Show how far the service is with a batch that is on its way."""
    while True:
        await asyncio.sleep(_LOOK_SECONDS)
        at = await client.progress(kb, name)
        if at is not None and at["files"] == files:
            show(before[0] + at["files_done"], before[1] + at["bytes_done"])


def _with_copies(files: Sequence[Reply], documents: Sequence[Reply]) -> list[Reply]:
    """Add to the reports which documents say nearly the same: known once all files are taken."""
    names = {document["id"]: document["name"] for document in documents}
    original = {document["id"]: document["near_duplicate_of"] for document in documents}
    return [
        file | {"near_duplicate_of": names.get(original.get(file["document_id"]))} for file in files
    ]


def report(outcome: Outcome) -> None:
    """Print the summary, with the reason of every file that was not taken."""
    for path, why in outcome.skipped.items():
        note(f"{path} was skipped: {why}")
    for file in outcome.files:
        original = file.get("near_duplicate_of")
        if original and file["outcome"] in {"added", "changed"}:
            note(f"{file['name']} says nearly the same as {original}")
    for file in outcome.failed:
        reason = file["error"]
        err.print(Text.assemble((plain(file["name"]), "bold red"), f": {plain(reason['message'])}"))
        if reason["hint"]:
            err.print(Text.assemble(("  hint: ", "cyan"), plain(reason["hint"])))
    out.print(summary(outcome))
    if outcome.gone:
        _report_gone(outcome)


def _report_gone(outcome: Outcome) -> None:
    """Name the documents whose files are gone: they still answer until somebody deletes them."""
    for document in outcome.gone[:_SHOWN]:
        note(f"{document['name']} (id {document['id']}) is no longer in the folder; it is kept")
    if (more := len(outcome.gone) - _SHOWN) > 0:
        note(f"{more} more are no longer in the folder; --json lists all")
    note(
        "to delete one while the service runs: "
        f"curl -X DELETE ADDRESS/kb/{outcome.kb}/documents/ID, with the ADDRESS that `youju serve` shows"
    )


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
    return {
        "name": path,
        "outcome": "failed",
        "document_id": None,
        "passages": 0,
        "error": error,
        "near_duplicate_of": None,
    }
