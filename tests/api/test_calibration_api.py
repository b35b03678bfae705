from typing import Any

import pytest
from http_client import Client

RECORD: dict[str, Any] = {
    "weights": {"bias": -1.0, "best": 2.0}, "threshold": 0.61, "alpha": 0.05, "delta": 0.1,
    "answered": 60, "errors": 0, "bound": 0.038, "labels": 120, "fitted_on": 48,
}  # fmt: skip


async def plant(client: Client) -> str:
    content = "# 手册\n\n检修周期为 18 个月。\n".encode()
    await client.post("/kb/plant/documents", params={"name": "a.md"}, content=content)
    return str((await client.get("/kb/plant/calibration")).json()["models"])


async def test_knowledge_base_without_labels_shows_the_shipped_weights(client: Client) -> None:
    await plant(client)
    state = (await client.get("/kb/plant/calibration")).json()
    assert state["calibration"] is None
    assert state["weights"] == state["shipped"]
    assert (state["created_at"], state["outdated"]) == (None, 0)


async def test_stored_calibration_is_shown_and_dropped_again(client: Client) -> None:
    key = await plant(client)
    body = {"models": key, "calibration": RECORD}
    stored = await client.put("/kb/plant/calibration", json=body)
    assert stored.status_code == 200, stored.text
    state = (await client.get("/kb/plant/calibration")).json()
    assert state == stored.json()
    assert state["calibration"] == RECORD
    assert state["weights"] == RECORD["weights"]
    assert state["name"].startswith("labels-")
    assert state["name"].endswith("-120")
    gone = (await client.delete("/kb/plant/calibration")).json()
    assert gone["calibration"] is None


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"models": "0" * 16}, 409, "other_models"),
        ({"calibration": RECORD | {"weights": {"bias": 0.0, "luck": 1.0}}}, 409, "other_models"),
        (
            {"calibration": RECORD | {"weights": {"bias": 0.0, "best": -1.0}}},
            400,
            "invalid_request",
        ),
        ({"calibration": RECORD | {"threshold": 1.5}}, 400, "invalid_request"),
        ({"calibration": RECORD | {"answered": 0}}, 400, "invalid_request"),
        ({"calibration": {}}, 400, "invalid_request"),
    ],
)
async def test_calibration_that_can_not_be_used_is_refused_and_changes_nothing(
    client: Client, change: dict[str, Any], status: int, code: str
) -> None:
    body = {"models": await plant(client), "calibration": RECORD} | change
    reply = await client.put("/kb/plant/calibration", json=body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert (await client.get("/kb/plant/calibration")).json()["calibration"] is None


async def test_unknown_knowledge_base_has_no_calibration(client: Client) -> None:
    assert (await client.get("/kb/nothing/calibration")).status_code == 404
    assert (await client.delete("/kb/nothing/calibration")).status_code == 404
