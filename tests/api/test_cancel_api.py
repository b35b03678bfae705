import asyncio
import json

import pytest
from http_client import Client
from scripted_graph import LINES, Script

TEXT = "".join(LINES)


async def test_running_question_is_cancelled_and_its_thread_goes_on(
    client: Client, script: Script
) -> None:
    asked = {"question": "hold grade_initial"}
    accepted = await client.post("/ask", json=asked, headers={"Prefer": "respond-async"})
    run, thread = accepted.json()["run_id"], accepted.json()["thread_id"]
    waiting = asyncio.create_task(client.get(f"/runs/{run}/events"))
    await script.reached("grade_initial")
    cancelled = await client.post(f"/runs/{run}/cancel")
    assert cancelled.status_code == 200
    body = cancelled.json()
    assert (body["status"], body["answer"]) == ("cancelled", None)
    assert body["error"]["code"] == "run_cancelled"
    events = (await waiting).text
    assert events.rstrip().endswith('data: {"status":"cancelled"}')
    ids = [int(line[4:]) for line in events.splitlines() if line.startswith("id: ")]
    assert ids == list(range(1, len(ids) + 1))
    assert "generate_initial" not in script.entered
    again = await client.post("/ask", json={"question": "two", "thread_id": thread})
    assert again.json()["answer"] == TEXT
    shown = (await client.get(f"/threads/{thread}")).json()["runs"]
    assert [each["status"] for each in shown] == ["cancelled", "done"]


async def test_who_waits_for_a_cancelled_question_is_told(client: Client, script: Script) -> None:
    waiting = asyncio.create_task(client.post("/ask", json={"question": "hold grade_initial"}))
    await script.reached("grade_initial")
    [thread] = (await client.get("/threads")).json()["threads"]
    whole = (await client.get(f"/threads/{thread['thread_id']}")).json()
    run = whole["runs"][0]["run_id"]
    await client.post(f"/runs/{run}/cancel")
    response = await waiting
    assert response.status_code == 409
    assert response.json()["error"]["code"] == "run_cancelled"
    assert response.headers["X-Run-Id"] == run


async def test_what_is_over_stays_as_it_is(client: Client) -> None:
    answer = (await client.post("/ask", json={"question": "one"})).json()
    first = await client.post(f"/runs/{answer['run_id']}/cancel")
    assert (first.json()["status"], first.json()["answer"]["answer"]) == ("done", TEXT)
    failed = await client.post("/ask", json={"question": "fail grade_initial"})
    run = failed.headers["X-Run-Id"]
    assert (await client.post(f"/runs/{run}/cancel")).json()["status"] == "error"
    assert (await client.post("/runs/nope/cancel")).status_code == 404


async def test_cancelling_twice_at_once_ends_the_run_once(client: Client, script: Script) -> None:
    asked = {"question": "hold grade_initial"}
    accepted = await client.post("/ask", json=asked, headers={"Prefer": "respond-async"})
    run = accepted.json()["run_id"]
    await script.reached("grade_initial")
    both = await asyncio.gather(*(client.post(f"/runs/{run}/cancel") for _ in range(4)))
    assert {each.json()["status"] for each in both} == {"cancelled"}
    events = (await client.get(f"/runs/{run}/events")).text
    ends = [line for line in events.splitlines() if line == "event: done"]
    assert len(ends) == 1


async def test_a_cancelled_key_tells_so(client: Client, script: Script) -> None:
    asked = {"question": "hold grade_initial"}
    headers = {"Prefer": "respond-async", "Idempotency-Key": "k"}
    run = (await client.post("/ask", json=asked, headers=headers)).json()["run_id"]
    await script.reached("grade_initial")
    await client.post(f"/runs/{run}/cancel")
    again = await client.post("/ask", json=asked, headers={"Idempotency-Key": "k"})
    assert again.status_code == 409
    told = json.loads(again.text)["error"]
    assert told["code"] == "run_cancelled"


async def _status(client: Client, run: str, wanted: str) -> None:
    async with asyncio.timeout(5):
        while (await client.get(f"/runs/{run}")).json()["status"] != wanted:  # noqa: ASYNC110 # over HTTP
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(("choice", "status"), [("cancel", "cancelled"), ("continue", "running")])
async def test_who_leaves_a_stream_ends_the_question_only_if_told_so(
    client: Client, script: Script, choice: str, status: str
) -> None:
    asked = {"question": "hold grade_initial", "on_disconnect": choice}
    headers = {"Accept": "text/event-stream"}
    async with client.stream("POST", "/ask", json=asked, headers=headers) as response:
        run = response.headers["X-Run-Id"]
        await script.reached("grade_initial")
    await asyncio.sleep(0.3)
    await _status(client, run, status)
    script.gate.set()


async def test_who_leaves_while_waiting_ends_the_question(client: Client, script: Script) -> None:
    asked = {"question": "hold grade_initial", "on_disconnect": "cancel"}
    waiting = asyncio.create_task(client.post("/ask", json=asked))
    await script.reached("grade_initial")
    [thread] = (await client.get("/threads")).json()["threads"]
    run = (await client.get(f"/threads/{thread['thread_id']}")).json()["runs"][0]["run_id"]
    waiting.cancel()
    await _status(client, run, "cancelled")


async def test_who_stays_gets_the_answer(client: Client) -> None:
    asked = {"question": "slow grade_initial 0.7", "on_disconnect": "cancel"}
    assert (await client.post("/ask", json=asked)).json()["answer"] == TEXT
    headers = {"Accept": "text/event-stream"}
    events = await client.post("/ask", json=asked, headers=headers)
    assert 'data: {"status":"done"}' in events.text


async def test_how_one_waits_makes_no_other_question_of_it(client: Client) -> None:
    headers = {"Idempotency-Key": "k"}
    first = await client.post("/ask", json={"question": "one"}, headers=headers)
    body = {"question": "one", "on_disconnect": "cancel"}
    assert (await client.post("/ask", json=body, headers=headers)).json() == first.json()
