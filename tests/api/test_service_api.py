import gc
import re
import weakref

from http_client import Client
from scripted_app import scripted_services
from scripted_graph import NODES, Script

from app.main import create_app
from app.settings import Settings


async def test_health_and_readiness_say_which_brain_runs(client: Client) -> None:
    assert (await client.get("/healthz")).json()["status"] == "ok"
    ready = (await client.get("/readyz")).json()
    assert ready["brain"] == "embedded"
    assert ready["pulse"] is None
    verbose = (await client.get("/readyz", params={"verbose": 1})).json()
    assert verbose["pulse"]["ticks"] > 0


async def test_blocked_event_loop_shows_in_the_pulse(client: Client) -> None:
    await client.post("/ask", json={"question": "block grade_initial 0.3"})
    pulse = (await client.get("/readyz", params={"verbose": 1})).json()["pulse"]
    assert pulse["max_ms"] >= 250


async def test_graph_comes_as_mermaid_and_as_json(client: Client) -> None:
    text = await client.get("/graph")
    assert text.headers["content-type"].startswith("text/plain")
    assert "graph TD" in text.text
    for request in ({"params": {"format": "json"}}, {"headers": {"Accept": "application/json"}}):
        drawn = (await client.get("/graph", **request)).json()
        assert set(NODES) <= {node["id"] for node in drawn["nodes"]}
        assert drawn["mermaid"] == text.text
    assert (await client.get("/graph", params={"format": "png"})).status_code == 400


async def test_description_never_names_422_and_describes_the_answer(client: Client) -> None:
    description = (await client.get("/openapi.json")).json()
    for path, operations in description["paths"].items():
        for operation in operations.values():
            assert "422" not in operation["responses"], path
            assert "default" in operation["responses"], path
    answer = description["components"]["schemas"]["Answer"]["properties"]
    assert {"run_id", "statements", "citations", "decisions", "usage"} <= set(answer)
    assert "HTTPValidationError" not in description["components"]["schemas"]


async def test_docs_need_nothing_from_outside(client: Client) -> None:
    page = await client.get("/docs")
    assert page.status_code == 200
    links = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert links
    for link in links:
        assert link.startswith("/"), link
        assert (await client.get(link)).status_code == 200


async def test_stopped_service_frees_its_stores(settings: Settings) -> None:
    app = create_app(settings, scripted_services(Script()))
    async with app.router.lifespan_context(app):
        held = [weakref.ref(app.state.services.library), weakref.ref(app.state.runs)]
    gc.collect()
    assert [kept() for kept in held] == [None, None]
