import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.commands import ingesting, lines
from app.commands.files import find


class Slow:
    """Takes half a second for an upload and tells that nothing is done yet."""

    async def upload(self, kb: str, files: list[Any], name: str, more: bool) -> list[Any]:
        await asyncio.sleep(0.5)
        return [{"outcome": "unchanged", "name": file.name, "passages": 1} for file in files]

    async def progress(self, kb: str, name: str) -> dict[str, int]:
        return {"files": 1, "files_done": 0, "bytes_done": 0}


@pytest.mark.parametrize(("seconds", "told"), [(0.2, True), (30.0, False)])
async def test_long_ingest_without_a_terminal_tells_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    seconds: float, told: bool,
) -> None:  # fmt: skip
    (tmp_path / "a.md").write_text("x" * 2_000_000, "utf-8")
    monkeypatch.setattr(ingesting, "_LOOK_SECONDS", 0.05)
    monkeypatch.setattr(lines, "SECONDS", seconds)
    await ingesting.ingest(Slow(), "kb", find([str(tmp_path)], 5_000_000))  # type: ignore[arg-type]
    written = capsys.readouterr()
    assert ("0 of 1 files, 0.0 of 2.0 MB after" in written.err) == told
    assert written.out == ""


def test_lines_stand_ten_seconds_apart(capsys: pytest.CaptureFixture[str]) -> None:
    now = iter([0.0, 4.0, 11.0, 12.0, 20.9, 21.0])
    shown = lines.ProgressLines(lambda: next(now))
    for at in range(5):
        shown.tell(f"step {at}")
    assert capsys.readouterr().err.splitlines() == [
        "note: step 1 after 11 s", "note: step 4 after 21 s",
    ]  # fmt: skip
