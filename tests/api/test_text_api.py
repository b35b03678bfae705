"""Citations can be read at their places, whatever becomes of their documents meanwhile."""

import io
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from http_client import Client
from httpx import ASGITransport
from reportlab.pdfgen.canvas import Canvas

from app.commands import inside
from app.settings import Settings

PUMP = "# 循环水泵手册 🚰\n\n## 检修周期 𠮷\n\n循环水泵的检修周期为 18 个月。\n\n## 出口压力\n\n循环水泵的出口压力为 0.25 MPa。\n"
QUESTION = "循环水泵的检修周期是多少？"


@pytest.fixture
async def service(tmp_path: Path) -> AsyncIterator[Client]:
    settings = Settings(_env_file=None, data_dir=tmp_path, default_kb="plant", llm="off")  # type: ignore[call-arg]
    async with (
        inside.running(settings) as app,
        Client(transport=ASGITransport(app), base_url="http://youju", timeout=60) as client,
    ):
        yield client


async def put(service: Client, name: str, data: bytes | str, kb: str = "plant") -> str:
    content = data.encode() if isinstance(data, str) else data
    reply = await service.post(f"/kb/{kb}/documents", params={"name": name}, content=content)
    assert reply.status_code == 200, reply.text
    return str(reply.json()["files"][0]["document_id"])


async def ask(service: Client, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    reply = await service.post("/ask", json={"question": question, "kb": "plant", **more})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


async def readable(service: Client, answer: dict[str, Any]) -> None:
    """Read every citation of an answer at its address, in both forms."""
    assert answer["citations"], answer["answer"]
    for citation in answer["citations"]:
        as_json = await service.get(citation["url"])
        assert as_json.status_code == 200, as_json.text
        part = as_json.json()
        assert part["text"] == citation["quote"]
        for field in ("document_id", "version", "start", "end", "page"):
            assert part[field] == citation[field], field
        as_text = await service.get(citation["url"], headers={"Accept": "text/plain"})
        assert as_text.content.decode() == citation["quote"]
        assert as_text.headers["content-type"] == "text/plain; charset=utf-8"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("pump.md", PUMP.encode()),
        ("pump.md", PUMP.replace("\n", "\r\n").encode()),
        ("pump.md", b"\xef\xbb\xbf" + PUMP.encode()),
        ("pump.md", PUMP.encode("gb18030")),
        ("pump.md", ("🧪" * 400 + "\n\n" + PUMP).encode()),
        ("pump.csv", "设备,检修周期\n循环水泵,18 个月\n送风机,12 个月\n".encode()),
    ],
    ids=["plain", "crlf", "bom", "gb18030", "astral", "table"],
)
async def test_every_citation_is_read_at_its_place(service: Client, name: str, data: bytes) -> None:
    await put(service, name, data)
    answer = await ask(service)
    assert "18" in answer["answer"]
    await readable(service, answer)


async def test_citation_of_a_pdf_names_its_page(service: Client) -> None:
    file = io.BytesIO()
    canvas = Canvas(file)
    for line in (
        "This manual is kept by the plant.",
        "The maintenance interval of the feed pump is 18 months.",
    ):
        canvas.drawString(72, 700, line)
        canvas.showPage()
    canvas.save()
    await put(service, "pump.pdf", file.getvalue())
    answer = await ask(service, "What is the maintenance interval of the feed pump?")
    assert "18 months" in answer["answer"]
    assert answer["citations"][0]["page"] == 2
    await readable(service, answer)


async def test_citation_stays_readable_after_its_document_is_replaced(service: Client) -> None:
    document = await put(service, "pump.md", PUMP)
    answer = await ask(service)
    newer = "新的前言，放在最前面。\n\n" + PUMP.replace("18 个月", "24 个月")
    await put(service, "pump.md", newer)
    await readable(service, answer)
    citation = answer["citations"][0]
    part = (await service.get(citation["url"])).json()
    assert part["superseded"] is True
    assert part["newest_version"] != citation["version"]
    assert part["section"] == citation["section"]
    newest = (await service.get(f"/kb/plant/documents/{document}/text")).json()
    assert (newest["text"], newest["superseded"]) == (newer, False)
    await readable(service, await ask(service))


async def test_old_text_goes_with_the_last_thread_that_cites_it(service: Client) -> None:
    document = await put(service, "pump.md", PUMP)
    first, second = await ask(service), await ask(service)
    url = first["citations"][0]["url"]
    await put(service, "pump.md", PUMP.replace("18", "24"))
    await service.delete(f"/threads/{first['thread_id']}")
    assert (await service.get(url)).status_code == 200
    await service.delete(f"/threads/{second['thread_id']}")
    gone = await service.get(url)
    assert gone.status_code == 410
    error = gone.json()["error"]
    known = (await service.get(f"/kb/plant/documents/{document}")).json()
    assert error["code"] == "text_gone"
    assert error["newest_version"] == known["version"]
    assert "24 个月" in (await service.get(error["url"])).json()["text"]


async def test_text_that_comes_back_is_kept_when_its_answers_go(service: Client) -> None:
    await put(service, "pump.md", PUMP)
    answer = await ask(service)
    await put(service, "pump.md", PUMP.replace("18", "24"))
    await put(service, "pump.md", PUMP)
    await service.delete(f"/threads/{answer['thread_id']}")
    await readable(service, answer)


async def test_deleted_document_is_gone_with_its_texts_until_it_comes_back(service: Client) -> None:
    document = await put(service, "pump.md", PUMP)
    answer = await ask(service)
    assert (await service.delete(f"/kb/plant/documents/{document}")).status_code == 204
    url = answer["citations"][0]["url"]
    gone = await service.get(url)
    assert gone.status_code == 410
    assert gone.json()["error"]["newest_version"] is None
    await put(service, "pump.md", PUMP.replace("18", "24"))
    back = (await service.get(url)).json()["error"]
    assert back["newest_version"] is not None
    await put(service, "pump.md", PUMP)
    await readable(service, answer)


async def test_restart_drops_what_nothing_cites_and_keeps_what_is_cited(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, default_kb="plant", llm="off")  # type: ignore[call-arg]
    versions = [PUMP, PUMP.replace("18", "24"), PUMP.replace("18", "36")]
    async with inside.running(settings) as app:
        client = Client(transport=ASGITransport(app), base_url="http://youju", timeout=60)
        await put(client, "pump.md", versions[0])
        answer = await ask(client)
        for text in versions[1:]:
            await put(client, "pump.md", text)
    # a data folder of an earlier version has no note of what its answers cite
    with sqlite3.connect(tmp_path / "runs.sqlite") as runs:
        runs.execute("DROP TABLE cited")
    async with inside.running(settings) as app:
        client = Client(transport=ASGITransport(app), base_url="http://youju", timeout=60)
        await app.state.keeper.sweep()
        await readable(client, answer)
    with sqlite3.connect(tmp_path / "kb.sqlite") as kb:
        assert kb.execute("SELECT count(*) FROM versions").fetchone()[0] == 2


async def test_text_that_an_unfinished_question_may_cite_is_kept(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path, default_kb="plant", llm="off")  # type: ignore[call-arg]
    async with inside.running(settings) as app:
        client = Client(transport=ASGITransport(app), base_url="http://youju", timeout=60)
        await put(client, "pump.md", PUMP)
        answer = await ask(client)
        with sqlite3.connect(tmp_path / "runs.sqlite") as runs:
            runs.execute("DELETE FROM cited")
            runs.execute("UPDATE runs SET status = 'interrupted'")
        await put(client, "pump.md", PUMP.replace("18", "24"))
        await app.state.keeper.sweep()
        await readable(client, answer)
        with sqlite3.connect(tmp_path / "runs.sqlite") as runs:
            runs.execute("UPDATE runs SET status = 'error'")
        await app.state.keeper.sweep()
        assert (await client.get(answer["citations"][0]["url"])).status_code == 410


async def test_long_text_is_read_in_parts(service: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.document_text.LIMIT", 50)
    document = await put(service, "pump.md", PUMP)
    url, joined, place = f"/kb/plant/documents/{document}/text", "", 0
    while place is not None:
        part = (await service.get(url, params={"start": place})).json()
        joined, place = joined + part["text"], part["next"]
    assert joined == PUMP
    plain = await service.get(url, headers={"Accept": "text/plain"})
    assert plain.text == PUMP[:50]
    assert 'rel="next"' in plain.headers["link"]
    following = plain.headers["link"].partition(">")[0].removeprefix("<")
    assert (await service.get(following)).json()["text"] == PUMP[50:100]
    too_much = await service.get(url, params={"start": 0, "end": 51})
    assert too_much.status_code == 400


@pytest.mark.parametrize(
    "query",
    ["start=-1", "start=5&end=4", "end=9999", "start=9999", "start=x", "version=../x", "start=1.5"],
)
async def test_places_outside_the_text_are_a_400_with_a_hint(service: Client, query: str) -> None:
    document = await put(service, "pump.md", PUMP)
    reply = await service.get(f"/kb/plant/documents/{document}/text?{query}")
    assert reply.status_code == 400, reply.text
    assert reply.json()["error"]["hint"]


async def test_unknown_document_knowledge_base_and_version_are_told_apart(service: Client) -> None:
    document = await put(service, "pump.md", PUMP)
    url = f"/kb/plant/documents/{document}/text"
    known = await service.get("/kb/plant/documents/0000000000000000/text")
    assert (known.status_code, known.json()["error"]["code"]) == (404, "unknown_document")
    other = await service.get(f"/kb/none/documents/{document}/text")
    assert (other.status_code, other.json()["error"]["code"]) == (404, "unknown_kb")
    assert (await service.get(f"{url}?version=0123456789abcdef")).status_code == 410
    await put(service, "rules.md", "# Rules\n\nNothing.\n", kb="travel")
    assert (await service.get(f"/kb/travel/documents/{document}/text")).status_code == 404
    empty = (await service.get(f"{url}?start=4&end=4")).json()
    assert (empty["text"], empty["total"]) == ("", len(PUMP))
