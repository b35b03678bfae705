"""The README's figure, and running one benchmark by its name."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from question_files import write_rgb

from benchmarks.figure import draw

ROOT = Path(__file__).parents[2]
MODES = ("dense", "keyword", "fused", "fused + rerank")
TIMES = ("dense", "keyword", "hybrid", "hybrid + rerank")


def _retrieval() -> dict[str, Any]:
    def modes(base: float) -> dict[str, Any]:
        means = {mode: base + at / 20 for at, mode in enumerate(MODES)}
        return {
            m: {"ndcg_10": {"mean": v, "low": v - 0.1, "high": v + 0.1}} for m, v in means.items()
        }

    return {
        "sets": {
            "one": {"questions": 150, "modes": modes(0.5)},
            "two": {"questions": 40, "modes": modes(0.3)},
        }
    }


def _latency() -> dict[str, Any]:
    sizes = {"1000": 1, "100000": 3}
    return {
        "figures": {
            size: {mode: {"p50": factor * 2.0, "p95": factor * 5.0} for mode in TIMES}
            for size, factor in sizes.items()
        }
    }


def test_panels_show_every_set_mode_and_size() -> None:
    figure = draw(_retrieval(), _latency())
    quality, latency = figure.axes
    assert [label.get_text() for label in quality.get_yticklabels()] == ["one (150)", "two (40)"]
    assert [label.get_text() for label in latency.get_xticklabels()] == ["1,000", "100,000"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == list(MODES)
    solid = [line for line in latency.get_lines() if line.get_linestyle() == "-"]
    assert [list(line.get_ydata()) for line in solid] == [[5.0, 15.0]] * len(TIMES)


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "YOUJU_LLM": "off", "MPLCONFIGDIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_figure_is_written_from_the_results(tmp_path: Path) -> None:
    (tmp_path / "r.json").write_text(json.dumps(_retrieval()))
    (tmp_path / "l.json").write_text(json.dumps(_latency()))
    done = _run(tmp_path, "figure", "out/f.png", "--retrieval", "r.json", "--latency", "l.json")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "f.png").read_bytes().startswith(b"\x89PNG")


def test_missing_results_name_the_command_that_makes_them(tmp_path: Path) -> None:
    done = _run(tmp_path, "figure")
    assert done.returncode == 1
    assert "python -m benchmarks retrieval --data FOLDER" in done.stderr
    assert not (tmp_path / "docs").exists()


def test_retrieval_benchmark_writes_figures_and_markdown(tmp_path: Path) -> None:
    write_rgb(tmp_path / "sets")
    done = _run(tmp_path, "retrieval", "out.json", "--data", "sets", "--limit", "3")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "out.json").read_text())
    assert found["sets"]["rgb-zh"]["questions"] == 3
    assert found["machine"]["cores"]
    assert "| rgb-zh | dense |" in (tmp_path / "out.md").read_text()


def test_retrieval_benchmark_without_a_set_fails_with_its_reason(tmp_path: Path) -> None:
    done = _run(tmp_path, "retrieval", "--data", str(tmp_path))
    assert done.returncode == 1
    assert "holds no question set" in done.stderr
    assert "Traceback" not in done.stderr
