import asyncio
from typing import Any

import pytest
from http_client import Client

RULES = "# 低真空处理\n\n## 检查顺序\n\n先检查循环水系统，再检查抽真空系统。\n".encode()
TRAVEL = b"# Hotel rules\n\nCode POL-2024-07. A cancelled flight: 100 % of the hotel costs.\n"


async def _upload(client: Client, kb: str, *files: tuple[str, bytes]) -> Any:
    return await client.post(
        f"/kb/{kb}/documents", files=[("files", (name, data)) for name, data in files]
    )


async def test_first_upload_makes_a_knowledge_base(client: Client) -> None:
    response = await _upload(client, "fresh", ("rules.md", RULES), ("travel.md", TRAVEL))
    assert response.status_code == 200, response.text
    assert [file["outcome"] for file in response.json()["files"]] == ["added", "added"]
    bases = (await client.get("/kb")).json()
    fresh = next(kb for kb in bases["knowledge_bases"] if kb["name"] == "fresh")
    assert fresh["documents"] == 2
    assert bases["default"] == "plant"
    again = await _upload(client, "fresh", ("rules.md", RULES))
    assert again.json()["files"][0]["outcome"] == "unchanged"


async def test_document_can_be_listed_read_searched_and_deleted(client: Client) -> None:
    raw = await client.post("/kb/plant/documents", params={"name": "rules.md"}, content=RULES)
    document = raw.json()["files"][0]["document_id"]
    listed = (await client.get("/kb/plant/documents")).json()["documents"]
    assert [entry["id"] for entry in listed] == [document]
    one = await client.get(f"/kb/plant/documents/{document}")
    assert one.json() == listed[0]
    assert one.json()["title"] == "低真空处理"
    found = (await client.post("/kb/plant/search", json={"query": "循环水系统"})).json()["hits"]
    assert found[0]["document_id"] == document
    assert "循环水系统" in found[0]["text"]
    body = {"query": "循环水系统", "exclude_documents": [document]}
    assert (await client.post("/kb/plant/search", json=body)).json()["hits"] == []
    assert (await client.delete(f"/kb/plant/documents/{document}")).status_code == 204
    assert (await client.delete(f"/kb/plant/documents/{document}")).status_code == 404
    assert (await client.get(f"/kb/plant/documents/{document}")).status_code == 404
    assert (await client.get("/kb/plant/documents")).json()["documents"] == []


async def test_broken_file_is_reported_and_the_rest_is_taken(client: Client) -> None:
    response = await _upload(client, "plant", ("a.md", b"\x00\x01\x02" * 50), ("b.md", RULES))
    files = response.json()["files"]
    assert [file["outcome"] for file in files] == ["failed", "added"]
    assert set(files[0]["error"]) == {"code", "message", "hint"}


@pytest.mark.parametrize(
    ("name", "data", "status", "code"),
    [
        ("a.md", bytes(range(256)) * 20, 415, "unsupported_content"),
        ("a.exe", b"text", 415, "unsupported_content"),
        ("a.md", b"", 400, "invalid_request"),
        ("a.md", b" \n ", 400, "invalid_request"),
        ("a.md", b"x" * 1_100_000, 413, "too_large"),
    ],
)
async def test_file_that_cannot_be_read_is_refused(
    client: Client, name: str, data: bytes, status: int, code: str
) -> None:
    await _upload(client, "plant", ("kept.md", RULES))
    raw = await client.post("/kb/plant/documents", params={"name": name}, content=data)
    form = await _upload(client, "plant", (name, data))
    for response in (raw, form):
        assert response.status_code == status, response.text
        assert response.json()["error"]["code"] == code
        assert response.json()["error"]["hint"]
    listed = (await client.get("/kb/plant/documents")).json()["documents"]
    assert [entry["name"] for entry in listed] == ["kept.md"]


async def test_upload_without_a_file_or_a_name_is_a_400(client: Client) -> None:
    nameless = await client.post("/kb/plant/documents", content=RULES)
    assert nameless.status_code == 400
    assert "?name=" in nameless.json()["error"]["message"]
    files = {"note": (None, "just a field")}
    assert (await client.post("/kb/plant/documents", files=files)).status_code == 400
    headers = {"Content-Type": "multipart/form-data"}
    broken = await client.post("/kb/plant/documents", content=b"--x", headers=headers)
    assert broken.status_code == 400
    assert broken.json()["error"]["code"] == "invalid_request"
    bad_name = await client.post(
        "/kb/Not%20A%20Slug/documents", params={"name": "a.md"}, content=b"a"
    )
    assert bad_name.status_code == 400
    assert bad_name.json()["error"]["code"] == "invalid_kb_name"


async def test_endless_body_is_cut_off_at_the_limit(client: Client) -> None:
    sent = 0

    async def body() -> Any:
        nonlocal sent
        for _ in range(2000):
            sent += 65536
            yield b"x" * 65536
            await asyncio.sleep(0)

    response = await client.post("/kb/plant/documents", params={"name": "a.md"}, content=body())
    assert response.status_code == 413
    assert response.json()["error"]["code"] == "too_large"


async def test_unknown_knowledge_base_is_a_404_everywhere(client: Client) -> None:
    for method, url, body in (
        ("DELETE", "/kb/nope", None),
        ("GET", "/kb/nope/documents", None),
        ("GET", "/kb/nope/documents/x", None),
        ("DELETE", "/kb/nope/documents/x", None),
        ("POST", "/kb/nope/search", {"query": "q"}),
    ):
        response = await client.request(method, url, json=body)
        assert response.status_code == 404, url
        assert response.json()["error"]["code"] == "unknown_kb"


async def test_deleted_knowledge_base_is_gone(client: Client) -> None:
    await _upload(client, "plant", ("rules.md", RULES))
    assert (await client.delete("/kb/plant")).status_code == 204
    assert (await client.post("/kb/plant/search", json={"query": "q"})).status_code == 404
    assert (await client.post("/ask", json={"question": "q"})).status_code == 404


@pytest.mark.parametrize("body", [{}, {"query": " "}, {"query": "q", "top_k": 0}, {"q": "x"}])
async def test_bad_search_is_a_400(client: Client, body: dict[str, Any]) -> None:
    assert (await client.post("/kb/plant/search", json=body)).status_code == 400


async def test_first_upload_of_which_nothing_is_taken_makes_no_knowledge_base(
    client: Client,
) -> None:
    response = await _upload(client, "fresh", ("photo.md", b"\x00\x01\x02" * 100))
    assert response.status_code in (400, 415)
    names = [kb["name"] for kb in (await client.get("/kb")).json()["knowledge_bases"]]
    assert "fresh" not in names


async def test_upload_that_names_itself_can_be_watched(client: Client) -> None:
    params = {"ingest": "first-one", "name": "rules.md", "more": "true"}
    assert (await client.get("/kb/plant/ingests/first-one")).status_code == 404
    await client.post("/kb/plant/documents", params=params, content=RULES)
    at = (await client.get("/kb/plant/ingests/first-one")).json()
    assert (at["files_done"], at["files"], at["file"]) == (1, 1, "rules.md")
    assert at["bytes_done"] == at["bytes"] == len(RULES)
    assert at["passages"] > 0
    params["ingest"] = "no name"
    refused = await client.post("/kb/plant/documents", params=params, content=RULES)
    assert refused.status_code == 400


async def test_copy_is_named_in_the_reply_and_in_the_listing(client: Client) -> None:
    text = "# 巡检\n\n巡检人员应当每两小时检查轴承温度、润滑油位和电机电流，并把读数填入巡检表。\n"
    files = ("a.md", text.encode()), ("b.md", text.replace("巡检表", "登记表").encode())
    reply = (await _upload(client, "copies", *files)).json()
    assert [file["near_duplicate_of"] for file in reply["files"]] == [None, "a.md"]
    first, second = (await client.get("/kb/copies/documents")).json()["documents"]
    assert second["near_duplicate_of"] == first["id"]
    assert first["near_duplicate_of"] is None
