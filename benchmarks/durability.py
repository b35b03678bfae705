"""What durability costs: time and bytes that checkpoints and the event log add to a question."""

import gc
import sqlite3
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.runnables import RunnableConfig

from app.adapters.checkpoints import open_checkpoints
from app.run_records import NewRun
from app.run_store import RunStore
from app.runs import Graph, RunManager
from app.wiring import RUNS_FILE
from benchmarks.constants import INPUT, KB, QUESTION, collaborators, recorded, replaying
from benchmarks.reporting import Report, Scale, Table, Target, command, quantiles
from benchmarks.samples import Labelled, Service, labelled, service
from graphs.ask.graph import build_graph

PAIRS: dict[Scale, int] = {"tiny": 5, "short": 100, "full": 600}
WARM_UP: dict[Scale, int] = {"tiny": 1, "short": 15, "full": 30}
THREADS: dict[Scale, int] = {"tiny": 4, "short": 200, "full": 500}
QUESTIONS: dict[Scale, int | None] = {"tiny": 3, "short": 40, "full": None}
CHECKPOINT_TABLES = ("checkpoints", "writes")
RUN_TABLES = ("runs", "threads", "events")
_KB = 1024


async def measure(scale: Scale) -> Report:
    """Measure times in interleaved pairs, then bytes."""
    with tempfile.TemporaryDirectory() as folder:
        times = await paired_times(Path(folder), PAIRS[scale], WARM_UP[scale])
        own = await checkpoint_bytes(Path(folder) / "own.sqlite", THREADS[scale], one=False)
        long = await checkpoint_bytes(Path(folder) / "long.sqlite", THREADS[scale], one=True)
        async with service(Path(folder) / "data") as opened:
            file = Path(folder) / "data" / RUNS_FILE
            log = await log_bytes(opened, file, labelled(QUESTIONS[scale]))
    figures = {"times": times, "own_threads": own, "one_thread": long, "log": log}
    return Report("durability", figures, _tables(figures), _targets(figures))


async def paired_times(folder: Path, pairs: int, warm_up: int) -> dict[str, Any]:
    """Time the graph bare, with checkpoints, and with checkpoints and event log, in turns."""
    updates = await recorded()
    bare = replaying(updates).compile()
    builder = replaying(updates)
    file = folder / "times.sqlite"
    taken: dict[str, list[float]] = {"bare": [], "checkpoints": [], "checkpoints_and_log": []}
    async with open_checkpoints(file, nodes=builder.nodes) as saver:
        durable = builder.compile(checkpointer=saver)
        store = RunStore(file)
        manager = RunManager(durable, store)
        ways: dict[str, Callable[[], Awaitable[Any]]] = {
            "bare": lambda: bare.ainvoke(INPUT),
            "checkpoints": lambda: durable.ainvoke(INPUT, _thread(), durability="sync"),
            "checkpoints_and_log": lambda: _through(manager),
        }
        for number in range(warm_up + pairs):
            gc.collect()
            order = list(ways) if number % 2 else list(reversed(ways))
            for name in order:
                began = time.perf_counter()
                await ways[name]()
                if number >= warm_up:
                    taken[name].append((time.perf_counter() - began) * 1000)
        await store.close()
    return _compared(taken)


def _compared(taken: dict[str, list[float]]) -> dict[str, Any]:
    bare = np.array(taken["bare"])
    found: dict[str, Any] = {"pairs": len(bare)}
    for name, values in taken.items():
        added = np.median(np.array(values) - bare)
        found[name] = quantiles(values) | {
            "added_p50": round(float(added), 3),
            "ratio": round(float(np.median(values) / np.median(bare)), 2),
        }
    return found


async def checkpoint_bytes(file: Path, questions: int, one: bool) -> dict[str, Any]:
    """Return the bytes that questions leave in a file of checkpoints alone; real nodes run."""
    builder = build_graph(collaborators())
    thread = _thread()
    async with open_checkpoints(file, nodes=builder.nodes) as saver:
        graph: Graph = builder.compile(checkpointer=saver)
        before = _stored(file, CHECKPOINT_TABLES)
        for _ in range(questions):
            await graph.ainvoke(INPUT, thread if one else _thread(), durability="sync")
        after = _stored(file, CHECKPOINT_TABLES)
    return {"questions": questions} | {
        name: round((after[name] - before[name]) / questions / _KB, 2) for name in after
    }


async def log_bytes(opened: Service, file: Path, questions: Sequence[Labelled]) -> dict[str, Any]:
    """Return the bytes that questions leave in the tables of a real service."""
    before = {name: _stored(file, tables) for name, tables in _groups().items()}
    ids = [(await opened.ask(question)).run_id for question in questions]
    after = {name: _stored(file, tables) for name, tables in _groups().items()}
    with closing(sqlite3.connect(file)) as connection:
        events = [_events_of(connection, run_id) for run_id in ids]
    grown = {
        group: {key: round((after[group][key] - before[group][key]) / len(ids) / _KB, 2)
                for key in ("payload_kb", "pages_kb")}
        for group in after
    }  # fmt: skip
    return {"questions": len(ids), "events_kb": quantiles(events)} | grown


def _groups() -> dict[str, tuple[str, ...]]:
    return {"checkpoints": CHECKPOINT_TABLES, "runs": RUN_TABLES}


def _events_of(connection: sqlite3.Connection, run_id: str) -> float:
    query = "SELECT sum(length(type) + length(data)) FROM events WHERE run_id = ?"
    return float(connection.execute(query, (run_id,)).fetchone()[0]) / _KB


def _stored(file: Path, tables: Sequence[str]) -> dict[str, float]:
    """Return bytes of the tables with their indexes: what lies in cells, and whole pages."""
    marks = ", ".join("?" * len(tables))
    query = (
        "SELECT total(payload), total(pgsize) FROM dbstat WHERE name IN"
        f" (SELECT name FROM sqlite_master WHERE tbl_name IN ({marks}))"
    )
    with closing(sqlite3.connect(file)) as connection:
        payload, pages = connection.execute(query, tuple(tables)).fetchone()
    return {"payload_kb": float(payload), "pages_kb": float(pages)}


def _thread() -> RunnableConfig:
    return {"configurable": {"thread_id": uuid.uuid4().hex}}


async def _through(manager: RunManager) -> None:
    run = await manager.submit(NewRun(KB, QUESTION, {}, "benchmark"))
    await manager.wait(run.id)


def _targets(figures: dict[str, Any]) -> list[Target]:
    added = figures["times"]["checkpoints"]
    return [
        Target("checkpoints: p50 added", added["added_p50"], 20, "ms"),
        Target("checkpoints: p50 against the bare graph", added["ratio"], 8, "×"),
        Target("checkpoint tables a question, pages", figures["own_threads"]["pages_kb"], 30, "KB"),
        Target("the same on one long thread", figures["one_thread"]["pages_kb"], 30, "KB"),
        Target("event log and answer, largest", figures["log"]["events_kb"]["max"], 16, "KB"),
        Target("run tables a question, pages", figures["log"]["runs"]["pages_kb"], 16, "KB"),
    ]


def _tables(figures: dict[str, Any]) -> list[Table]:
    times, log = figures["times"], figures["log"]
    names = {"bare": "bare graph", "checkpoints": "with checkpoints",
             "checkpoints_and_log": "with checkpoints, event log and answer"}  # fmt: skip
    rows = [
        (text, *(f"{times[key][part]:.2f}" for part in ("p50", "p95", "added_p50", "ratio")))
        for key, text in names.items()
    ]
    sizes = [
        ("checkpoints, precise path, a thread each", figures["own_threads"]),
        ("checkpoints, precise path, one long thread", figures["one_thread"]),
        ("checkpoints, sample questions", log["checkpoints"]),
        ("runs, event log and answer, sample questions", log["runs"]),
    ]
    return [
        Table(
            f"Nine nodes of constants, 16 passages a round, {times['pairs']} interleaved rounds (ms)",
            ("", "p50", "p95", "added p50", "× bare"),
            rows,
        ),
        Table(
            f"Kilobytes a question ({figures['own_threads']['questions']} on the precise path,"
            f" {log['questions']} sample questions)",
            ("", "payload", "pages"),
            [(name, f"{kb['payload_kb']:.1f}", f"{kb['pages_kb']:.1f}") for name, kb in sizes],
        ),
    ]


if __name__ == "__main__":
    sys.exit(command("durability", "Measure what durability costs.", measure))
