from typing import Any

import pytest
from http_client import Client
from scripted_graph import Script


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({}, "question is required"),
        ({"question": ""}, "question"),
        ({"question": " \n\t　"}, "blank"),
        ({"question": "x" * 4001}, "4000"),
        ({"question": 5}, "question must be a string"),
        ({"question": None}, "question must be a string"),
        ({"question": ["q"]}, "question must be a string"),
        ({"question": "a\x00b"}, "NUL"),
        ({"question": "q", "colour": 1}, "colour is not a known field"),
        ({"question": "q", "kb": 3}, "kb must be a string"),
        ({"question": "q", "thread_id": {}}, "thread_id must be a string"),
        ({"question": "q", "options": []}, "options must be an object"),
        ({"question": "q", "options": {"rounds": 1}}, "options.rounds is not a known field"),
        ({"question": "q", "options": {"max_rounds": 4}}, "options.max_rounds must be at most 3"),
        ({"question": "q", "options": {"max_rounds": "1"}}, "max_rounds must be a whole number"),
        ({"question": "q", "options": {"max_rounds": True}}, "max_rounds must be a whole number"),
        ({"question": "q", "options": {"preset": "wild"}}, "options.preset must be one of"),
        ({"question": "q", "options": {"threshold": 1.5}}, "options.threshold must be at most 1"),
        ({"question": "q", "options": {"exclude_documents": "a"}}, "must be a list"),
        ({"question": "q", "options": {"web": "yes"}}, "options.web must be true or false"),
        ([1], "must be an object"),
        ("q", "must be an object"),
    ],
)
async def test_bad_body_is_a_400_that_names_the_field(
    client: Client, script: Script, body: Any, named: str
) -> None:
    response = await client.post("/ask", json=body)
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["code"] == "invalid_request"
    assert named in error["message"]
    assert error["hint"]
    assert script.entered == []


@pytest.mark.parametrize(
    "content",
    [
        b'{"question": "\\ud800"}',
        b'{"question": "q", "thread_id": "\\udfff"}',
        b'{"question": "q", "\\ud800": 1}',
        b'{"question": "q", "options": {"threshold": NaN}}',
        b'{"question": ',
        b"",
        b"\xff\xfe\xfa",
        '{"question": "真空"}'.encode("gbk"),
        b"[" * 100_000,
        b'{"question": 1' + b"0" * 5000 + b"}",
    ],
)
async def test_bytes_that_are_no_good_json_are_a_400(client: Client, content: bytes) -> None:
    headers = {"Content-Type": "application/json"}
    response = await client.post("/ask", content=content, headers=headers)
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "invalid_request"


async def test_other_content_than_json_is_a_415(client: Client) -> None:
    response = await client.post("/ask", content=b"q", headers={"Content-Type": "text/plain"})
    assert response.status_code == 415
    form = await client.post("/ask", data={"question": "q"})
    assert form.status_code == 415
    assert form.json()["error"]["code"] == "unsupported_content"


async def test_web_search_without_a_provider_is_a_400(client: Client) -> None:
    response = await client.post("/ask", json={"question": "q", "options": {"web": True}})
    assert response.status_code == 400
    assert response.json()["error"]["code"] == "web_unavailable"


async def test_unknown_address_and_method_have_the_contracts_form(client: Client) -> None:
    missing = await client.get("/nowhere")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    wrong = await client.get("/ask")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"


async def test_body_above_the_limit_is_a_413(client: Client) -> None:
    big = b'{"question": "' + b"x" * 3_000_000 + b'"}'
    declared = await client.post("/ask", content=big, headers={"Content-Type": "application/json"})
    assert declared.status_code == 413
    assert declared.json()["error"]["code"] == "too_large"


async def test_failure_of_a_route_is_a_500_without_details(client: Client) -> None:
    class Broken:
        async def list(self) -> None:
            raise RuntimeError("secret detail of a dependency")

    client.app.state.services = type("S", (), {"library": Broken(), "models": {}})()  # type: ignore[attr-defined]
    response = await client.get("/readyz")
    assert response.status_code == 500
    assert response.json()["error"]["code"] == "internal"
    assert "secret" not in response.text
