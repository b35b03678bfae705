"""Pruning the steps of real questions: what is left is small, and a conversation goes on."""

import json
import sqlite3
import time
from pathlib import Path
from typing import Any

from app.adapters.checkpoint_pruning import CheckpointPruner, Retention
from app.adapters.checkpoints import CompactSaver
from app.ingest.reports import Source
from app.run_records import NewRun
from app.run_store import RunStore
from app.runs import RunManager
from app.settings import Settings
from app.wiring import RUNS_FILE, open_services

SAMPLES = Path(__file__).parents[2] / "examples" / "power_plant"
QUESTIONS = (
    "QX-2025-071 的处理措施是什么？",
    "凝汽器真空下降时，运行人员应优先检查哪些系统？",
    "What is the penalty for losing a laptop?",
)
_BEFORE, _AFTER = 30_000, 4_000
"""Bytes of checkpoint tables that a question may take before and after pruning."""


def size(path: Path) -> int:
    connection = sqlite3.connect(path)
    whole = connection.execute(
        "SELECT (SELECT coalesce(sum(length(checkpoint) + length(metadata)), 0) FROM checkpoints)"
        " + (SELECT coalesce(sum(length(value)), 0) FROM writes)"
    ).fetchone()[0]
    connection.close()
    return int(whole)


async def test_pruned_questions_are_small_and_follow_ups_go_on(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, llm="off")  # type: ignore[call-arg]
    async with open_services(settings) as services:
        sources = [Source(file.name, file.read_bytes()) for file in sorted(SAMPLES.glob("*.md"))]
        await services.indexer.ingest("plant", sources)
        store = RunStore(tmp_path / RUNS_FILE)
        manager = RunManager(services.graph, store)

        async def ask(question: str, thread: str | None = None) -> dict[str, Any]:
            new = NewRun("plant", question, {}, question, thread)
            run = await manager.wait((await manager.submit(new)).id)
            return dict(json.loads(await manager.answer(run)))

        first = [await ask(question) for question in QUESTIONS]
        assert size(tmp_path / RUNS_FILE) < _BEFORE * len(QUESTIONS)
        saver = services.graph.checkpointer
        assert isinstance(saver, CompactSaver)
        pruner = CheckpointPruner(tmp_path / RUNS_FILE, saver, Retention(0, 20))
        assert await pruner.prune(time.time() + 1) == len(QUESTIONS)
        assert size(tmp_path / RUNS_FILE) < _AFTER * len(QUESTIONS)
        again = await ask("那它的发现时间呢？", first[0]["thread_id"])
        assert "QX-2025-071" in again["question_resolved"]
        assert again["status"] != "direct"
        await store.close()
