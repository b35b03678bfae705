"""Die after every single checkpoint, on every path of the real graph, and finish all the same."""

import asyncio
import json
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata

from app.adapters.checkpoints import CompactSaver, open_checkpoints
from app.history import history
from app.ingest.reports import Source
from app.run_records import NewRun, Run
from app.run_store import RunStore
from app.runs import RunManager
from app.settings import Settings
from app.wiring import Core, open_core

pytestmark = pytest.mark.asyncio(loop_scope="module")

EXAMPLES = Path(__file__).parents[2] / "examples" / "power_plant"
# By how the name of a node begins that the path leads through.
PATHS: dict[str, tuple[str, dict[str, int]]] = {
    "answer_directly": ("你好", {}),
    "check_initial": ("凝汽器真空下降时，运行人员应优先检查哪些系统？", {}),
    "generate_": (  # with one retrieval or two: that is the evidence logic's matter
        "高温高负荷期间，凝汽器侧参数变差，同时循环水旋转滤网压差升高。"
        "请说明这类问题为什么会影响真空，并找出缺陷记录中的现场检查结果和处理措施。",
        {},
    ),
    "rewrite_broaden": (
        "值班员说“汽机尾部参数不对劲，负荷越高越明显，投入备用辅机后只改善了一点”。"
        "请从知识库中判断它可能对应哪些历史缺陷，并按优先级列出排查方向。",
        {},
    ),
    "report_insufficient_initial": ("谁是2024年诺贝尔物理学奖得主？", {}),
    "check_partial_precise": (
        "QX-2025-094 的处理措施是什么？食堂菜单由谁批准？",
        {"max_rounds": 3},
    ),
}


class Killed(BaseException):
    """The process is gone: nothing of it may clean up."""


class DyingSaver(CompactSaver):
    """Dies right after it has stored so many checkpoints."""

    lives = 0

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        stored = await super().aput(config, checkpoint, metadata, new_versions)
        self.lives -= 1
        if self.lives == 0:
            raise Killed
        return stored


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def core(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Core]:
    data_dir = tmp_path_factory.mktemp("data")
    async with open_core(Settings(_env_file=None, data_dir=data_dir, llm="off")) as core:
        files = sorted([*EXAMPLES.glob("*.md"), *EXAMPLES.glob("*.txt")])
        sources = [Source(file.name, file.read_bytes()) for file in files]
        await core.indexer.ingest("power-plant", sources)
        yield core
    shutil.rmtree(data_dir)


async def _live(
    core: Core, file: Path, lives: int, new: NewRun | None, thread: str
) -> tuple[Run, list[dict[str, Any]], list[str]]:
    """Let one process live: begin or resume a run, and die after `lives` checkpoints."""
    async with open_checkpoints(file, nodes=core.builder.nodes) as opened:
        saver = DyingSaver(opened.conn, serde=opened.serde)
        saver.lives = lives
        store = RunStore(file)
        graph = core.builder.compile(checkpointer=saver)
        manager = RunManager(graph, store)
        await manager.recover()
        run = await manager.submit(new) if new else await manager.resume(thread)
        task = manager._active[run.id].task
        assert task is not None
        await asyncio.wait([task])
        assert lives <= 0 or isinstance(task.exception(), Killed) or task.exception() is None
        events = [
            {"id": e.id, "type": e.type, "data": json.loads(e.data)}
            for e in await store.events(run.id)
        ]
        nodes = [entry.node for entry in await history(graph, run.thread_id)]
        run = await store.run(run.id)
        await store.close()
    return run, events, nodes


@pytest.mark.parametrize("through", PATHS)
async def test_run_that_dies_after_every_checkpoint_gives_the_same_answer(
    core: Core, tmp_path: Path, through: str
) -> None:
    question, options = PATHS[through]
    new = NewRun("power-plant", question, options, "hash")
    whole, expected, _ = await _live(core, tmp_path / "whole.sqlite", 0, new, "")
    assert whole.status == "done"
    wanted = expected[-2]["data"]
    assert any(node.startswith(through) for node in wanted["path"])
    if not options:
        _assert_small(tmp_path / "whole.sqlite")

    run, events, nodes = await _live(core, tmp_path / "killed.sqlite", 1, new, "")
    deaths = 1
    while run.status == "running":
        run, events, nodes = await _live(core, tmp_path / "killed.sqlite", 1, None, run.thread_id)
        deaths += 1
    answer = events[-2]["data"]
    assert run.status == "done"
    assert deaths >= len(wanted["path"])
    same = ("answer", "status", "path", "statements", "citations", "missing", "warnings")
    assert {key: answer[key] for key in same} == {key: wanted[key] for key in same}
    assert nodes == wanted["path"]
    starts = [e["data"] for e in events if e["type"] == "node" and e["data"]["phase"] == "start"]
    assert [start["node"] for start in starts] == wanted["path"]
    assert {start["attempt"] for start in starts} == {1}
    ends = [e["data"] for e in events if e["type"] == "node" and e["data"]["phase"] == "end"]
    assert [end["node"] for end in ends] == wanted["path"]
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    assert _held(events) == answer["answer"]


def _assert_small(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        (checkpoints,) = connection.execute(
            "SELECT sum(length(checkpoint) + length(metadata)) FROM checkpoints"
        ).fetchone()
        (writes,) = connection.execute("SELECT total(length(value)) FROM writes").fetchone()
        (events,) = connection.execute("SELECT sum(length(data)) FROM events").fetchone()
    assert checkpoints + writes <= 30 * 1024
    assert events <= 16 * 1024


def _held(events: list[dict[str, Any]]) -> str:
    """Return what a client holds at the end: the tokens after the last reset, joined."""
    text = ""
    for event in events:
        text = "" if event["type"] == "reset" else text + event["data"].get("text", "")
    return text
