"""What a calibration came to, for people and for scripts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.calibration.choosing import Choice, Risk
from app.commands.client import Reply
from app.commands.screen import err, out


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the labels gave; `stored` is false where they allow no promise."""

    kb: str
    weights: Mapping[str, float]
    labels: int
    fitted_on: int
    choice: Choice
    risks: Sequence[Risk]
    alpha: float
    delta: float
    stored: bool

    def as_json(self) -> Reply:
        """Return the outcome for scripts."""
        risk = self.choice.risk
        return {
            "kb": self.kb,
            "stored": self.stored,
            "threshold": risk.threshold if risk else None,
            "labels": self.labels,
            "fitted_on": self.fitted_on,
            "needed": self.choice.needed,
            "alpha": self.alpha,
            "delta": self.delta,
            "chosen": _risk(risk) if risk else None,
            "tested": [_risk(each) for each in self.choice.tested],
            "curve": [_risk(each) for each in self.risks],
            "weights": dict(self.weights),
        }


def _risk(risk: Risk) -> Reply:
    return {
        "threshold": risk.threshold,
        "answered": risk.answered,
        "errors": risk.errors,
        "coverage": round(risk.coverage, 4),
        "rate": round(risk.rate, 4),
        "bound": round(risk.bound, 4),
    }


def draw(outcome: Outcome, picture: Path) -> None:
    """Draw the risk-coverage curve. Raises OSError."""
    from app.calibration import plot  # noqa: PLC0415 # the drawing library takes a second to load

    plot.draw(picture, outcome.kb, outcome.risks, outcome.choice, outcome.alpha)


def report(outcome: Outcome, plot: Path) -> None:
    """Print the risk-coverage curve and the promise, or why there is none."""
    out.print(f"{outcome.labels} labels; {outcome.fitted_on} fitted the confidence, ", end="")
    out.print(f"{outcome.labels - outcome.fitted_on} chose the threshold")
    out.print("    θ   answered   coverage   errors   rate   upper bound")
    for risk in _shown(outcome):
        mark = " ←" if outcome.choice.risk == risk else ""
        out.print(
            f" {risk.threshold:.2f}   {risk.answered:8}   {risk.coverage:8.0%}   {risk.errors:6}"
            f"   {risk.rate:4.0%}   {risk.bound:11.1%}{mark}"
        )
    for line in promise(outcome):
        out.print(line)
    err.print(f"The curve is drawn in {plot}.", style="dim")


def promise(outcome: Outcome) -> list[str]:
    """Return what the labels allow to promise, in both languages."""
    sure, most = f"{100 * (1 - outcome.delta):.4g}%", f"{100 * outcome.alpha:.4g}%"
    risk = outcome.choice.risk
    if risk is not None:
        return [
            f"θ = {risk.threshold:.2f}. With {sure} confidence over the draw of the labels, for "
            f"questions like them, at most {most} of the answered ones are errors of this kind.",
            f"θ = {risk.threshold:.2f}。就标注样本的抽取而言，以 {sure} 的置信度，对同类问题，"
            f"作答的问题中至多 {most} 属于此类错误。",
        ]
    answered = max((each.answered for each in outcome.risks), default=0)
    if answered < outcome.choice.needed:
        return [
            f"The labels are too few for a promise: {most} needs {outcome.choice.needed} answered "
            f"questions without an error, and {answered} were answered. Nothing was stored.",
            f"标注太少，无法作出保证：要达到 {most}，需要 {outcome.choice.needed} 个无错误的作答，"
            f"而作答的只有 {answered} 个。未作任何更改。",
        ]
    return [
        f"No threshold keeps the errors at {most}: the strictest that could be tested has an upper "
        f"bound of {outcome.choice.tested[0].bound:.1%}. Nothing was stored.",
        f"没有阈值能把错误控制在 {most} 以内：可检验的最严阈值的上界为 "
        f"{outcome.choice.tested[0].bound:.1%}。未作任何更改。",
    ]


def _shown(outcome: Outcome) -> list[Risk]:
    """Return the steps of the curve at which the coverage changes, and the chosen one."""
    shown: list[Risk] = []
    for risk in outcome.risks:
        if risk == outcome.choice.risk or not shown or risk.answered > shown[-1].answered:
            shown.append(risk)
    return [risk for risk in shown if risk.answered]
