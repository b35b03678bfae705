"""`make run` and `make demo` as a newcomer calls them, on an environment that is installed."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import time
from collections.abc import Iterator

import pytest
from cli_process import ROOT, VENV, Served, environment, serving

from app.adapters.lock import read_holder
from app.commands.samples import questions

MAKE = ["make", "--no-print-directory", f"VENV={VENV}", "-o", f"{VENV}/.run"]
"""With the install taken for done."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = str(probe.getsockname()[1])
    data_dir = tmp_path_factory.mktemp("run") / "data"
    with serving(data_dir, [*MAKE, "run"], cwd=ROOT, YOUJU_PORT=port) as served:
        try:
            assert served.address == f"http://127.0.0.1:{port}"
            yield served
        finally:
            os.killpg(served.process.pid, signal.SIGINT)
            served.process.wait(20)
            assert read_holder(data_dir) is None


@pytest.fixture(scope="module")
def lines(served: Served) -> list[str]:
    lines = [line for line in served.said.splitlines() if line.startswith("curl ")]
    assert len(lines) == 3
    return lines


def _run(line: str, served: Served) -> str:
    done = subprocess.run(
        ["bash", "-c", line],
        env=environment(served.data_dir),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def test_first_printed_line_lists_the_samples(served: Served, lines: list[str]) -> None:
    found = json.loads(_run(lines[0], served))["knowledge_bases"]
    assert {kb["name"]: kb["documents"] for kb in found} == {"power-plant": 4, "travel": 4}


def test_second_printed_line_gets_a_chinese_answer(served: Served, lines: list[str]) -> None:
    answer = json.loads(_run(lines[1], served))
    assert answer["status"] == "answered"
    assert "循环水系统" in answer["answer"]
    assert answer["citations"]
    assert answer["models"]["reasoner"] == "embedded"


def test_third_printed_line_streams_events(served: Served, lines: list[str]) -> None:
    events = _run(lines[2], served).split("\n\n")
    kinds = re.findall(r"^event: (\w+)$", "\n".join(events), re.MULTILINE)
    assert kinds[0] == "run"
    assert kinds[-2:] == ["answer", "done"]
    assert "token" in kinds
    final = next(event for event in events if "event: answer" in event)
    assert "100 %" in json.loads(final.partition("data: ")[2])["answer"]


def test_printed_lines_fit_a_shell_whatever_they_ask(lines: list[str]) -> None:
    for line in lines[1:]:
        words = shlex.split(line)
        assert json.loads(words[words.index("-d") + 1])["kb"] in {"power-plant", "travel"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("demo")
    began = time.monotonic()
    done = subprocess.run(
        [*MAKE, "demo"],
        cwd=ROOT,
        env=environment(folder / "data", TMPDIR=str(folder)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - began < 60
    assert list(folder.glob("youju-demo-*")) == []
    assert not (folder / "data").exists()
    return done.stdout


def test_demo_asks_every_question_that_is_marked(demo: str) -> None:
    shown = questions()
    assert len(shown) >= 10
    for sample in shown:
        assert f"  {sample.question}\n" in demo
        assert not sample.follow_up or f"  {sample.follow_up}\n" in demo


@pytest.mark.parametrize(
    "path",
    [
        "analyze_query → answer_directly → finalize",
        "retrieve_initial → grade_initial → generate_initial → check_initial → finalize",
        "grade_initial → rewrite_precise → retrieve_precise → grade_precise → generate_precise → ",
        "grade_initial → rewrite_broaden → retrieve_broaden → grade_broaden → generate_broaden → ",
        " → generate_partial_",
        " → report_insufficient_",
    ],
)
def test_demo_shows_every_path(demo: str, path: str) -> None:
    paths = [line for line in demo.splitlines() if line.startswith(("路径  ", "path  "))]
    assert any(path in line for line in paths)


def test_demo_tells_queries_hits_decisions_and_sources(demo: str) -> None:
    for zh, en in [
        ("首次检索", "first query"),
        ("再次检索", "second query"),
        ("命中", "hits"),
        ("判断", "decision"),
        ("回答", "answer"),
    ]:
        assert re.search(f"^{zh}  .", demo, re.MULTILINE)
        assert re.search(f"^{en}  .", demo, re.MULTILINE)
    for decision in ["answer", "rewrite", "retry_broaden", "partial_answer", "insufficient"]:
        assert re.search(f"^(判断|decision)  {decision}: .", demo, re.MULTILINE)
    assert re.search(r"^\[1\] .+: .", demo, re.MULTILINE)
    assert re.search("^理解为  .", demo, re.MULTILINE)
