"""Learning in a real data folder: stored, searched with, undone, cleaned and outdated."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from office import ASKED, KB, KNOWN, TEXTS, teach

from app.adapters.learned_sqlite import LearnedStore
from app.commands import inside
from app.commands.client import Client, Reply
from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import OpenServices
from graphs.evidence.learned import Adapter

LONG = [
    f"第{n}台风机的叶片角度按图纸调整，{line}" * 6
    for n, line in enumerate(("螺栓力矩逐个复核。", "减速箱油位取样化验。", "填料积垢用水冲净。"))
]


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[tuple[Client, OpenServices]]:
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", llm="off")
    async with inside.running(settings) as app:
        services: OpenServices = app.state.services
        await services.indexer.ingest(KB, [Source(n, t.encode()) for n, t in TEXTS.items()])
        yield inside.client_of(app), services


async def search(client: Client, query: str = ASKED) -> Reply:
    return await client.search(KB, {"query": query})


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


async def test_search_with_what_was_learned_asks_the_vector_index_no_more_often(
    served: tuple[Client, OpenServices], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, services = served
    await teach(client, (KNOWN, "attendance.md"))
    kb, dense = await services.library.open(KB), services.library.stores.dense
    learned = await kb.learned()
    assert learned is not None
    size = learned.expansion.vectors.shape[1]
    turning = Adapter(*(np.ones(shape, dtype=np.float32) for shape in ((size, 1), (1, size))))
    asked = []
    query, vectors = dense.query, dense.vectors
    monkeypatch.setattr(dense, "query", lambda *a: asked.append("query") or query(*a))
    monkeypatch.setattr(dense, "vectors", lambda *a: asked.append("vectors") or vectors(*a))
    counts = []
    search_with = services.searcher.search_with
    for each in (None, replace(learned, adapter=turning)):
        asked.clear()
        await search_with.search(kb.taught(each), ASKED, search_with.policy.initial)
        counts.append(sorted(asked))
    assert counts[0] == counts[1] != []


async def test_excluded_document_is_not_led_to(served: tuple[Client, OpenServices]) -> None:
    client, _ = served
    await teach(client, (KNOWN, "attendance.md"))
    (id_,) = [d["id"] for d in await client.documents(KB) if d["name"] == "attendance.md"]
    found = await client.search(KB, {"query": ASKED, "exclude_documents": [id_]})
    assert "考勤管理规定" not in titles(found)


async def test_document_confirmed_for_this_very_question_passes_the_threshold_as_it_is(
    served: tuple[Client, OpenServices],
) -> None:
    client, services = served
    search_with = services.searcher.search_with
    floor = search_with.policy.initial.threshold
    kb = await services.library.open(KB)
    asked, other = "食堂周五有饺子吃吗？", "食堂周五有面条吃吗？"
    await teach(client, ("食堂周五有饺子吃吗", "pump.md"))
    plain = await search_with.search(kb.taught(None), asked, search_with.policy.initial)
    assert "水泵检修规程" not in {item.passage.title for item in plain.evidence}
    found = await search_with.search(kb, asked, search_with.policy.initial)
    first = found.evidence[0]
    assert (first.passage.title, first.confirmed) == ("水泵检修规程", True)
    assert first.score < floor
    assert first.passage.id not in found.trace.dropped
    near = await search_with.search(kb, other, search_with.policy.initial)
    assert not any(item.confirmed for item in near.ranked)
    answer = await client.ask({"question": asked, "kb": KB})
    assert answer["status"] == "insufficient"


async def test_only_the_best_passage_of_a_confirmed_document_passes(
    served: tuple[Client, OpenServices],
) -> None:
    client, services = served
    sections = "".join(f"## 第{n}节\n\n{line}\n\n" for n, line in enumerate(LONG))
    await services.indexer.ingest(KB, [Source("tower.md", f"# 冷却塔\n\n{sections}".encode())])
    await teach(client, ("食堂周五有饺子吃吗", "tower.md"))
    kb = await services.library.open(KB)
    search_with = services.searcher.search_with
    found = await search_with.search(kb, "食堂周五有饺子吃吗？", search_with.policy.initial)
    own = [item for item in found.ranked if item.passage.title == "冷却塔"]
    assert len(own) > 1
    assert [item.confirmed for item in own] == [True] + [False] * (len(own) - 1)
