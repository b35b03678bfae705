"""Files that vanish between their listing and their reading, with a server and without."""

import asyncio
from pathlib import Path

import pytest
from cli_process import YOUJU, serving

from app.commands.door import connect
from app.commands.files import Found, find
from app.commands.ingesting import Outcome, ingest
from app.settings import Settings

WIDE = "# Note {n}\n\nThe pump runs at {n} rpm.\n" + "It is checked weekly. " * 20_000
"""Large enough that three do not go into one request."""


def listed(folder: Path) -> Found:
    folder.mkdir()
    for n in range(6):
        (folder / f"{n}.md").write_text(WIDE.format(n=n)[: 450_000 if n < 5 else 60], "utf-8")
    found = find([str(folder)], 10_000_000)
    assert len(found.files) == 6
    (folder / "1.md").unlink()
    (folder / "2.md").unlink()
    (folder / "2.md").mkdir()
    for n in (4, 5):  # nothing is left of the last request
        (folder / f"{n}.md").unlink()
    return found


async def taken(settings: Settings, found: Found) -> Outcome:
    async with connect(settings, make=True) as client:
        return await ingest(client, "pumps", found)


@pytest.mark.parametrize("with_server", [False, True])
def test_files_that_vanish_after_the_listing_fail_and_the_others_are_taken(
    tmp_path: Path, with_server: bool
) -> None:
    data_dir, found = tmp_path / "data", listed(tmp_path / "docs")
    settings = Settings(_env_file=None, data_dir=data_dir, llm="off")  # type: ignore[call-arg]
    if with_server:
        with serving(data_dir, [YOUJU, "serve", "--port", "0"]):
            outcome = asyncio.run(taken(settings, found))
    else:
        outcome = asyncio.run(taken(settings, found))
    assert {file["name"]: file["outcome"] for file in outcome.files} == {
        "0.md": "added", "1.md": "failed", "2.md": "failed", "3.md": "added",
        "4.md": "failed", "5.md": "failed",
    }  # fmt: skip
    reasons = {file["name"]: file["error"]["message"] for file in outcome.failed}
    assert reasons["1.md"] == "is gone since the files were listed"
    assert "directory" in reasons["2.md"]
