"""The risk-coverage curve as a picture."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from app.calibration.choosing import Choice, Risk

_INK, _FAINT, _BLUE, _RED = "#24292f", "#d0d7de", "#0072b2", "#cc3311"


def draw(path: Path, kb: str, risks: Sequence[Risk], choice: Choice, alpha: float) -> None:
    """Write a PNG: error rate and its upper bound over the share of questions that are answered.

    `risks` come from `choosing.curve`; the chosen threshold is marked. Raises OSError.
    """
    shown = [risk for risk in risks if risk.answered]
    figure = Figure(figsize=(7, 4.2), dpi=160, facecolor="white", layout="constrained")
    axes = figure.subplots()
    across = [100 * risk.coverage for risk in shown]
    axes.plot(
        across, [100 * r.rate for r in shown], color=_BLUE, marker="o", ms=3, label="errors seen"
    )
    axes.plot(
        across, [100 * r.bound for r in shown], color=_RED, ls="--", label="upper bound of errors"
    )
    axes.axhline(100 * alpha, color=_INK, lw=0.8, label=f"aim: at most {alpha:.0%}")
    if choice.risk is not None:
        place = (100 * choice.risk.coverage, 100 * choice.risk.bound)
        axes.plot(*place, color=_RED, marker="D", ms=8)
        axes.annotate(
            f"θ = {choice.risk.threshold:.2f}", place, xytext=(6, 8), textcoords="offset points"
        )
    axes.set_xlabel("questions answered, %")
    axes.set_ylabel("errors among them, %")
    axes.set_title(
        f"Risk and coverage: {kb}, {risks[0].questions if risks else 0} labels", loc="left"
    )
    axes.set_xlim(0, 102)
    axes.set_ylim(bottom=0)
    axes.grid(color=_FAINT, lw=0.5)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path, format="png")
