import asyncio

from http_client import Client
from scripted_graph import LINES, NODES, Script

TEXT = "".join(LINES)


async def _ask(client: Client, question: str, thread: str | None = None) -> dict[str, str]:
    response = await client.post("/ask", json={"question": question, "thread_id": thread})
    assert response.status_code == 200, response.text
    return dict(response.json())


async def test_second_question_on_a_thread_is_kept_with_the_first(client: Client) -> None:
    first = await _ask(client, "one")
    second = await _ask(client, "two", first["thread_id"])
    assert second["thread_id"] == first["thread_id"]
    thread = (await client.get(f"/threads/{first['thread_id']}")).json()
    assert [run["question"] for run in thread["runs"]] == ["one", "two"]
    assert [run["answer_status"] for run in thread["runs"]] == ["answered", "answered"]
    assert thread["kb"] == "plant"


async def test_history_holds_one_checkpoint_per_path_entry(client: Client) -> None:
    first = await _ask(client, "one")
    second = await _ask(client, "two", first["thread_id"])
    response = await client.get(f"/threads/{first['thread_id']}/history")
    entries = response.json()["checkpoints"]
    for answer in (first, second):
        own = [entry for entry in entries if entry["run_id"] == answer["run_id"]]
        assert [entry["node"] for entry in own] == answer["path"] == list(NODES)
        assert own[0]["next"] == ["retrieve_initial"]
        assert own[-1]["next"] == []
        assert own[2]["summary"]["decision"] == "answer"
    ids = [entry["checkpoint_id"] for entry in entries]
    assert ids == sorted(set(ids))


async def test_second_run_at_once_on_a_thread_is_refused(client: Client, script: Script) -> None:
    thread = (await _ask(client, "one"))["thread_id"]
    slow = asyncio.create_task(_ask(client, "hold grade_initial", thread))
    await script.reached("grade_initial", times=2)
    busy = await client.post("/ask", json={"question": "three", "thread_id": thread})
    assert busy.status_code == 409
    assert busy.json()["error"]["code"] == "thread_busy"
    assert (await client.post(f"/threads/{thread}/resume")).status_code == 409
    assert (await client.delete(f"/threads/{thread}")).status_code == 409
    script.gate.set()
    assert (await slow)["answer"] == TEXT
    assert (await _ask(client, "three", thread))["answer"] == TEXT


async def test_unknown_ids_are_404(client: Client) -> None:
    for method, url in (
        ("GET", "/threads/nope"),
        ("GET", "/threads/nope/history"),
        ("POST", "/threads/nope/resume"),
        ("DELETE", "/threads/nope"),
        ("GET", "/runs/nope"),
        ("GET", "/runs/nope/events"),
        ("GET", "/runs/%00"),
    ):
        response = await client.request(method, url)
        assert response.status_code == 404, url
        assert response.json()["error"]["code"].startswith("unknown_")
    response = await client.post("/ask", json={"question": "q", "thread_id": "nope"})
    assert response.json()["error"]["code"] == "unknown_thread"
    response = await client.post("/ask", json={"question": "q", "kb": "no_such_kb"})
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "unknown_kb"


async def test_other_kb_than_the_threads_is_refused(client: Client) -> None:
    response = await client.post("/ask", json={"question": "one", "kb": "other"})
    thread = response.json()["thread_id"]
    refused = await client.post("/ask", json={"question": "2", "kb": "plant", "thread_id": thread})
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "other_kb"
    assert (await _ask(client, "two", thread))["thread_id"] == thread


async def test_finished_thread_has_nothing_to_resume(client: Client) -> None:
    thread = (await _ask(client, "one"))["thread_id"]
    response = await client.post(f"/threads/{thread}/resume")
    assert response.status_code == 409
    assert response.json()["error"]["code"] == "nothing_to_resume"


async def test_deleted_thread_leaves_nothing(client: Client) -> None:
    answer = await _ask(client, "one")
    thread = answer["thread_id"]
    other = await _ask(client, "two")
    assert (await client.delete(f"/threads/{thread}")).status_code == 204
    assert (await client.get(f"/threads/{thread}")).status_code == 404
    assert (await client.get(f"/runs/{answer['run_id']}")).status_code == 404
    connection = client.app.state.runs.store._connection  # type: ignore[attr-defined]
    assert connection.execute("SELECT count(*) FROM writes").fetchone() == (0,)
    for table in ("checkpoints", "runs"):
        rows = connection.execute(f"SELECT DISTINCT thread_id FROM {table}").fetchall()
        assert rows == [(other["thread_id"],)]
    runs = connection.execute("SELECT DISTINCT run_id FROM events").fetchall()
    assert runs == [(other["run_id"],)]


async def test_threads_are_listed_newest_first_a_page_at_a_time(client: Client) -> None:
    assert (await client.get("/threads")).json() == {"threads": [], "next": None}
    first = [await _ask(client, text) for text in ("one", "two", "three")]
    await _ask(client, "one again", first[0]["thread_id"])
    page = (await client.get("/threads?limit=2")).json()
    assert [each["question"] for each in page["threads"]] == ["three", "two"]
    assert page["threads"][0]["thread_id"] == first[2]["thread_id"]
    rest = (await client.get("/threads", params={"limit": 2, "cursor": page["next"]})).json()
    assert [(each["question"], each["runs"]) for each in rest["threads"]] == [("one", 2)]
    assert rest["next"] is None
    assert rest["threads"][0]["status"] == "done"
    await client.delete(f"/threads/{first[1]['thread_id']}")
    left = (await client.get("/threads")).json()["threads"]
    assert [each["question"] for each in left] == ["three", "one"]


async def test_odd_pages_are_refused(client: Client) -> None:
    for query in ("limit=0", "limit=101", "cursor=nan_x", "cursor=5", "cursor=_"):
        assert (await client.get(f"/threads?{query}")).status_code == 400, query


async def test_fork_answers_where_to_look(client: Client) -> None:
    first = await _ask(client, "one")
    thread = first["thread_id"]
    history = (await client.get(f"/threads/{thread}/history")).json()["checkpoints"]
    body = {"checkpoint_id": history[1]["checkpoint_id"]}
    response = await client.post(f"/threads/{thread}/fork", json=body)
    assert response.status_code == 202
    accepted = response.json()
    assert accepted["thread_id"] != thread
    assert response.headers["Location"] == accepted["urls"]["run"]
    events = (await client.get(accepted["urls"]["events"])).text
    assert "event: done" in events
    forked = (await client.get(accepted["urls"]["run"])).json()
    assert (forked["status"], forked["answer"]["answer"]) == ("done", TEXT)
    assert forked["answer"]["path"] == list(NODES)
    missing = await client.post(f"/threads/{thread}/fork", json={"checkpoint_id": "x"})
    assert missing.status_code == 404
    assert missing.json()["error"]["code"] == "unknown_checkpoint"
    odd = await client.post(f"/threads/{thread}/fork", json=body | {"values": {"decision": "no"}})
    assert odd.status_code == 400


async def test_interrupted_fork_goes_on_where_it_was(client: Client, script: Script) -> None:
    script.gate.set()
    first = await _ask(client, "hold grade_initial")
    history = (await client.get(f"/threads/{first['thread_id']}/history")).json()["checkpoints"]
    script.gate.clear()
    body = {"checkpoint_id": history[1]["checkpoint_id"]}
    accepted = (await client.post(f"/threads/{first['thread_id']}/fork", json=body)).json()
    await script.reached("grade_initial", times=2)
    await client.app.state.runs.close(0.0)  # type: ignore[attr-defined]
    assert (await client.get(accepted["urls"]["run"])).json()["status"] == "interrupted"
    script.gate.set()
    resumed = await client.post(f"/threads/{accepted['thread_id']}/resume")
    assert resumed.json()["answer"] == TEXT
    assert script.entered.count("analyze_query") == 1
