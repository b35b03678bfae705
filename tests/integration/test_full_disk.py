"""A disk that is full or read-only: told as such, with what mends it."""

import errno
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer

from app.adapters.database import Database
from app.commands.boundary import boundary
from app.commands.inside import running
from app.errors import run_failure
from app.settings import Settings
from app.store_troubles import FULL, READ_ONLY, trouble_of
from graphs.errors import DenseUnavailable

PLAN = "# Lift plan\n\nThe lift carries at most 630 kg.\n" * 2_000


@pytest.mark.parametrize(
    ("limit", "status", "code"),
    [
        ("PRAGMA max_page_count=1", 507, "disk_full"),
        ("PRAGMA query_only=ON", 503, "data_read_only"),
    ],
)
async def test_upload_that_the_disk_does_not_take_is_told_with_what_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, status: int, code: str
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, llm="off")  # type: ignore[call-arg]
    lent_of = Database._lent

    def limited(database: Database) -> Any:
        lent = lent_of(database)
        lent.connection.execute(limit)
        return lent

    async with running(settings) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://youju") as client:
            monkeypatch.setattr(Database, "_lent", limited)
            url, body = "/kb/lifts/documents", PLAN.encode()
            reply = await client.post(url, params={"name": "plan.md"}, content=body)
            monkeypatch.undo()
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert "YOUJU_DATA_DIR" in reply.json()["error"]["hint"]
    assert "moment" not in reply.text


def test_vector_index_on_a_full_disk_is_a_full_disk() -> None:
    assert trouble_of(DenseUnavailable("vector index: database or disk is full")) is FULL
    assert trouble_of(DenseUnavailable("vector index: no such collection")) is None


def test_cause_below_another_error_counts() -> None:
    error = DenseUnavailable("vector index: failed")
    error.__cause__ = OSError(errno.EROFS, "Read-only file system")
    assert trouble_of(error) is READ_ONLY


def test_command_on_a_read_only_folder_gets_a_hint(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), boundary():
        raise OSError(errno.EROFS, "Read-only file system", "data/lock")
    said = " ".join(capsys.readouterr().err.split())
    assert "data/lock: Read-only file system." in said
    assert "YOUJU_DATA_DIR" in said


@pytest.mark.parametrize("written", ["runs", "checkpoints"])
async def test_question_on_a_read_only_disk_is_told_with_what_mends_it(
    tmp_path: Path, written: str
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, llm="off")  # type: ignore[call-arg]
    async with running(settings) as app:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://youju") as client:
            url, body = "/kb/lifts/documents", PLAN[:600].encode()
            await client.post(url, params={"name": "plan.md"}, content=body)
            if written == "runs":
                app.state.runs.store._connection.execute("PRAGMA query_only=ON")
            else:
                await app.state.services.graph.checkpointer.conn.execute("PRAGMA query_only=ON")
            reply = await client.post("/ask", json={"kb": "lifts", "question": "What is carried?"})
            if written == "runs":
                app.state.runs.store._connection.execute("PRAGMA query_only=OFF")
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "data_read_only")
    assert reply.json()["error"]["message"] == READ_ONLY.message
    assert "YOUJU_DATA_DIR" in reply.json()["error"]["hint"]


def test_failure_of_a_run_names_the_disk_and_nothing_else() -> None:
    full = run_failure(OSError(errno.ENOSPC, "No space left on device"))
    assert (full.status, full.code, str(full), full.hint) == (
        FULL.status, FULL.code, FULL.message, FULL.hint,
    )  # fmt: skip
    other = run_failure(ValueError("secret"))
    assert (other.status, other.code) == (500, "run_failed")
    assert "secret" not in str(other)
