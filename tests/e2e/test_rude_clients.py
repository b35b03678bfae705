"""Clients that leave in the middle, and commands that are stopped there."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from cli_process import YOUJU, Served, environment, serving

from app.adapters.lock import read_holder


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


def test_ingest_started_in_the_background_of_a_script_stops_at_sigterm(tmp_path: Path) -> None:
    for number in range(400):
        text = (
            f"# Note {number}\n\n" + f"Note {number} counts {number} boxes in hall {number}.\n" * 40
        )
        (tmp_path / f"note-{number}.md").write_text(text, "utf-8")
    data_dir = tmp_path / "data"
    command = f"{YOUJU} ingest '{tmp_path}' --kb notes & echo $!; wait $!; echo $?"
    with subprocess.Popen(
        ["sh", "-c", command], env=environment(data_dir), stdout=subprocess.PIPE, text=True
    ) as script:
        assert script.stdout is not None
        ingesting = int(script.stdout.readline())
        until = time.monotonic() + 60
        while read_holder(data_dir) is None and time.monotonic() < until:
            time.sleep(0.1)
        os.kill(ingesting, signal.SIGTERM)
        assert script.stdout.read().splitlines()[-1] == "130"
    assert read_holder(data_dir) is None
