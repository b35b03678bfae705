"""Clients that leave in the middle, against a real server."""

import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from cli_process import YOUJU, Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    data_dir = tmp_path_factory.mktemp("rude") / "data"
    with serving(data_dir, [YOUJU, "serve", "--port", "0"]) as served:
        yield served


@pytest.mark.parametrize("kind", ["application/octet-stream", "multipart/form-data; boundary=b"])
def test_upload_that_is_given_up_half_way_stores_nothing_and_logs_no_trace(
    served: Served, kind: str
) -> None:
    where = urlsplit(served.address)
    assert where.port is not None
    with socket.create_connection((where.hostname, where.port)) as client:
        client.sendall(
            b"POST /kb/halves/documents?name=half.md HTTP/1.1\r\nHost: youju\r\n"
            b"Content-Type: " + kind.encode() + b"\r\nContent-Length: 100000\r\n\r\n# Half"
        )
        time.sleep(0.3)
    time.sleep(0.3)
    assert served.get("/healthz")["status"] == "ok"
    assert served.get("/kb")["knowledge_bases"] == []
    assert "Traceback" not in served.said
