"""How long whole questions take: in all, by node, and what they do to the event loop."""

import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.reporting import Report, Scale, Table, Target, command, quantiles
from benchmarks.samples import Asked, Labelled, Service, labelled, service

QUESTIONS: dict[Scale, int | None] = {"tiny": 3, "short": 60, "full": None}
WARM_UP: dict[Scale, int] = {"tiny": 1, "short": 10, "full": 20}
LOADED = 4
"""Questions at once in the second measurement of throughput."""
_HEARTBEAT = 50.0


async def measure(scale: Scale) -> Report:
    """Ask the sample questions one by one, then several at once."""
    with tempfile.TemporaryDirectory() as folder:
        async with service(Path(folder)) as opened:
            for question in labelled(WARM_UP[scale]):
                await opened.ask(question)
            return await report_on(opened, labelled(QUESTIONS[scale]))


async def report_on(opened: Service, questions: Sequence[Labelled]) -> Report:
    """Measure a service that is warm."""
    opened.pulse.reset()
    alone, single = await _ask_all(opened, questions, 1)
    heartbeat = opened.pulse.report().model_dump()
    opened.pulse.reset()
    _, loaded = await _ask_all(opened, questions, LOADED)
    loaded["heartbeat"] = opened.pulse.report().model_dump()
    order = list(opened.services.graph.nodes)
    figures = {
        "whole": quantiles([asked.seconds * 1000 for asked in alone]),
        "by_path": _by_path(alone),
        "by_node": _by_node(alone, order),
        "heartbeat": heartbeat,
        "concurrency_1": single,
        f"concurrency_{LOADED}": loaded,
    }
    target = Target("heartbeat p99 at concurrency 1", heartbeat["p99_ms"], _HEARTBEAT, "ms")
    details = [{"id": a.label.id, "ms": round(a.seconds * 1000, 1)} for a in alone]
    return Report("questions", figures, _tables(figures), [target], details)


async def _ask_all(
    opened: Service, questions: Sequence[Labelled], at_once: int
) -> tuple[list[Asked], dict[str, Any]]:
    """Ask with so many workers; return the answers and the throughput."""
    waiting = iter(questions)
    done: list[Asked] = []

    async def worker() -> None:
        for question in waiting:
            done.append(await opened.ask(question))

    began = time.perf_counter()
    await asyncio.gather(*(worker() for _ in range(at_once)))
    seconds = time.perf_counter() - began
    times = quantiles([asked.seconds * 1000 for asked in done])
    return done, {"questions_per_second": round(len(done) / seconds, 2), "ms": times}


def _by_node(asked: Sequence[Asked], order: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the time inside each node that was entered, in the order of the graph."""
    spent: dict[str, list[float]] = {node: [] for node in order}
    for one in asked:
        for node, usage in one.answer["usage"]["nodes"].items():
            spent[node].append(usage["elapsed_ms"])
    return {node: quantiles(values) for node, values in spent.items() if values}


def _by_path(asked: Sequence[Asked]) -> dict[str, dict[str, float]]:
    """Return whole times by the number of retrievals."""
    spent: dict[str, list[float]] = {}
    for one in asked:
        spent.setdefault(f"{one.answer['usage']['retrievals']} retrievals", []).append(
            one.seconds * 1000
        )
    return {name: quantiles(spent[name]) for name in sorted(spent)}


def _tables(figures: dict[str, Any]) -> list[Table]:
    times = {"whole question": figures["whole"], **figures["by_path"], **figures["by_node"]}
    beats = {"1": figures["heartbeat"], str(LOADED): figures[f"concurrency_{LOADED}"]["heartbeat"]}
    rows = [
        (
            at_once,
            f"{figures[f'concurrency_{at_once}']['questions_per_second']:.1f}",
            f"{figures[f'concurrency_{at_once}']['ms']['p50']:.0f}",
            f"{figures[f'concurrency_{at_once}']['ms']['p95']:.0f}",
            *(f"{beat[key]:.1f}" for key in ("p50_ms", "p99_ms", "max_ms")),
        )
        for at_once, beat in beats.items()
    ]
    return [
        Table(
            "A question with the embedded reasoner, sample corpus (ms)",
            ("", "p50", "p95", "max", "questions"),
            [
                (name, f"{t['p50']:.1f}", f"{t['p95']:.1f}", f"{t['max']:.1f}", f"{t['count']}")
                for name, t in times.items()
            ],
        ),
        Table(
            "Questions at once, and how late a 5 ms heartbeat of the event loop came (ms)",
            ("at once", "a second", "p50", "p95", "late p50", "late p99", "late max"),
            rows,
        ),
    ]


if __name__ == "__main__":
    sys.exit(command("questions", "Measure whole questions.", measure))
