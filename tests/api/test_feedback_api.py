import json
from pathlib import Path
from typing import Any

import pytest
from http_client import Client
from scripted_graph import Script

from app.calibration.labels import read_labels


async def run_of(client: Client, question: str = "检修周期是多少？", **more: Any) -> dict[str, Any]:
    return dict((await client.post("/ask", json={"question": question, **more})).json())


async def give(client: Client, run_id: str, verdict: str = "right", **more: Any) -> Any:
    return await client.post("/feedback", json={"run_id": run_id, "verdict": verdict, **more})


async def document_of(client: Client, kb: str = "plant") -> str:
    content = "# 手册\n\n检修周期为 18 个月。\n".encode()
    sent = await client.post(f"/kb/{kb}/documents", params={"name": "a.md"}, content=content)
    return str(sent.json()["files"][0]["document_id"])


async def test_feedback_is_kept_with_what_the_run_said(client: Client) -> None:
    document, run = await document_of(client), await run_of(client)
    reply = await give(client, run["run_id"], "wrong", document_id=document, note="第二章 🙂")
    assert reply.status_code == 200, reply.text
    body = reply.json()
    assert body["given_at"].endswith("+00:00")
    assert {key: body[key] for key in body if key != "given_at"} == {
        "run_id": run["run_id"], "kb": "plant", "question": "检修周期是多少？",
        "status": "answered", "verdict": "wrong", "document_id": document, "note": "第二章 🙂",
    }  # fmt: skip
    assert (await client.get("/feedback")).json() == {"feedback": [body], "next": None}


async def test_feedback_given_again_replaces_the_former_one(client: Client) -> None:
    first, second = await run_of(client, "a?"), await run_of(client, "b?")
    for run in (first, second):
        await give(client, run["run_id"], "right", note="old")
    await give(client, first["run_id"], "should_have_refused")
    listed = (await client.get("/feedback")).json()["feedback"]
    assert [(each["question"], each["verdict"], each["note"]) for each in listed] == [
        ("a?", "should_have_refused", ""),
        ("b?", "right", "old"),
    ]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"verdict": "right", "run_id": "none"}, 404, "unknown_run"),
        ({"verdict": "right", "document_id": "none"}, 404, "unknown_document"),
        ({"verdict": "good"}, 400, "invalid_request"),
        ({"verdict": "right", "rating": 5}, 400, "invalid_request"),
        ({"verdict": "right", "note": "x" * 4001}, 400, "invalid_request"),
        ({"verdict": "right", "note": "\x00"}, 400, "invalid_request"),
        ({}, 400, "invalid_request"),
    ],
)
async def test_feedback_that_says_nothing_sound_is_refused(
    client: Client, body: dict[str, Any], status: int, code: str
) -> None:
    run = await run_of(client)
    reply = await client.post("/feedback", json={"run_id": run["run_id"]} | body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert reply.json()["error"]["hint"]
    assert (await client.get("/feedback")).json()["feedback"] == []


async def test_note_that_is_too_long_is_told_its_characters(client: Client) -> None:
    run = await run_of(client)
    reply = await give(client, run["run_id"], "right", note="x" * 4001)
    assert reply.json()["error"]["message"] == "note must have at most 4000 characters."


async def test_document_of_another_knowledge_base_is_unknown(client: Client) -> None:
    document, run = await document_of(client, "other"), await run_of(client)
    reply = await give(client, run["run_id"], "wrong", document_id=document)
    assert reply.status_code == 404


async def test_run_without_an_answer_cannot_be_judged(client: Client, script: Script) -> None:
    headers = {"Prefer": "respond-async"}
    body = {"question": "hold finalize"}
    accepted = (await client.post("/ask", json=body, headers=headers)).json()
    early = await give(client, accepted["run_id"])
    assert (early.status_code, early.json()["error"]["code"]) == (409, "run_without_answer")
    script.gate.set()
    await client.until(accepted["run_id"], "done")
    assert (await give(client, accepted["run_id"])).status_code == 200
    failed = await client.post("/ask", json={"question": "fail finalize"})
    assert (await give(client, failed.headers["x-run-id"])).status_code == 409


async def test_refusal_can_be_right_or_wrong_but_not_one_that_should_have_been(
    client: Client,
) -> None:
    run = await run_of(client, "refuse")
    reply = await give(client, run["run_id"], "should_have_refused")
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "invalid_request")
    for verdict in ("right", "wrong"):
        assert (await give(client, run["run_id"], verdict)).json()["status"] == "insufficient"


async def test_feedback_is_listed_by_pages_and_by_knowledge_base(client: Client) -> None:
    for number in range(5):
        run = await run_of(client, f"q{number}?", kb="other" if number == 2 else "plant")
        await give(client, run["run_id"])
    seen: list[str] = []
    query: dict[str, Any] = {"limit": 2}
    while True:
        page = (await client.get("/feedback", params=query)).json()
        assert len(page["feedback"]) <= 2
        seen += [each["question"] for each in page["feedback"]]
        if page["next"] is None:
            break
        query["cursor"] = page["next"]
    assert seen == ["q4?", "q3?", "q2?", "q1?", "q0?"]
    [other] = (await client.get("/feedback", params={"kb": "other"})).json()["feedback"]
    assert other["question"] == "q2?"
    assert (await client.get("/feedback", params={"kb": "none"})).status_code == 404
    for bad in ({"limit": 0}, {"limit": 201}, {"cursor": "x"}):
        assert (await client.get("/feedback", params=bad)).status_code == 400


async def test_feedback_goes_with_its_thread(client: Client) -> None:
    run = await run_of(client)
    await give(client, run["run_id"])
    assert (await client.delete(f"/threads/{run['thread_id']}")).status_code == 204
    assert (await client.get("/feedback")).json()["feedback"] == []


async def test_labels_of_the_feedback_are_read_by_the_calibration(
    client: Client, tmp_path: Path
) -> None:
    document = await document_of(client)
    await give(client, (await run_of(client, "a?"))["run_id"], "wrong", document_id=document)
    await give(client, (await run_of(client, "b?"))["run_id"], "should_have_refused")
    await give(client, (await run_of(client, "c?", kb="other"))["run_id"], "right")
    reply = await client.get("/feedback/labels", params={"kb": "plant"})
    assert reply.headers["content-type"].startswith("application/x-ndjson")
    assert [json.loads(line) for line in reply.text.splitlines()] == [
        {"question": "a?", "answerable": True, "documents": [document]},
        {"question": "b?", "answerable": False},
    ]
    path = tmp_path / "labels.jsonl"
    path.write_bytes(reply.content)
    assert [label.answerable for label in read_labels(path)] == [True, False]
    assert len((await client.get("/feedback/labels")).text.splitlines()) == 3
