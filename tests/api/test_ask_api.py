import asyncio
import json
from typing import Any

import pytest
from http_client import Client, parse, streamed
from scripted_graph import LINES, NODES, REFUSAL, Script

from app.schemas import Answer

TEXT = "".join(LINES)


async def test_question_as_json_gives_the_whole_contract(client: Client) -> None:
    response = await client.post("/ask", json={"question": "  真空下降怎么办  "})
    assert response.status_code == 200
    body = response.json()
    assert body == Answer.model_validate(body).model_dump(mode="json")
    assert body["answer"] == TEXT
    assert body["question"] == "真空下降怎么办"
    assert response.headers["x-run-id"] == body["run_id"]
    assert body["path"] == list(NODES)
    assert "covered" not in body["assessment"]


async def test_question_as_stream_tells_what_happens(client: Client) -> None:
    headers = {"Accept": "text/event-stream"}
    async with client.stream("POST", "/ask", json={"question": "q"}, headers=headers) as response:
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-accel-buffering"] == "no"
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["x-run-id"]
    events = await client.events("POST", "/ask", json={"question": "q"})
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))
    kinds = [event["type"] for event in events]
    assert kinds[0] == "run"
    assert kinds[-2:] == ["answer", "done"]
    nodes = [event["data"] for event in events if event["type"] == "node"]
    assert [n["node"] for n in nodes if n["phase"] == "start"] == list(NODES)
    assert [n["node"] for n in nodes if n["phase"] == "end"] == list(NODES)
    assert {n["attempt"] for n in nodes} == {1}
    found = next(n for n in nodes if n["node"] == "retrieve_initial" and n["phase"] == "end")
    assert (found["hits"], found["new"]) == (3, 3)
    assert [e["data"]["decision"] for e in events if e["type"] == "decision"] == ["answer"]
    tokens = [event["data"] for event in events if event["type"] == "token"]
    assert [token["seq"] for token in tokens] == [0, 1, 2]
    assert streamed(events) == events[-2]["data"]["answer"] == TEXT


async def test_each_line_is_sent_before_the_next_one_is_made(
    client: Client, script: Script
) -> None:
    headers = {"Accept": "text/event-stream"}
    question = {"question": "hold line1"}
    async with client.stream("POST", "/ask", json=question, headers=headers) as response:
        tokens = [event["data"] async for event in parse(response) if _second(event, script)]
    assert [token["text"] for token in tokens] == [LINES[1]]
    assert "line2" in script.entered


def _second(event: dict[str, Any], script: Script) -> bool:
    if event["type"] != "token" or event["data"]["seq"] != 1:
        return False
    assert "line2" not in script.entered
    script.gate.set()
    return True


async def test_final_text_that_differs_resets_the_stream(client: Client) -> None:
    events = await client.events("POST", "/ask", json={"question": "diverge"})
    resets = [event["data"] for event in events if event["type"] == "reset"]
    assert resets == [{"attempt": 2}]
    after = events[[e["type"] for e in events].index("reset") :]
    assert {e["data"]["attempt"] for e in after if e["type"] == "token"} == {2}
    assert streamed(events) == events[-2]["data"]["answer"] != TEXT


async def test_answer_without_lines_is_streamed_whole(client: Client) -> None:
    events = await client.events("POST", "/ask", json={"question": "refuse"})
    assert streamed(events) == events[-2]["data"]["answer"] == REFUSAL
    assert "reset" not in [event["type"] for event in events]


async def test_node_that_is_retried_keeps_the_invariant(client: Client) -> None:
    events = await client.events("POST", "/ask", json={"question": "crash-lines"})
    assert streamed(events) == events[-2]["data"]["answer"] == TEXT


async def test_quiet_run_sends_heartbeats(client: Client) -> None:
    events = await client.events("POST", "/ask", json={"question": "slow grade_initial 0.5"})
    assert {"type": "heartbeat"} in events
    assert events[-1]["type"] == "done"


async def test_error_in_mid_stream_ends_with_error_and_done(client: Client) -> None:
    events = await client.events("POST", "/ask", json={"question": "fail line1"})
    assert [event["type"] for event in events][-2:] == ["error", "done"]
    assert events[-2]["data"]["code"] == "run_failed"
    assert events[-1]["data"] == {"status": "error"}
    assert "secret" not in json.dumps(events)
    again = await client.post("/ask", json={"question": "q"})
    assert again.status_code == 200


async def test_error_as_json_is_a_500_in_the_contracts_form(client: Client) -> None:
    response = await client.post("/ask", json={"question": "fail grade_initial"})
    assert response.status_code == 500
    assert set(response.json()["error"]) == {"code", "message", "hint"}
    assert "secret" not in response.text
    run = (await client.get(f"/runs/{response.headers['x-run-id']}")).json()
    assert run["status"] == "error"
    assert run["error"]["code"] == "run_failed"
    assert run["answer"] is None


async def test_knowledge_base_deleted_under_a_question_is_a_404_at_every_door(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    response = await client.post("/ask", json={"question": "vanish analyze_query"})
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "unknown_kb"
    run = (await client.get(f"/runs/{response.headers['x-run-id']}")).json()
    assert run["error"] == response.json()["error"]
    events = await client.events("POST", "/ask", json={"question": "vanish analyze_query"})
    assert [event["type"] for event in events][-2:] == ["error", "done"]
    assert events[-2]["data"]["code"] == "unknown_kb"
    assert "Traceback" not in caplog.text


async def test_graph_without_a_result_is_an_error_of_the_run(client: Client) -> None:
    response = await client.post("/ask", json={"question": "quit"})
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "run_failed"


async def test_client_that_leaves_does_not_stop_the_run(client: Client, script: Script) -> None:
    headers = {"Accept": "text/event-stream"}
    question = {"question": "hold line1"}
    async with client.stream("POST", "/ask", json=question, headers=headers) as response:
        run_id = response.headers["x-run-id"]
        async for line in response.aiter_lines():
            if line == "event: token":
                break
    script.gate.set()
    run = await client.until(run_id, "done")
    assert run["answer"]["answer"] == TEXT


async def test_last_event_id_replays_the_rest_and_follows(client: Client, script: Script) -> None:
    accepted = await client.post(
        "/ask", json={"question": "hold line1"}, headers={"Prefer": "respond-async"}
    )
    url = accepted.json()["urls"]["events"]
    following = asyncio.create_task(client.events("GET", url))
    resumed = asyncio.create_task(client.events("GET", url, headers={"Last-Event-ID": "3"}))
    await asyncio.sleep(0.1)
    script.gate.set()
    whole = [event for event in await following if event["type"] != "heartbeat"]
    rest = [event for event in await resumed if event["type"] != "heartbeat"]
    assert rest == whole[3:]
    assert await client.events("GET", url) == whole
    end = str(whole[-1]["id"])
    assert (await client.get(url, headers={"Last-Event-ID": end})).status_code == 204
    bad = await client.get(url, headers={"Last-Event-ID": "soon"})
    assert bad.status_code == 400


async def test_respond_async_gives_urls_at_once(client: Client, script: Script) -> None:
    response = await client.post(
        "/ask", json={"question": "hold line1"}, headers={"Prefer": "respond-async, wait=5"}
    )
    assert response.status_code == 202
    body = response.json()
    assert response.headers["location"] == body["urls"]["run"] == f"/runs/{body['run_id']}"
    assert (await client.get(body["urls"]["run"])).json()["status"] == "running"
    script.gate.set()
    run = await client.until(body["run_id"], "done")
    assert run["answer"]["answer"] == TEXT
    assert (await client.get(body["urls"]["thread"])).json()["runs"][0]["answer"] == TEXT


async def test_same_key_gives_the_same_run(client: Client, script: Script) -> None:
    headers = {"Idempotency-Key": "k1"}
    body = {"question": "slow grade_initial 0.1"}
    first, second = await asyncio.gather(
        client.post("/ask", json=body, headers=headers),
        client.post("/ask", json=body, headers=headers),
    )
    assert first.json() == second.json()
    assert script.entered.count("analyze_query") == 1
    other = await client.post("/ask", json={"question": "another"}, headers=headers)
    assert other.status_code == 409
    assert other.json()["error"]["code"] == "idempotency_key_reused"
    headers = {"Idempotency-Key": "k" * 201}
    assert (await client.post("/ask", json=body, headers=headers)).status_code == 400


async def test_event_log_and_answer_stay_small(client: Client) -> None:
    response = await client.post("/ask", json={"question": "q"})
    store = client.app.state.runs.store  # type: ignore[attr-defined]
    size = store._connection.execute(
        "SELECT sum(length(data)) FROM events WHERE run_id = ?", (response.headers["x-run-id"],)
    ).fetchone()[0]
    assert size <= 16 * 1024


async def test_many_questions_at_once_all_get_their_own_answer(client: Client) -> None:
    responses = await asyncio.gather(
        *(client.post("/ask", json={"question": f"question {number}"}) for number in range(24))
    )
    assert [response.status_code for response in responses] == [200] * 24
    assert [r.json()["question"] for r in responses] == [f"question {n}" for n in range(24)]
    assert len({response.json()["thread_id"] for response in responses}) == 24
