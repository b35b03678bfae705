"""The commands that teach a data folder: from a file, from feedback, and after reindexing."""

from pathlib import Path

import httpx
import pytest
from office import KB, KNOWN, TEXTS, teach

from app.commands import inside, reindexing
from app.commands.boundary import CommandFailed
from app.commands.learning import learn, undo
from app.ingest.reports import Source
from app.learning.links import Link
from app.settings import Settings
from app.wiring import OpenServices

CONFIRMED = {
    "打卡机坏了会怎样处理？": ("wrong", "attendance.md"),
    "出差人员应当在返回后几日内提交单据？": ("right", "travel.md"),
}


async def test_feedback_teaches_what_it_confirms_and_leaves_out_documents_that_are_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", llm="off")
    async with inside.running(settings) as app:
        services: OpenServices = app.state.services
        await services.indexer.ingest(KB, [Source(n, t.encode()) for n, t in TEXTS.items()])
        client = inside.client_of(app)
        ids = {each["name"]: each["id"] for each in await client.documents(KB)}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://youju") as http:
            for question, (verdict, right) in CONFIRMED.items():
                run = await client.ask({"question": question, "kb": KB})
                assert run["status"] == "answered"
                said = {"run_id": run["run_id"], "verdict": verdict, "document_id": ids[right]}
                assert (await http.post("/feedback", json=said)).status_code == 200
        await services.library.delete_document(KB, ids["travel.md"])
    report = await learn(settings, KB, [], feedback=True)
    assert (report["questions"], report["links"]) == (1, 1)
    assert "1 confirmed question is left out" in capsys.readouterr().err
    own = Link(next(iter(CONFIRMED)), ("card.md",))
    again = await learn(settings, KB, [own], feedback=True)
    assert (again["questions"], again["links"]) == (1, 2)


async def test_learning_by_feedback_without_any_says_how_to_give_it(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", llm="off")
    async with inside.running(settings) as app:
        sources = [Source(name, text.encode()) for name, text in TEXTS.items()]
        await app.state.services.indexer.ingest(KB, sources)
    with pytest.raises(CommandFailed, match="No feedback on answers from office"):
        await learn(settings, KB, [], feedback=True)


async def test_reindexing_keeps_known_questions_and_says_that_learning_rests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path / "data", llm="off")
    async with inside.running(settings) as app:
        services: OpenServices = app.state.services
        await services.indexer.ingest(KB, [Source(n, t.encode()) for n, t in TEXTS.items()])
        await teach(inside.client_of(app), (KNOWN, "attendance.md"))
    same = await reindexing.reindex(settings, KB, change_embedder=False)
    reindexing.report(same)
    assert same.resting == {}
    assert "rests" not in capsys.readouterr().err
    async with inside.running(settings) as app:
        with app.state.services.library.stores.database.write() as connection:
            connection.execute(
                "UPDATE learnings SET embedder = 'other', "
                "report = json_set(report, '$.embedder', 'other')"
            )
    made = await reindexing.reindex(settings, KB, change_embedder=False)
    assert made.as_json()["knowledge_bases"][0]["resting_questions"] == 1
    reindexing.report(made)
    told = " ".join(capsys.readouterr().err.split())
    assert "1 known question" in told
    assert "`youju learn --kb office`" in told
    assert (await learn(settings, KB, []))["questions"] == 1
    assert (await reindexing.reindex(settings, KB, change_embedder=False)).resting == {}


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
    with pytest.raises(CommandFailed, match="nothing that could be undone") as refused:
        await undo(settings, KB)
    assert "teaches it" in refused.value.hint
