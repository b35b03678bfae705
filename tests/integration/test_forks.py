"""A question replayed from one of its checkpoints, through the real graph."""

import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.errors import InvalidRequest, UnknownCheckpoint, UnknownThread
from app.forking import fork
from app.ingest.reports import Source
from app.questions import ForkRequest
from app.run_records import NewRun
from app.run_store import RunStore
from app.runs import RunManager
from app.settings import Settings
from app.wiring import RUNS_FILE, open_services

pytestmark = pytest.mark.asyncio(loop_scope="module")
SAMPLES = Path(__file__).parents[2] / "examples" / "power_plant"
QUESTION = "QX-2025-071 的处理措施是什么？"


class Desk:
    """Asks, and forks what was asked."""

    def __init__(self, services: Any, manager: RunManager, path: Path) -> None:
        self.services, self.manager, self.path = services, manager, path

    async def ask(self, question: str) -> dict[str, Any]:
        run = await self.manager.submit(NewRun("plant", question, {}, question))
        return await self.answer(run)

    async def answer(self, run: Any) -> dict[str, Any]:
        return dict(json.loads(await self.manager.answer(await self.manager.wait(run.id))))

    async def checkpoint(self, thread: str, node: str) -> str:
        from app.history import history  # noqa: PLC0415

        entries = await history(self.services.graph, thread)
        return next(entry.checkpoint_id for entry in entries if entry.node == node)

    async def fork(self, thread: str, node: str, **values: Any) -> dict[str, Any]:
        return await self.answer(
            await self.start(thread, await self.checkpoint(thread, node), **values)
        )

    async def start(self, thread: str, checkpoint: str, **values: Any) -> Any:
        body = ForkRequest.model_validate({"checkpoint_id": checkpoint, "values": values})
        graph, policy = self.services.graph, self.services.policy
        return await fork(self.manager, graph, policy, thread, body, "key")

    def dump(self, thread: str) -> list[Any]:
        connection = sqlite3.connect(self.path)
        rows = [
            row
            for table, column in (("checkpoints", "thread_id"), ("writes", "thread_id"), ("runs", "thread_id"))
            for row in connection.execute(f"SELECT * FROM {table} WHERE {column} = ?", (thread,))
        ]  # fmt: skip
        rows += connection.execute(
            "SELECT * FROM events WHERE run_id IN (SELECT id FROM runs WHERE thread_id = ?)",
            (thread,),
        ).fetchall()
        connection.close()
        return rows


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def desk(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Desk]:
    folder: Path = tmp_path_factory.mktemp("forks")
    settings = Settings(_env_file=None, data_dir=folder, llm="off")  # type: ignore[call-arg]
    async with open_services(settings) as services:
        sources = [Source(file.name, file.read_bytes()) for file in sorted(SAMPLES.glob("*.md"))]
        await services.indexer.ingest("plant", sources)
        store = RunStore(folder / RUNS_FILE)
        yield Desk(services, RunManager(services.graph, store), folder / RUNS_FILE)
        await store.close()


@pytest.mark.parametrize("node", ["retrieve_initial", "grade_initial", "generate_initial"])
async def test_plain_replay_gives_the_same_answer_and_leaves_the_original(
    desk: Desk, node: str
) -> None:
    first = await desk.ask(QUESTION)
    assert first["status"] == "answered"
    before = desk.dump(first["thread_id"])
    again = await desk.fork(first["thread_id"], node)
    assert desk.dump(first["thread_id"]) == before
    assert again["thread_id"] != first["thread_id"]
    assert again["answer"] == first["answer"]
    assert again["path"] == first["path"]
    events = await desk.manager.store.events(again["run_id"])
    assert [event.id for event in events] == list(range(1, len(events) + 1))
    tokens = [json.loads(e.data)["text"] for e in events if e.type == "token"]
    assert "".join(tokens) == again["answer"]
    started = {json.loads(e.data)["node"] for e in events if e.type == "node"}
    assert started == set(first["path"][first["path"].index(node) + 1 :])


async def test_another_decision_leads_another_way(desk: Desk) -> None:
    first = await desk.ask(QUESTION)
    declined = await desk.fork(first["thread_id"], "grade_initial", decision="insufficient")
    assert declined["status"] == "insufficient"
    assert declined["path"][-2:] == ["report_insufficient_initial", "finalize"]
    searched = await desk.fork(first["thread_id"], "grade_initial", decision="rewrite")
    assert "retrieve_precise" in searched["path"]


async def test_another_threshold_decides_anew_from_before_the_grading(desk: Desk) -> None:
    first = await desk.ask(QUESTION)
    options = {"threshold": 1.0, "max_rounds": 0}
    strict = await desk.fork(first["thread_id"], "retrieve_initial", options=options)
    assert strict["status"] != "answered"
    assert strict["assessment"]["threshold"] == 1.0
    assert strict["assessment"]["confidence"] == first["assessment"]["confidence"]


async def test_another_question_is_asked_anew_with_what_was_said_before(desk: Desk) -> None:
    first = await desk.ask(QUESTION)
    follow = await desk.fork(first["thread_id"], "finalize", question="那它的发现时间呢？")
    assert "QX-2025-071" in follow["question_resolved"]
    assert follow["path"][0] == "analyze_query"


async def test_document_left_out_is_not_cited(desk: Desk) -> None:
    first = await desk.ask(QUESTION)
    left_out = first["citations"][0]["document_id"]
    options = {"exclude_documents": [left_out]}
    again = await desk.fork(first["thread_id"], "grade_initial", options=options)
    assert again["path"][0] == "analyze_query"
    assert left_out not in {c["document_id"] for c in again["citations"]}


async def test_what_can_not_be_forked_is_told(desk: Desk) -> None:
    first = await desk.ask(QUESTION)
    thread = first["thread_id"]
    with pytest.raises(UnknownThread):
        await desk.start("nope", "x")
    with pytest.raises(UnknownCheckpoint):
        await desk.start(thread, "x")
    with pytest.raises(InvalidRequest, match="grading"):
        await desk.fork(thread, "retrieve_initial", decision="rewrite")
    with pytest.raises(InvalidRequest, match="anew"):
        await desk.fork(thread, "grade_initial", decision="rewrite", question="q")
