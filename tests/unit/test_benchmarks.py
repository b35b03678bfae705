"""Every benchmark, on as little as shows that its figures are measured."""

import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from benchmarks import durability, quality, questions, reporting, start
from benchmarks.machine import machine_facts
from benchmarks.samples import Service, labelled, service

pytestmark = pytest.mark.asyncio(loop_scope="module")

KB = "travel"
FEW = labelled(4, [KB])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an ingested data folder; `cold`, beside it, is a copy that nobody opens."""
    folder = tmp_path_factory.mktemp("bench") / "data"
    async with service(folder, [KB]):
        pass
    shutil.copytree(folder, folder.with_name("cold"))
    return folder


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def opened(data_dir: Path) -> AsyncIterator[Service]:
    async with service(data_dir, [KB]) as found:
        yield found


async def test_whole_questions_are_timed_by_node_and_by_heartbeat(opened: Service) -> None:
    report = await questions.report_on(opened, FEW)
    figures = report.figures
    assert figures["whole"]["count"] == len(FEW)
    assert 0 < figures["whole"]["p50"] <= figures["whole"]["p95"] <= figures["whole"]["max"]
    nodes = figures["by_node"]
    assert nodes["analyze_query"]["count"] == nodes["finalize"]["count"] == len(FEW)
    assert sum(node["p50"] for node in nodes.values()) < len(FEW) * figures["whole"]["max"]
    assert figures["heartbeat"]["ticks"] > 0
    assert figures["concurrency_4"]["questions_per_second"] > 0
    assert {row["id"] for row in report.details} == {question.id for question in FEW}


async def test_answers_are_compared_with_their_labels(opened: Service) -> None:
    report = await quality.report_on(opened, FEW, resamples=50)
    everything = report.figures["groups"]["all"]
    assert everything["questions"] == len(FEW)
    assert sum(sum(got.values()) for got in everything["statuses"].values()) == len(FEW)
    right = everything["status_right"]
    assert 0 <= right["low"] <= right["value"] <= right["high"] <= 1
    assert sum(outcome["quotes"] for outcome in report.details) > 0
    assert report.met, report.targets


async def test_log_of_a_real_question_weighs_something(opened: Service, data_dir: Path) -> None:
    found = await durability.log_bytes(opened, data_dir / "runs.sqlite", FEW[:2])
    assert 0 < found["events_kb"]["p50"] <= 16
    assert found["checkpoints"]["payload_kb"] > 0
    assert found["runs"]["payload_kb"] >= found["events_kb"]["p50"] / 2


async def test_durable_graph_takes_longer_than_the_bare_one(tmp_path: Path) -> None:
    times = await durability.paired_times(tmp_path, pairs=5, warm_up=1)
    assert 0 < times["bare"]["p50"] < times["checkpoints"]["p50"]
    assert times["checkpoints"]["ratio"] > times["bare"]["ratio"] == 1


async def test_checkpoints_of_a_question_stay_within_their_limit(tmp_path: Path) -> None:
    for one in (False, True):
        found = await durability.checkpoint_bytes(tmp_path / f"{one}.sqlite", 12, one)
        assert 5 < found["payload_kb"] < found["pages_kb"] <= 30


async def test_process_starts_and_answers(data_dir: Path) -> None:
    cold = data_dir.with_name("cold")
    ready, answered = start.one_start(cold, FEW[0])
    assert 0 < ready < answered
    assert start.weight(cold) > 0.5


async def test_missed_target_fails_and_is_shown_in_markdown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = reporting.Target("time", 9, 8, "ms")
    report = reporting.Report("r", {"p50": 9}, [], [target])
    parser = reporting.arguments("test", tmp_path / "a" / "r.json")
    assert reporting.finish(report, parser.parse_args([])) == 1
    assert reporting.finish(report, parser.parse_args(["--report-only"])) == 0
    assert "MISSED" in capsys.readouterr().out
    written = json.loads((tmp_path / "a" / "r.json").read_text())
    assert written["targets"][0]["met"] is False
    assert written["machine"]["cores"] == machine_facts()["cores"]
    assert "| time | 9 ms | ≤ 8 ms | MISSED |" in reporting.markdown(report.all_tables())
