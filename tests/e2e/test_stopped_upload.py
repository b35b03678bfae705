"""An upload that the stop of the service cuts is told so, and repeated without harm."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
from cli_process import YOUJU, Served, serving

PLAN = "# Lifts\n\n" + "\n\n".join(
    f"## Lift {number}\n\nLift {number} of the plant carries {number} kg and is checked every month."
    for number in range(20_000)
)
URL = "/kb/lifts/documents"


def begun(served: Served) -> bool:
    reply = httpx.get(f"{served.address}/kb/lifts/ingests/one", timeout=30, trust_env=False)
    return reply.is_success and reply.json()["passages"] > 0


def test_upload_that_is_cut_by_a_stop_gets_503_with_what_to_do(tmp_path: Path) -> None:
    data_dir, command = tmp_path / "data", [YOUJU, "serve", "--port", "0"]
    with (
        ThreadPoolExecutor(1) as pool,
        serving(data_dir, command, YOUJU_SHUTDOWN_SECONDS="0") as served,
    ):
        upload = pool.submit(
            httpx.post, served.address + URL, params={"name": "plan.md", "ingest": "one"},
            content=PLAN.encode(), timeout=120, trust_env=False,
        )  # fmt: skip
        deadline = time.monotonic() + 60
        while not begun(served) and time.monotonic() < deadline:
            time.sleep(0.1)
        served.process.send_signal(signal.SIGTERM)
        reply = upload.result(timeout=60)
        assert served.process.wait(timeout=60) == 0
    assert reply.status_code == 503
    error = reply.json()["error"]
    assert error["code"] == "interrupted"
    assert "Send the same files again" in error["hint"]
    assert "may show up" in error["hint"]
