"""Draw what `retrieval` and `latency` measured: quality by mode, and latency by corpus size.

`python -m benchmarks figure` reads both JSON files and writes the picture of the README.
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator

from benchmarks.reporting import RESULTS

TARGET = Path("docs/images/retrieval.png")
_INK, _FAINT, _PAPER = "#24292f", "#d0d7de", "#ffffff"
"""A white card with dark ink reads the same on a light and on a dark page."""
_SERIES: Sequence[tuple[str, str, str, str, str]] = (
    ("dense", "dense", "dense", "#0072b2", "o"),
    ("keyword", "keyword", "keyword", "#e69f00", "s"),
    ("fused", "hybrid", "fused", "#009e73", "D"),
    ("fused + rerank", "hybrid + rerank", "fused + rerank", "#cc3311", "^"),
)
"""Mode of the quality panel, mode of the latency panel, label, colour (told apart by the colour
blind), marker."""
_SPREAD = 0.18
"""How far the modes of one set lie apart, in rows."""


def draw(retrieval: Mapping[str, Any], latency: Mapping[str, Any]) -> Figure:
    """Return both panels; the arguments are what the two benchmarks wrote."""
    figure = Figure(figsize=(11, 4.8), dpi=160, facecolor=_PAPER, layout="constrained")
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.08)
    left, right = figure.subplots(1, 2, width_ratios=(1.25, 1))
    _quality(left, retrieval["sets"])
    _latency(right, latency["figures"])
    handles, labels = left.get_legend_handles_labels()
    legend = figure.legend(
        handles, labels, loc="outside lower center", ncols=len(labels), frameon=False
    )
    for text in legend.get_texts():
        text.set_color(_INK)
    return figure


def _quality(axes: Axes, sets: Mapping[str, Any]) -> None:
    rows = range(len(sets))
    for number, (mode, _, label, colour, marker) in enumerate(_SERIES):
        found = [each["modes"][mode]["ndcg_10"] for each in sets.values()]
        means = [one["mean"] for one in found]
        errors = [
            [one["mean"] - one["low"] for one in found],
            [one["high"] - one["mean"] for one in found],
        ]
        places = [row + (number - (len(_SERIES) - 1) / 2) * _SPREAD for row in rows]
        axes.errorbar(
            means, places, xerr=errors, fmt=marker, color=colour, label=label,
            markersize=5, elinewidth=1.2, alpha=0.95,
        )  # fmt: skip
    names = [f"{name} ({each['questions']})" for name, each in sets.items()]
    axes.set_yticks(list(rows), names)
    axes.invert_yaxis()
    axes.set_xlim(right=1.0)
    _dress(axes, "Quality: nDCG@10 with 95 % interval (questions)", "x")


def _latency(axes: Axes, sizes: Mapping[str, Any]) -> None:
    passages = sorted(int(size) for size in sizes)
    for _, mode, _, colour, marker in _SERIES:
        p95 = [sizes[str(size)][mode]["p95"] for size in passages]
        p50 = [sizes[str(size)][mode]["p50"] for size in passages]
        axes.plot(passages, p95, color=colour, marker=marker, markersize=5, linewidth=1.6)
        axes.plot(passages, p50, color=colour, linewidth=1.1, linestyle=(0, (2, 2)), alpha=0.8)
    axes.set_xscale("log")
    axes.set_xticks(passages, [f"{size:,}" for size in passages])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("passages in the knowledge base", color=_INK)
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} ms"))
    _dress(axes, "Latency of one search: p95 (solid) and median (dotted)", "y")


def _dress(axes: Axes, title: str, grid: str) -> None:
    axes.set_title(title, fontsize=10.5, color=_INK, loc="left")
    axes.set_facecolor(_PAPER)
    axes.grid(axis=grid, color=_FAINT, linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(colors=_INK, labelsize=9, length=0)
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)


def main() -> int:
    parser = argparse.ArgumentParser(prog="benchmarks figure", description=__doc__)
    parser.add_argument("output", nargs="?", type=Path, default=TARGET)
    parser.add_argument("--retrieval", type=Path, default=RESULTS / "retrieval.json")
    parser.add_argument("--latency", type=Path, default=RESULTS / "latency.json")
    options = parser.parse_args()
    for path in (options.retrieval, options.latency):
        if not path.is_file():
            name = "retrieval --data FOLDER" if path == options.retrieval else "latency --full"
            print(f"{path} is missing; make it with: python -m benchmarks {name}", file=sys.stderr)
            return 1
    found = [json.loads(path.read_text("utf-8")) for path in (options.retrieval, options.latency)]
    options.output.parent.mkdir(parents=True, exist_ok=True)
    draw(*found).savefig(options.output)
    print(f"{options.output} was written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
