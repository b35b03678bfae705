"""The embedder over HTTP against a real server, and against a real model that is not made for it."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from embeddings_server import EmbeddingsServer, Fault, serve

from app.adapters.embed_levelled import SENTENCES, UNRELATED, Level, LevelledEmbedder, unrelated
from app.adapters.embed_openai import MAX_CHARACTERS, OpenAIEmbedder
from app.adapters.embed_use import UseEmbedder
from graphs.errors import EmbedderUnavailable

TEXTS = ["真空泵抽气能力不足", "Hotel costs are repaid", "给水泵振动大", "Who approves overtime?"]


@pytest.fixture(scope="module")
def running() -> Iterator[EmbeddingsServer]:
    with serve() as server:
        yield server


@pytest.fixture
def server(running: EmbeddingsServer) -> Iterator[EmbeddingsServer]:
    """Yield the server without what an earlier test made of it."""
    yield running
    fresh = EmbeddingsServer(url=running.url, model=running.model)
    running.__dict__.update(fresh.__dict__)


def connect(server: EmbeddingsServer, **more: Any) -> OpenAIEmbedder:
    embedder = OpenAIEmbedder("use", base_url=server.url, **{"timeout": 5.0, **more})
    server.requests.clear()
    return embedder


def test_rows_are_those_of_the_model_in_the_order_of_the_texts(
    server: EmbeddingsServer, embedder: UseEmbedder
) -> None:
    remote = connect(server, batch=3)
    assert np.allclose(remote.embed(TEXTS), embedder.embed(TEXTS), atol=1e-5)
    assert [len(request["_texts"]) for request in server.requests] == [3, 1]
    assert remote.embed([]).shape == (0, 512) == (0, remote.dimension)


def test_rows_come_at_unit_length_whatever_the_server_sends(server: EmbeddingsServer) -> None:
    server.change = lambda rows: 7 * rows
    rows = connect(server).embed(TEXTS)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


def test_server_without_base64_is_asked_for_numbers_once_and_for_all(
    server: EmbeddingsServer, embedder: UseEmbedder
) -> None:
    server.knows_base64 = False
    remote = connect(server)
    assert np.allclose(remote.embed(TEXTS), embedder.embed(TEXTS), atol=1e-5)
    assert [request["encoding_format"] for request in server.requests] == ["float"]


def test_base64_is_the_first_choice(server: EmbeddingsServer) -> None:
    connect(server).embed(TEXTS)
    assert server.requests[0]["encoding_format"] == "base64"


def test_dimension_and_fingerprint_follow_the_model(server: EmbeddingsServer) -> None:
    server.change = lambda rows: rows[:, :96]
    remote = connect(server)
    assert remote.dimension == 96
    assert "use-96" in remote.fingerprint


@pytest.mark.parametrize(
    "fault", [Fault(429, {"retry-after": "0.1"}), Fault(500), Fault(503), Fault(408)]
)
def test_passing_failure_is_tried_again(server: EmbeddingsServer, fault: Fault) -> None:
    remote = connect(server)
    server.faults = [fault]
    assert remote.embed(TEXTS).shape == (4, 512)
    assert len(server.requests) == 2


def test_lasting_failure_ends_after_the_retries(server: EmbeddingsServer) -> None:
    remote = connect(server, retries=1)
    server.down = True
    with pytest.raises(EmbedderUnavailable, match="status 503"):
        remote.embed(TEXTS)
    assert len(server.requests) == 2


def test_slow_server_is_left_at_the_timeout(server: EmbeddingsServer) -> None:
    remote = connect(server, timeout=0.3, retries=0)
    server.faults = [Fault(delay=3)]
    began = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="YOUJU_EMBEDDER_TIMEOUT_SECONDS"):
        remote.embed(TEXTS)
    assert time.monotonic() - began < 2


def test_hurried_work_does_not_wait_as_long_as_the_server_asks(server: EmbeddingsServer) -> None:
    remote = connect(server)
    server.faults = [Fault(429, {"retry-after": "60"})]
    began = time.monotonic()
    with pytest.raises(EmbedderUnavailable, match="status 429"):
        remote.hurried(2.0).embed(TEXTS)
    assert time.monotonic() - began < 1
    assert remote.embed(TEXTS).shape == (4, 512)


def test_batch_beyond_the_servers_limit_is_halved(
    server: EmbeddingsServer, embedder: UseEmbedder
) -> None:
    remote = connect(server)
    server.most_texts = 1
    assert np.allclose(remote.embed(TEXTS), embedder.embed(TEXTS), atol=1e-5)


def test_text_beyond_the_context_is_cut_and_leaves_the_others_whole(
    server: EmbeddingsServer, embedder: UseEmbedder
) -> None:
    remote = connect(server)
    server.most_characters = 300
    long = "水泵的维护说明。" * 1000
    rows = remote.embed([TEXTS[0], long, TEXTS[1]])
    assert np.allclose(rows[[0, 2]], embedder.embed(TEXTS[:2]), atol=1e-5)
    assert np.allclose(rows[1], embedder.embed([long[: MAX_CHARACTERS // 8]])[0], atol=1e-5)


def test_text_without_characters_or_with_half_of_one_is_embedded(server: EmbeddingsServer) -> None:
    assert connect(server).embed(["", "  \n", "真空\ud83d泵"]).shape == (3, 512)
    sent = server.requests[0]["_texts"]
    assert all(text.strip() for text in sent)


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "YOUJU_EMBEDDER_API_KEY"),
        (403, "API_KEY"),
        (404, "YOUJU_EMBEDDER_MODEL"),
        (418, "418"),
    ],
)
def test_refusal_is_told_at_once_with_what_to_check(
    server: EmbeddingsServer, status: int, told: str
) -> None:
    server.faults = [Fault(status)] * 9
    with pytest.raises(EmbedderUnavailable, match=told):
        OpenAIEmbedder("use", base_url=server.url)
    assert len(server.requests) == 1


def test_request_that_no_cutting_mends_ends(server: EmbeddingsServer) -> None:
    remote = connect(server)
    server.faults = [Fault(400)] * 99
    with pytest.raises(EmbedderUnavailable, match="status 400"):
        remote.embed([text * 50 for text in TEXTS])
    assert len(server.requests) < 12


@pytest.mark.parametrize(
    "raw",
    [
        b"<html>Welcome</html>",
        b"{}",
        b"null",
        b'{"object":"list","model":"m","data":[]}',
        b'{"object":"list","model":"m","data":[{"index":0,"embedding":[1.0]}]}',
        b'{"object":"list","model":"m","data":[{"index":0,"embedding":[1.0]},'
        b'{"index":1,"embedding":[1.0, 2.0]}]}',
        b'{"object":"list","model":"m","data":[{"index":0,"embedding":[0.0]},'
        b'{"index":1,"embedding":[1.0]}]}',
        b'{"object":"list","model":"m","data":[{"index":0,"embedding":"!"},{"index":1}]}',
    ],
)
def test_reply_that_holds_no_vectors_is_refused(server: EmbeddingsServer, raw: bytes) -> None:
    remote = connect(server)
    server.faults = [Fault(raw=raw)]
    with pytest.raises(EmbedderUnavailable):
        remote.embed(TEXTS[:2])


def test_server_that_changes_its_dimension_is_refused(server: EmbeddingsServer) -> None:
    remote = connect(server)
    server.change = lambda rows: rows[:, :96]
    with pytest.raises(EmbedderUnavailable, match="from 512 to 96"):
        remote.embed(TEXTS)


def test_address_where_nobody_listens_is_told_with_the_settings_name() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(EmbedderUnavailable, match="YOUJU_EMBEDDER_BASE_URL"):
            OpenAIEmbedder("use", base_url=url, retries=0)


def test_key_is_the_one_given_never_one_of_the_environment(
    server: EmbeddingsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "of-the-environment")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    for key, sent in (("given", "Bearer given"), (None, "Bearer none")):
        connect(server, api_key=key).embed(TEXTS[:1])
        assert server.requests[0]["_headers"]["authorization"] == sent


def test_eight_threads_get_the_rows_of_one(server: EmbeddingsServer, embedder: UseEmbedder) -> None:
    remote = connect(server, batch=2)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: remote.embed([f"{t}{n}" for t in TEXTS]), range(16)))
    expected = [embedder.embed([f"{t}{n}" for t in TEXTS]) for n in range(16)]
    assert np.allclose(found, expected, atol=1e-5)


def test_default_embedder_is_level_already(embedder: UseEmbedder) -> None:
    level = Level.measure(embedder)
    assert level.strength == 0.0
    assert np.array_equal(LevelledEmbedder(embedder, level).embed(TEXTS), embedder.embed(TEXTS))


def test_vectors_in_a_narrow_cone_are_set_apart_and_keep_their_order(
    server: EmbeddingsServer, embedder: UseEmbedder
) -> None:
    axis = np.zeros(512, dtype=np.float32)
    axis[0] = 1.5
    server.change = lambda rows: rows + axis
    remote = connect(server)
    parts = [remote.embed(sentences) for sentences in SENTENCES.values()]
    assert unrelated(parts) > 0.6
    levelled = LevelledEmbedder(remote, Level.measure(remote))
    parts = [levelled.embed(sentences) for sentences in SENTENCES.values()]
    assert unrelated(parts) == pytest.approx(UNRELATED, abs=0.01)
    alike = levelled.embed(["真空泵抽气能力不足", "真空泵的抽气能力下降"])
    straight = embedder.embed(["真空泵抽气能力不足", "真空泵的抽气能力下降"])
    assert float(alike[0] @ alike[1]) == pytest.approx(float(straight[0] @ straight[1]), abs=0.15)
    assert levelled.fingerprint != remote.fingerprint


@pytest.fixture(scope="module")
def real_model() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = Path(__file__).parents[2] / "benchmarks" / "model_server.py"
    with subprocess.Popen(
        [sys.executable, str(script), str(port), "embedding"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            _wait(f"http://127.0.0.1:{port}/health", process)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.kill()


def _wait(health: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(600):
        assert process.poll() is None, "the model server ended"
        try:
            if httpx.get(health).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError("the model server did not come up")


def test_language_model_as_embedder_is_levelled_and_takes_long_texts(real_model: str) -> None:
    remote = OpenAIEmbedder("smollm2", base_url=real_model, timeout=60)
    raw = [remote.embed(sentences) for sentences in SENTENCES.values()]
    assert unrelated(raw) > 0.6
    levelled = LevelledEmbedder(remote, Level.measure(remote))
    parts = [levelled.embed(sentences) for sentences in SENTENCES.values()]
    assert unrelated(parts) < 0.2
    assert levelled.embed(["水泵的维护说明。" * 1000, "short"]).shape == (2, remote.dimension)
