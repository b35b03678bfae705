"""Steps of finished questions leave the file; what is asked, answered or running stays."""

import asyncio
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from http_client import Client
from scripted_graph import LINES, Script

from app.adapters.checkpoint_pruning import CheckpointPruner, Retention
from app.settings import Settings

TEXT = "".join(LINES)
AT_ONCE = Retention(seconds=0, questions=1000)


def pruner(client: Client, settings: Settings, retention: Retention = AT_ONCE) -> CheckpointPruner:
    saver = client.app.state.services.graph.checkpointer  # type: ignore[attr-defined]
    return CheckpointPruner(settings.data_dir / "runs.sqlite", saver, retention)


async def asked(client: Client, question: str, thread: str | None = None) -> dict[str, Any]:
    response = await client.post("/ask", json={"question": question, "thread_id": thread})
    assert response.status_code == 200, response.text
    return dict(response.json())


def rows(settings: Settings, table: str, thread: str) -> int:
    connection = sqlite3.connect(settings.data_dir / "runs.sqlite")
    sql = f"SELECT count(*) FROM {table} WHERE thread_id = ?"
    count = int(connection.execute(sql, (thread,)).fetchone()[0])
    connection.close()
    return count


async def turns(client: Client, thread: str) -> Any:
    graph = client.app.state.services.graph  # type: ignore[attr-defined]
    snapshot = await graph.aget_state({"configurable": {"thread_id": thread}})
    return snapshot.values.get("turns")


async def test_finished_thread_keeps_one_small_checkpoint(
    client: Client, settings: Settings
) -> None:
    answer = await asked(client, "one")
    thread = answer["thread_id"]
    before = await turns(client, thread)
    assert rows(settings, "checkpoints", thread) > 5
    assert await pruner(client, settings).prune(time.time() + 1) == 1
    assert rows(settings, "checkpoints", thread) == 1
    assert await turns(client, thread) == before
    history = (await client.get(f"/threads/{thread}/history")).json()
    assert history["checkpoints"] == []
    assert history["pruned_before"]
    assert (await client.get(f"/threads/{thread}")).json()["runs"][0]["answer"] == TEXT
    assert (await client.get(f"/runs/{answer['run_id']}")).json()["answer"]["answer"] == TEXT
    assert await pruner(client, settings).prune(time.time() + 1) == 0
    again = await asked(client, "two", thread)
    assert again["answer"] == TEXT
    entries = (await client.get(f"/threads/{thread}/history")).json()["checkpoints"]
    assert {entry["run_id"] for entry in entries} == {again["run_id"]}
    assert [entry["node"] for entry in entries] == again["path"]


async def test_young_threads_and_those_at_work_stay(
    client: Client, settings: Settings, script: Script
) -> None:
    done = (await asked(client, "one"))["thread_id"]
    young = pruner(client, settings, Retention(seconds=3600, questions=1000))
    assert await young.prune(time.time()) == 0
    running = asyncio.create_task(asked(client, "hold grade_initial", done))
    await script.reached("grade_initial", times=2)
    assert await pruner(client, settings).prune(time.time() + 1) == 0
    script.gate.set()
    assert (await running)["answer"] == TEXT
    assert await pruner(client, settings).prune(time.time() + 1) == 1


async def test_interrupted_question_can_still_be_resumed(
    client: Client, settings: Settings, script: Script
) -> None:
    asked_ = {"question": "hold grade_initial"}
    accepted = await client.post("/ask", json=asked_, headers={"Prefer": "respond-async"})
    thread = accepted.json()["thread_id"]
    await script.reached("grade_initial")
    await client.app.state.runs.close(0.0)  # type: ignore[attr-defined]
    assert await pruner(client, settings).prune(time.time() + 1) == 0
    script.gate.set()
    assert (await client.post(f"/threads/{thread}/resume")).json()["answer"] == TEXT


async def test_long_thread_keeps_the_steps_of_its_newest_questions(
    client: Client, settings: Settings
) -> None:
    answers = [await asked(client, "0")]
    thread = answers[0]["thread_id"]
    answers += [await asked(client, str(n), thread) for n in range(1, 5)]
    keep_two = pruner(client, settings, Retention(seconds=1e9, questions=2))
    assert await keep_two.prune(time.time()) == 1
    history = (await client.get(f"/threads/{thread}/history")).json()
    ids = {entry["run_id"] for entry in history["checkpoints"]}
    assert ids == {answers[3]["run_id"], answers[4]["run_id"]}
    assert history["pruned_before"] < history["checkpoints"][0]["checkpoint_id"]
    assert len(history["checkpoints"]) == 2 * len(answers[4]["path"])
    assert await keep_two.prune(time.time()) == 0
    assert (await asked(client, "6", thread))["answer"] == TEXT


async def test_space_goes_back_to_the_file_system(client: Client, settings: Settings) -> None:
    path: Path = settings.data_dir / "runs.sqlite"
    for n in range(12):
        await asked(client, str(n))
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA auto_vacuum").fetchone()[0] == 2
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    assert await pruner(client, settings).prune(time.time() + 1) == 12
    assert connection.execute("PRAGMA page_count").fetchone()[0] < pages
    assert connection.execute("PRAGMA freelist_count").fetchone()[0] == 0
    connection.close()


async def test_pruning_beside_questions_loses_none(client: Client, settings: Settings) -> None:
    threads = [(await asked(client, "0"))["thread_id"] for _ in range(4)]

    async def asking(thread: str) -> list[str]:
        return [(await asked(client, str(n), thread))["answer"] for n in range(4)]

    async def pruning() -> None:
        for _ in range(20):
            await pruner(client, settings).prune(time.time() + 1)

    *answers, _ = await asyncio.gather(*(asking(thread) for thread in threads), pruning())
    assert answers == [[TEXT] * 4] * 4
    for thread in threads:
        runs = (await client.get(f"/threads/{thread}")).json()["runs"]
        assert [run["status"] for run in runs] == ["done"] * 5


async def test_deleted_thread_leaves_nothing(client: Client, settings: Settings) -> None:
    thread = (await asked(client, "one"))["thread_id"]
    await pruner(client, settings).prune(time.time() + 1)
    await client.delete(f"/threads/{thread}")
    assert {rows(settings, t, thread) for t in ("checkpoints", "writes", "runs", "pruned")} == {0}


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("checkpoints", "thread_id checkpoint_ns checkpoint_id parent_checkpoint_id type checkpoint metadata"),
        ("writes", "thread_id checkpoint_ns checkpoint_id task_id task_path idx channel type value"),
    ],
)  # fmt: skip
async def test_tables_of_the_library_are_those_that_pruning_knows(
    client: Client, settings: Settings, table: str, columns: str
) -> None:
    await asked(client, "one")
    connection = sqlite3.connect(settings.data_dir / "runs.sqlite")
    found = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    connection.close()
    assert found == columns.split()
