"""Learning in a real data folder: stored, searched with, undone, cleaned and outdated."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.adapters.learned_sqlite import LearnedStore
from app.commands import inside
from app.commands.boundary import CommandFailed
from app.commands.client import Client, Reply
from app.commands.learning import learn, undo
from app.ingest.reports import Source
from app.learning.links import Link
from app.settings import Settings
from app.wiring import OpenServices

KB = "office"
ASKED = "睡过头没赶上打卡会怎么样？"
KNOWN = "睡过头没赶上打卡会怎样"
TEXTS = {
    "attendance.md": "# 考勤管理规定\n\n员工九点前到岗。未按时到岗三次的扣发当月奖金。\n",
    "travel.md": "# 差旅报销办法\n\n出差人员应当在返回后十日内提交单据。\n",
    "pump.md": "# 水泵检修规程\n\n轴承温度超过八十度应当停机检查。\n",
    "sleep.md": "# 宿舍管理\n\n宿舍十一点熄灯，睡过头的同事请自行定闹钟。\n",
    "card.md": "# 门禁卡\n\n打卡机坏了会怎样处理，找行政领取新的门禁卡。\n",
}


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[tuple[Client, OpenServices]]:
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", llm="off")
    async with inside.running(settings) as app:
        services: OpenServices = app.state.services
        await services.indexer.ingest(KB, [Source(n, t.encode()) for n, t in TEXTS.items()])
        yield inside.client_of(app), services


async def search(client: Client, query: str = ASKED) -> Reply:
    return await client.search(KB, {"query": query})


async def teach(client: Client, *links: tuple[str, str]) -> Reply:
    body = [{"question": question, "documents": [name]} for question, name in links]
    return await client.learn(KB, body)


def titles(found: Reply) -> list[str]:
    return [hit["title"] for hit in found["hits"]]


async def test_known_question_brings_its_document_to_the_top_and_undo_restores_every_byte(
    served: tuple[Client, OpenServices],
) -> None:
    client, _ = served
    before = await search(client)
    assert titles(before)[0] != "考勤管理规定"
    report = await teach(client, (KNOWN, "attendance.md"))
    assert (report["applied"], report["adapter_rank"], report["new_questions"]) == (True, 0, 1)
    after = await search(client)
    assert titles(after)[0] == "考勤管理规定"
    scores = {hit["passage"]: hit["score"] for hit in before["hits"]}
    assert all(scores[hit["passage"]] == hit["score"] for hit in after["hits"])
    assert (await client.undo_learning(KB))["learned"] is None
    assert json.dumps(await search(client)) == json.dumps(before)


async def test_undo_brings_back_the_learning_before_it(
    served: tuple[Client, OpenServices],
) -> None:
    client, _ = served
    await teach(client, (KNOWN, "attendance.md"))
    once = await search(client)
    again = await teach(client, ("出门办事的钱怎么拿回来", "travel.md"), (KNOWN, "card.md"))
    assert (again["questions"], again["links"], again["new_questions"]) == (2, 3, 1)
    state = await client.undo_learning(KB)
    assert state["learned"]["questions"] == 1
    assert json.dumps(await search(client)) == json.dumps(once)


async def test_deleted_document_takes_its_known_questions_along(
    served: tuple[Client, OpenServices],
) -> None:
    client, services = served
    await teach(client, (KNOWN, "attendance.md"))
    store = LearnedStore(services.library.stores.database)
    newest = store.newest(KB)
    assert newest is not None
    (known,) = store.links(newest[0])
    assert await services.library.delete_document(KB, known.document_id)
    assert store.links(newest[0]) == []
    kb = await services.library.open(KB)
    assert await kb.learned() is None


async def test_replaced_document_keeps_its_known_questions(
    served: tuple[Client, OpenServices],
) -> None:
    client, services = served
    await teach(client, (KNOWN, "attendance.md"))
    changed = TEXTS["attendance.md"].replace("三次", "五次")
    await services.indexer.ingest(KB, [Source("attendance.md", changed.encode())])
    assert titles(await search(client))[0] == "考勤管理规定"


async def test_learning_with_another_embedder_rests(
    served: tuple[Client, OpenServices], caplog: pytest.LogCaptureFixture
) -> None:
    client, services = served
    before = await search(client)
    await teach(client, (KNOWN, "attendance.md"))
    database = services.library.stores.database
    with database.write() as connection:
        connection.execute("UPDATE learnings SET embedder = 'other'")
        connection.execute("UPDATE kbs SET generation = generation + 1")
    assert json.dumps(await search(client)) == json.dumps(before)
    assert "youju learn --kb office" in caplog.text
    relearned = await client.learn(KB, [])
    assert relearned["questions"] == 1
    assert titles(await search(client))[0] == "考勤管理规定"


async def test_learning_that_is_not_applied_changes_no_search(
    served: tuple[Client, OpenServices],
) -> None:
    client, services = served
    before = await search(client)
    await teach(client, (KNOWN, "attendance.md"))
    with services.library.stores.database.write() as connection:
        connection.execute("UPDATE learnings SET applied = 0")
        connection.execute("UPDATE kbs SET generation = generation + 1")
    assert json.dumps(await search(client)) == json.dumps(before)


async def test_excluded_document_is_not_led_to(served: tuple[Client, OpenServices]) -> None:
    client, _ = served
    await teach(client, (KNOWN, "attendance.md"))
    (id_,) = [d["id"] for d in await client.documents(KB) if d["name"] == "attendance.md"]
    found = await client.search(KB, {"query": ASKED, "exclude_documents": [id_]})
    assert "考勤管理规定" not in titles(found)


async def test_commands_teach_a_free_data_folder_and_name_what_is_wrong(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", llm="off")
    async with inside.running(settings) as app:
        sources = [Source(name, text.encode()) for name, text in TEXTS.items()]
        await app.state.services.indexer.ingest(KB, sources)
    with pytest.raises(CommandFailed, match="line 3: There is no document 'nope'"):
        await learn(settings, KB, [Link(KNOWN, ("nope",), 3)])
    report = await learn(settings, KB, [Link(KNOWN, ("考勤管理规定",), 1)])
    assert report["links"] == 1
    assert (await undo(settings, KB))["learned"] is None
    with pytest.raises(CommandFailed, match="nothing that could be undone"):
        await undo(settings, KB)
