import asyncio

from http_client import Client
from prometheus_client.parser import text_string_to_metric_families
from scripted_graph import NODES, Script

Seen = dict[tuple[str, frozenset[tuple[str, str]]], float]


async def _read(client: Client) -> Seen:
    response = await client.get("/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def _of(seen: Seen, name: str, **labels: str) -> float | None:
    return seen.get((name, frozenset(labels.items())))


def _runs(seen: Seen, run: str, answer: str = "", decision: str = "") -> float | None:
    return _of(seen, "youju_runs_total", run=run, answer=answer, decision=decision)


async def test_ended_questions_are_counted_by_how_they_stand(
    client: Client, script: Script
) -> None:
    assert _runs(await _read(client), "done", "answered", "answer") is None
    await client.post("/ask", json={"question": "a secret"})
    await client.post("/ask", json={"question": "fail grade_initial"})
    asked = {"question": "hold grade_initial"}
    accepted = await client.post("/ask", json=asked, headers={"Prefer": "respond-async"})
    await script.reached("grade_initial", times=3)
    at_work = await _read(client)
    assert _of(at_work, "youju_runs_active") == 1
    await client.post(f"/runs/{accepted.json()['run_id']}/cancel")
    seen = await _read(client)
    assert _of(seen, "youju_runs_active") == 0
    assert _runs(seen, "done", "answered", "answer") == 1
    assert _runs(seen, "error") == 1
    assert _runs(seen, "cancelled") == 1
    assert {_of(seen, "youju_node_seconds_count", node=node) for node in NODES} == {1}
    assert _of(seen, "youju_question_seconds_count") == 1
    assert "secret" not in (await client.get("/metrics")).text


async def test_services_in_one_process_count_apart(client: Client) -> None:
    await asyncio.gather(*(client.post("/ask", json={"question": "one"}) for _ in range(3)))
    seen = await _read(client)
    assert _runs(seen, "done", "answered", "answer") == 3
