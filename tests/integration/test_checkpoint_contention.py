"""Checkpoints and another writer on one file: neither is ever told that the database is locked."""

import asyncio
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from app.adapters.checkpoints import open_checkpoints


class Count(TypedDict):
    steps: int
    text: str


def _write_until(path: Path, stop: threading.Event, failed: list[str]) -> None:
    connection = sqlite3.connect(path, timeout=10, isolation_level=None)
    connection.execute("CREATE TABLE IF NOT EXISTS other (n INTEGER)")
    while not stop.is_set():
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO other VALUES (1)")
            connection.execute("COMMIT")
            time.sleep(0.001)  # a log that grows steadily, not one that never lets go
        except sqlite3.OperationalError as error:
            failed.append(str(error))
    connection.close()


async def test_steps_and_reads_beside_another_writer_are_never_locked_out(tmp_path: Path) -> None:
    async def step(state: Count) -> dict[str, Any]:
        return {"steps": state["steps"] + 1, "text": "x" * 3000}

    builder = StateGraph(Count)
    builder.add_node("step", step)
    builder.add_edge(START, "step")
    builder.add_conditional_edges("step", lambda s: END if s["steps"] >= 12 else "step")
    stop, failed = threading.Event(), []
    path = tmp_path / "runs.sqlite"
    async with open_checkpoints(path) as saver:
        graph = builder.compile(checkpointer=saver)
        writer = threading.Thread(target=_write_until, args=(path, stop, failed))
        writer.start()
        try:

            async def one(number: int) -> None:
                config = {"configurable": {"thread_id": str(number)}}
                for _ in range(4):
                    await graph.ainvoke({"steps": 0, "text": ""}, config, durability="sync")
                    found = await graph.aget_state(config)
                    assert found.values["steps"] == 12

            await asyncio.gather(*(one(number) for number in range(24)))
        finally:
            stop.set()
            await asyncio.to_thread(writer.join)
    assert failed == []
