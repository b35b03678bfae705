"""How good the answers to the labelled sample questions are."""

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reporting import Report, Scale, Table, Target, command
from benchmarks.samples import Asked, Labelled, Service, labelled, service

QUESTIONS: dict[Scale, int | None] = {"tiny": 6, "short": None, "full": None}
RESAMPLES: dict[Scale, int] = {"tiny": 50, "short": 2000, "full": 10_000}
STATUSES = ("answered", "partial", "insufficient", "direct", "error")
_SEED = 20_251
_ANSWERS = ("answered", "partial")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question: what was expected of it, and what came."""

    id: str
    kb: str
    kind: str
    language: str
    expect: str
    got: str
    points: int
    held: int
    documents_expected: int
    documents_cited: int
    quotes: int
    true_quotes: int
    length: int
    lost_points: Sequence[str]
    path: Sequence[str]

    @property
    def right(self) -> bool:
        """Tell whether the status is the expected one."""
        return self.got == self.expect

    @property
    def false_answer(self) -> bool:
        """Tell whether something was answered that the corpus does not hold."""
        return self.expect == "insufficient" and self.got in _ANSWERS


Figure = tuple[str, Callable[[Outcome], tuple[float, float]]]
FIGURES: tuple[Figure, ...] = (
    ("status_right", lambda o: (o.right, 1)),
    ("points_held", lambda o: (o.held, o.points)),
    ("documents_cited", lambda o: (o.documents_cited, o.documents_expected)),
    ("false_answers", lambda o: (o.false_answer, o.expect == "insufficient")),
    ("missed_answers", lambda o: (o.got == "insufficient", o.expect in _ANSWERS)),
    ("length", lambda o: (o.length, 1)),
)
"""Each figure is a ratio of two sums over the questions."""


async def measure(scale: Scale) -> Report:
    """Ask every question and compare."""
    with tempfile.TemporaryDirectory() as folder:
        async with service(Path(folder)) as opened:
            return await report_on(opened, labelled(QUESTIONS[scale]), RESAMPLES[scale])


async def report_on(opened: Service, questions: Sequence[Labelled], resamples: int) -> Report:
    """Ask these questions of an opened service and compare."""
    outcomes = [await _compare(opened, await opened.ask(question)) for question in questions]
    groups = {"all": outcomes}
    for kb in sorted({o.kb for o in outcomes}):
        groups[kb] = [o for o in outcomes if o.kb == kb]
    for kind, _ in Counter(o.kind for o in outcomes).most_common():
        groups[kind] = [o for o in outcomes if o.kind == kind]
    figures = {name: _figures(group, resamples) for name, group in groups.items()}
    quotes, true = sum(o.quotes for o in outcomes), sum(o.true_quotes for o in outcomes)
    share = 100 * true / quotes if quotes else 100.0
    target = Target("quotes that stand at their offsets", share, 100, "%", exact=True)
    false = [o.id for o in outcomes if o.false_answer]
    summary = {"groups": figures, "false_answers": false}
    details = [asdict(outcome) for outcome in outcomes]
    return Report("quality", summary, _tables(figures, false), [target], details)


async def _compare(opened: Service, asked: Asked) -> Outcome:
    label, answer = asked.label, asked.answer
    folded = _fold(answer["answer"])
    lost = [p[0] for p in label.points if not any(_fold(way) in folded for way in p)]
    names = {d.id: d.name for d in await opened.services.library.documents(label.kb)}
    cited = {names[citation["document_id"]] for citation in answer["citations"]}
    true = [await _stands(opened, label.kb, citation) for citation in answer["citations"]]
    return Outcome(
        id=label.id,
        kb=label.kb,
        kind=label.kind,
        language=label.language,
        expect=label.expect,
        got=answer["status"],
        points=len(label.points),
        held=len(label.points) - len(lost),
        documents_expected=len(label.documents),
        documents_cited=len(cited & set(label.documents)),
        quotes=len(true),
        true_quotes=sum(true),
        length=len(answer["answer"]),
        lost_points=lost,
        path=answer["path"],
    )


async def _stands(opened: Service, kb: str, citation: dict[str, Any]) -> bool:
    """Tell whether a quote is the canonical text between its offsets."""
    base = await opened.services.library.open(kb)
    text = await base.canonical_text(citation["document_id"], citation["version"])
    return text is not None and text[citation["start"] : citation["end"]] == citation["quote"]


def _fold(text: str) -> str:
    """Return the text without white space, in lower case."""
    return "".join(text.split()).lower()


def _figures(outcomes: Sequence[Outcome], resamples: int) -> dict[str, Any]:
    """Return each figure with its 95 % interval, and the statuses by expectation."""
    statuses = {
        expect: dict(Counter(o.got for o in outcomes if o.expect == expect))
        for expect in STATUSES
        if any(o.expect == expect for o in outcomes)
    }
    found: dict[str, Any] = {"questions": len(outcomes), "statuses": statuses}
    for name, parts in FIGURES:
        found[name] = _ratio(np.array([parts(o) for o in outcomes], dtype=float), resamples)
    return found


def _ratio(parts: np.ndarray[Any, Any], resamples: int) -> dict[str, float] | None:
    """Return the ratio of the column sums with its bootstrap interval over questions.

    `parts` has shape (questions, 2). None if no question counts for this figure.
    """
    counted = parts[parts[:, 1] > 0]
    if not len(counted):
        return None
    random = np.random.default_rng(_SEED)
    drawn = counted[random.integers(0, len(counted), (resamples, len(counted)))].sum(axis=1)
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], (2.5, 97.5))
    value = counted[:, 0].sum() / counted[:, 1].sum()
    return {
        "value": round(float(value), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
        "questions": len(counted),
    }


def _tables(figures: dict[str, Any], false: Sequence[str]) -> list[Table]:
    rows = []
    for name, group in figures.items():
        cells = [_cell(group[key], 100, " %") for key, _ in FIGURES[:-1]]
        rows.append((name, str(group["questions"]), *cells, _cell(group["length"], 1, "")))
    confusion = figures["all"]["statuses"]
    return [
        Table(
            "Answers to the labelled questions, 95 % intervals by bootstrap",
            ("", "questions", "status right", "points held", "documents cited",
             "false answers", "missed answers", "length"),
            rows,
        ),
        Table(
            "Expected status (rows) and status got",
            ("", *STATUSES),
            [
                (expect, *(str(got.get(status, 0)) for status in STATUSES))
                for expect, got in confusion.items()
            ],
        ),
        Table("Answered although the corpus does not hold it", ("question",), [(i,) for i in false]),
    ]  # fmt: skip


def _cell(ratio: dict[str, float] | None, factor: int, unit: str) -> str:
    if ratio is None:
        return "–"
    value, low, high = (ratio[key] * factor for key in ("value", "low", "high"))
    return f"{value:.0f}{unit} [{low:.0f}, {high:.0f}]"


if __name__ == "__main__":
    sys.exit(command("quality", "Measure the quality of answers.", measure))
