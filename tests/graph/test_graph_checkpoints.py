import asyncio
import signal
import subprocess
import sys
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fakes import (
    CountingKnowledgeBase,
    FailingLibrary,
    FakeEmbedder,
    FakeReasoner,
    ask,
    builder,
    full,
    knowledge_base,
    plant,
)
from memory_kb import passage
from scenarios import SCENARIOS, Scenario, options

from app.adapters.checkpoints import CompactSaver, open_checkpoints
from app.history import history
from graphs.policy import Policy, Profile
from graphs.reasoners.base import Case, Reading

CONFIG: Any = {"configurable": {"thread_id": "t"}}
HERE = Path(__file__).parent


class Killed(BaseException):
    """The process is gone: nothing of it may clean up."""


async def _history(graph: Any) -> list[str]:
    return [entry.node for entry in await history(graph, "t")]


def _open(file: Path, graph_builder: Any) -> Any:
    return open_checkpoints(file, nodes=graph_builder.nodes)


async def _uninterrupted(scenario: Scenario) -> tuple[dict[str, Any], FakeReasoner, int]:
    reasoner, base = scenario.reasoner(), CountingKnowledgeBase(FakeEmbedder(), plant())
    done = await builder(reasoner, base).compile().ainvoke(ask(**options(scenario)))
    return done["result"], reasoner, base.searches


def _comparable(result: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in result.items() if key != "usage"}


@pytest.mark.parametrize("name", SCENARIOS)
async def test_each_path_leaves_one_checkpoint_per_entry_in_order(
    name: str, tmp_path: Path
) -> None:
    scenario = SCENARIOS[name]
    graph_builder = builder(scenario.reasoner(), knowledge_base())
    async with _open(tmp_path / "runs.sqlite", graph_builder) as saver:
        graph = graph_builder.compile(checkpointer=saver)
        await graph.ainvoke(ask(**options(scenario)), CONFIG, durability="sync")
        assert tuple(await _history(graph)) == scenario.path
        assert (await graph.aget_state(CONFIG)).next == ()


@pytest.mark.parametrize("name", SCENARIOS)
async def test_stream_that_ends_after_each_node_goes_on_at_the_next_one(
    name: str, tmp_path: Path
) -> None:
    """Every node runs in a process of its own, as far as the saver can tell."""
    scenario = SCENARIOS[name]
    expected, whole, searches = await _uninterrupted(scenario)
    reasoner, base = scenario.reasoner(), CountingKnowledgeBase(FakeEmbedder(), plant())
    given: Any = ask(**options(scenario))
    lives = 0
    finished = False
    while not finished:
        graph_builder = builder(reasoner, base)
        async with _open(tmp_path / "runs.sqlite", graph_builder) as saver:
            graph = graph_builder.compile(checkpointer=saver)
            await _one_node(graph, given)
            given = None
            state = await graph.aget_state(CONFIG)
            finished = not state.next and bool(state.values.get("result"))
            nodes = await _history(graph)
        lives += 1
        assert lives <= len(scenario.path) + 1
    assert lives >= len(scenario.path)
    assert tuple(nodes) == scenario.path
    assert _comparable(state.values["result"]) == _comparable(expected)
    assert (reasoner.calls, base.searches) == (whole.calls, searches)


async def _one_node(graph: Any, given: Any) -> None:
    """Read the stream up to the first node's end, and leave it."""
    stream = graph.astream(given, CONFIG, stream_mode="updates", durability="sync")
    async for _ in stream:
        break
    await stream.aclose()


def _process(file: Path, journal: Path, name: str, call: str, times: int) -> Any:
    command = [sys.executable, str(HERE / "killed_graph.py"), str(file), str(journal), name, call]
    return subprocess.run(
        [*command, str(times)],
        env={"PYTHONPATH": f"{HERE}:{HERE.parents[1]}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "call", "times"),
    [("initial-supported", "check", 1), ("precise-supported", "grade", 2)],
)
async def test_killed_process_is_resumed_without_running_finished_nodes_again(
    name: str, call: str, times: int, tmp_path: Path
) -> None:
    file, journal = tmp_path / "runs.sqlite", tmp_path / "journal"
    killed = await asyncio.to_thread(_process, file, journal, name, call, times)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    resumed = await asyncio.to_thread(_process, file, journal, name, "", 0)
    assert resumed.returncode == 0, resumed.stderr
    scenario = SCENARIOS[name]
    assert resumed.stdout.split() == [scenario.status, *scenario.path]
    _, whole, _ = await _uninterrupted(scenario)
    at = [i for i, made in enumerate(whole.calls) if made == call][times - 1]
    expected = [*whole.calls[: at + 1], *whole.calls[at:]]
    assert journal.read_text().split() == expected, "only the killed node runs twice"


async def test_cancelled_run_is_no_failed_node_and_goes_on_later(tmp_path: Path) -> None:
    """A shutdown cancels the running node: the handler must not end the question for that."""
    entered = asyncio.Event()

    class Slow(FakeReasoner):
        async def grade(self, case: Case, meter: Any) -> Reading:
            entered.set()
            await asyncio.sleep(60)
            return await super().grade(case, meter)

    slow = builder(Slow(readings=deque([full])), knowledge_base())
    async with _open(tmp_path / "runs.sqlite", slow) as saver:
        run = slow.compile(checkpointer=saver).ainvoke(ask(), CONFIG, durability="sync")
        task = asyncio.create_task(run)
        await entered.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
    reasoner = FakeReasoner(readings=deque([full]))
    again = builder(reasoner, knowledge_base())
    async with _open(tmp_path / "runs.sqlite", again) as saver:
        graph = again.compile(checkpointer=saver)
        assert (await graph.aget_state(CONFIG)).next == ("grade_initial",)
        done = await graph.ainvoke(None, CONFIG, durability="sync")
    assert tuple(done["result"]["path"]) == SCENARIOS["initial-supported"].path
    assert reasoner.calls == ["grade", "generate", "check"]


@pytest.mark.parametrize("healthy", range(7))
async def test_failed_node_has_its_checkpoint_too(healthy: int, tmp_path: Path) -> None:
    scenario = SCENARIOS["precise-supported"]
    library = FailingLibrary({"kb": knowledge_base()}, opens=healthy)
    graph_builder = builder(scenario.reasoner(), library)
    async with _open(tmp_path / "runs.sqlite", graph_builder) as saver:
        graph = graph_builder.compile(checkpointer=saver)
        done = await graph.ainvoke(ask(), CONFIG, durability="sync")
        assert await _history(graph) == done["result"]["path"]
    assert done["result"]["path"] == [*scenario.path[: healthy + 1], "finalize"]


async def test_process_that_dies_before_the_handler_ran_ends_labelled_after_the_resume(
    tmp_path: Path,
) -> None:
    class Dies(CompactSaver):
        """Dies once the failed node's error is stored."""

        async def aput_writes(self, *args: Any, **kwargs: Any) -> None:
            await super().aput_writes(*args, **kwargs)
            if any(channel == "__error__" for channel, _ in args[1]):
                raise Killed

    def broken(case: Case) -> Reading:
        raise ZeroDivisionError("a bug")

    file = tmp_path / "runs.sqlite"
    first = builder(FakeReasoner(readings=deque([broken])), knowledge_base())
    async with _open(file, first) as opened:
        graph = first.compile(checkpointer=Dies(opened.conn, serde=opened.serde))
        with pytest.raises(Killed):
            await graph.ainvoke(ask(), CONFIG, durability="sync")
    again = builder(FakeReasoner(), knowledge_base())
    async with _open(file, again) as saver:
        graph = again.compile(checkpointer=saver)
        done = await graph.ainvoke(None, CONFIG, durability="sync")
    assert done["result"]["status"] == "insufficient"
    assert done["result"]["path"][-2:] == ["grade_initial", "finalize"]


async def test_precise_path_with_sixteen_passages_a_round_stays_under_thirty_kilobytes(
    tmp_path: Path,
) -> None:
    items = [
        passage(
            f"{'甲乙丙丁戊己庚辛壬癸子丑寅卯辰巳午未申酉戌亥天地玄黄宇宙洪荒日月'[n]}号设备第{n}次检修记录由班组{n * 7}保存。",
            section=("缺陷记录", f"QX-2025-{n:03d}"), document_id=f"{n % 4:064x}", ordinal=n,
        )
        for n in range(32)
    ]  # fmt: skip
    scenario = SCENARIOS["precise-supported"]
    policy = Policy(
        initial=replace(Policy().initial, top_n=16), precise=Profile("precise", 0.2, 16, 0.6, 0.4)
    )
    graph_builder = builder(scenario.reasoner(), knowledge_base(items), policy)
    async with _open(tmp_path / "runs.sqlite", graph_builder) as saver:
        graph = graph_builder.compile(checkpointer=saver)
        await graph.ainvoke(ask("设备检修记录由哪个班组保存？"), CONFIG, durability="sync")
        state = (await graph.aget_state(CONFIG)).values
        size = await _stored_bytes(saver)
    rounds = [ref["round"] for ref in state["evidence"]]
    assert (rounds.count(0), rounds.count(1)) == (16, 16)
    assert size <= 30 * 1024


async def _stored_bytes(saver: CompactSaver) -> int:
    """Return the bytes of every column of the checkpoint tables."""
    total = 0
    for table in ("checkpoints", "writes"):
        async with saver.conn.execute(f"PRAGMA table_info({table})") as rows:
            columns = [row[1] async for row in rows]
        lengths = " + ".join(f"coalesce(length(CAST({column} AS BLOB)), 0)" for column in columns)
        async with saver.conn.execute(f"SELECT total({lengths}) FROM {table}") as rows:
            total += sum([int(row[0]) async for row in rows])
    return total
