"""A saver that stores changed channels alone must show what one shows that stores everything."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest_asyncio
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from app.adapters.checkpoints import CompactSaver, open_checkpoints
from app.runs import Graph
from benchmarks.constants import INPUT, PATH, recorded, replaying
from graphs.ask.graph import AskGraph

CONFIG: RunnableConfig = {"configurable": {"thread_id": "t"}}
Step = tuple[dict[str, Any], tuple[str, ...], str, int]


class WholeSaver(CompactSaver):
    """Stores every channel with every checkpoint, as this service once did."""

    aput = AsyncSqliteSaver.aput


@pytest_asyncio.fixture
async def builder() -> AskGraph:
    return replaying(await recorded())


@pytest_asyncio.fixture
async def saver(tmp_path: Path, builder: AskGraph) -> AsyncIterator[CompactSaver]:
    async with open_checkpoints(tmp_path / "r.sqlite", nodes=builder.nodes) as opened:
        yield opened


async def _ask(graph: Graph, question: str, config: RunnableConfig = CONFIG) -> None:
    await graph.ainvoke({**INPUT, "question": question}, config, durability="sync")


async def _steps(graph: Graph) -> list[Step]:
    """Return every checkpoint of the thread, oldest first, without what differs by run."""
    return [
        (s.values, s.next, str((s.metadata or {})["source"]), int((s.metadata or {})["step"]))
        async for s in graph.aget_state_history(CONFIG)
    ][::-1]


async def _before(graph: Graph, node: str) -> RunnableConfig:
    return [s.config async for s in graph.aget_state_history(CONFIG) if s.next == (node,)][-1]


async def _live(graph: Graph) -> list[Step]:
    """Ask twice, change the state, go on from the middle of the past, and read everything."""
    await _ask(graph, "first")
    await _ask(graph, "second")
    await graph.aupdate_state(CONFIG, {"message": "changed"}, as_node="grade_precise")
    await graph.ainvoke(None, CONFIG, durability="sync")
    await graph.ainvoke(None, await _before(graph, "rewrite_precise"), durability="sync")
    return await _steps(graph)


async def test_history_is_that_of_a_saver_which_stores_everything(
    builder: AskGraph, saver: CompactSaver
) -> None:
    expected = await _live(builder.compile(checkpointer=InMemorySaver()))
    found = await _live(builder.compile(checkpointer=saver))
    assert len(found) > 3 * len(PATH)
    assert found == expected


async def test_step_stores_what_it_changed_and_nothing_else(
    builder: AskGraph, saver: CompactSaver
) -> None:
    await _ask(builder.compile(checkpointer=saver), "q")
    query = "SELECT type, checkpoint FROM checkpoints ORDER BY checkpoint_id DESC LIMIT 1"
    async with saver.conn.execute(query) as rows:
        stored = saver.serde.loads_typed(await anext(aiter(rows)))  # type: ignore[arg-type]  # a row of two
    assert "result" in stored["channel_values"]
    assert "evidence" not in stored["channel_values"]


async def test_checkpoints_of_a_saver_that_stored_everything_are_read(
    builder: AskGraph, saver: CompactSaver
) -> None:
    whole = builder.compile(checkpointer=WholeSaver(saver.conn, serde=saver.serde))
    await _ask(whole, "old")
    expected = await _steps(whole)
    graph = builder.compile(checkpointer=saver)
    assert await _steps(graph) == expected
    await _ask(graph, "new")
    assert (await _steps(graph))[: len(expected)] == expected


async def test_interrupted_run_goes_on_with_every_channel(
    builder: AskGraph, saver: CompactSaver
) -> None:
    stopping = builder.compile(checkpointer=saver, interrupt_before=["check_precise"])
    await _ask(stopping, "q")
    halted = await stopping.aget_state(CONFIG)
    assert len(halted.values["evidence"]) == 32
    graph = builder.compile(checkpointer=saver)
    done = await graph.ainvoke(None, CONFIG, durability="sync")
    assert done["result"]["path"] == list(PATH)


async def test_listing_a_few_checkpoints_fills_them_in(
    builder: AskGraph, saver: CompactSaver
) -> None:
    graph = builder.compile(checkpointer=saver)
    await _ask(graph, "q")
    everything = [s.values async for s in graph.aget_state_history(CONFIG)]
    few = [s.values async for s in graph.aget_state_history(CONFIG, limit=2)]
    assert few == everything[:2]
    assert await saver.aget_tuple({"configurable": {"thread_id": "none"}}) is None
