"""Choose a knowledge base's threshold by labelled questions, through whichever door is open."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.calibration.choosing import Risk, choose, curve
from app.calibration.labels import Label, LabelsUnreadable, read_labels
from app.calibration.replay import Confidence, Observed, observe
from app.calibration.weighing import parts, weights_of
from app.commands.boundary import CommandFailed
from app.commands.calibration_report import Outcome
from app.commands.client import Client, Reply, RequestFailed
from app.commands.door import connect
from app.commands.ingesting import progress_bar
from app.commands.lines import ProgressLines
from app.settings import Settings

_NAMED = 5


async def calibrate(
    settings: Settings,
    kb: str,
    file: Path | None,
    feedback: bool,
    alpha: float,
    delta: float,
) -> Outcome:
    """Ask every labelled question twice, fit the confidence on some, choose θ on the others.

    The result is stored where the labels allow the promise; else what was stored stays. Raises
    CommandFailed, LabelsUnreadable.
    """
    given = read_labels(file) if file is not None else []
    async with connect(settings) as client:
        if feedback:
            known = {label.question for label in given}
            more = [Label.model_validate(each) for each in await client.labels(kb)]
            given += [label for label in more if label.question not in known]
        if not given:
            raise CommandFailed(
                f"There are no labels for {kb}.",
                "Give a file of labelled questions, or collect feedback (POST /feedback) and use --feedback.",
            )
        expected = await _documents(client, kb, given)
        state = await client.calibration(kb)
        observed = await _observed(client, kb, given, expected)
        fit_on, choose_on = parts(observed)
        weights = weights_of(fit_on, state["shipped"])
        replays = [each.replay(Confidence(weights)) for each in choose_on]
        choice = choose(replays, alpha, delta)
        if choice.risk is not None:
            await client.calibrate(
                kb, _body(state["models"], weights, choice.risk, alpha, delta, given, fit_on)
            )
        return Outcome(
            kb, weights, len(given), len(fit_on), choice, curve(replays, delta), alpha, delta,
            stored=choice.risk is not None,
        )  # fmt: skip


async def forget(settings: Settings, kb: str) -> Reply:
    """Go back to the shipped confidence."""
    async with connect(settings) as client:
        return await client.forget_calibration(kb)


def _body(
    models: str,
    weights: Mapping[str, float],
    risk: Risk,
    alpha: float,
    delta: float,
    given: Sequence[Label],
    fit_on: Sequence[Observed],
) -> Reply:
    record: dict[str, Any] = {
        "weights": dict(weights),
        "threshold": risk.threshold,
        "alpha": alpha,
        "delta": delta,
        "answered": risk.answered,
        "errors": risk.errors,
        "bound": risk.bound,
        "labels": len(given),
        "fitted_on": len(fit_on),
    }
    return {"models": models, "calibration": record}


async def _documents(client: Client, kb: str, labels: Sequence[Label]) -> dict[str, frozenset[str]]:
    """Return question to the ids of the documents that its label names."""
    ids: dict[str, set[str]] = {}
    for document in await client.documents(kb):
        for name in {document["id"], document["name"], document["title"]}:
            ids.setdefault(name, set()).add(document["id"])
    unknown = [name for label in labels for name in label.documents if name not in ids]
    if unknown:
        shown = "; ".join(dict.fromkeys(unknown[:_NAMED]))
        raise LabelsUnreadable(
            f"{len(unknown)} labels name documents that {kb} does not hold: {shown}."
        )
    return {
        label.question: frozenset(id_ for name in label.documents for id_ in ids[name])
        for label in labels
    }


async def _observed(
    client: Client, kb: str, labels: Sequence[Label], expected: Mapping[str, frozenset[str]]
) -> list[Observed]:
    found = []
    lines = ProgressLines()
    with progress_bar() as bar:
        task = bar.add_task("questions", total=len(labels))
        for at, label in enumerate(labels, start=1):
            found.append(await _asked(client, kb, label, expected[label.question]))
            bar.update(task, completed=at)
            if bar.disable:
                lines.tell(f"{at} of {len(labels)} questions asked")
    return found


async def _asked(client: Client, kb: str, label: Label, documents: frozenset[str]) -> Observed:
    eager = await _answer(client, kb, label.question, 0.0)
    strict = None
    if eager["status"] == "answered":
        strict = await _answer(client, kb, label.question, 1.0)
    return observe(label, eager, strict, documents)


async def _answer(client: Client, kb: str, question: str, threshold: float) -> Reply:
    """Ask on a thread of its own, which goes again: labelled questions are no conversation."""
    answer = await client.ask({"question": question, "kb": kb, "options": {"threshold": threshold}})
    await client.delete_thread(answer["thread_id"])
    if answer["status"] == "error":
        raise RequestFailed("run_failed", f"{question!r} ended in an error.", "See the log.")
    return answer
