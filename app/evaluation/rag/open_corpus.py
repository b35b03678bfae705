"""Open corpus: all passages of a set as one base, the golds of every other question excluded."""

from collections.abc import Mapping, Sequence

from app.evaluation.datasets import Question
from app.evaluation.rag.answers import contained
from app.evaluation.rag.asking import Asker, OpenSet, Run
from app.evaluation.rag.measured import Measured, Progress, Row, counted
from app.evaluation.rag.noise import scores

HELD, REMOVED = "golds held", "golds removed"
_READ = 20
"""Best passages in which the answer must not stand once the golds are gone."""


async def measure(asker: Asker, opened: OpenSet, limit: int | None, progress: Progress) -> Measured:
    """Ask the questions in turn with and without their golds.

    A question without golds is dropped where its answer still stands in one of the best passages;
    where a set has no short answers nothing is dropped.
    """
    asked = list(enumerate(opened.questions.questions[:limit]))
    texts = {each.key: each.text for each in opened.questions.documents}
    rows = []
    for at, question in counted(asked, f"{opened.name}: open corpus", progress):
        golds = list(question.gains)
        if at % 2 == 0:
            run = await asker.ask(opened, question)
            found = scores(run, question, opened) if question.answer else _refusal(run)
            found = found | _second(run)
            rows.append(Row(question.id, HELD, run, found, answerable=True))
            continue
        if await _still_answered(asker, opened, question, golds, texts):
            continue
        run = await asker.ask(opened, question, without=golds)
        found = _refusal(run) | _second(run)
        rows.append(Row(question.id, REMOVED, run, found, answerable=False))
    return Measured("open", opened.name, rows)


def _refusal(run: Run) -> dict[str, float]:
    return {"refused": float(run.refused)}


def _second(run: Run) -> dict[str, float]:
    """Return whether it was searched again: needed without the golds, mostly unneeded with them."""
    return {"second": float(len(run.retrieved_by) > 1)}


async def _still_answered(
    asker: Asker,
    opened: OpenSet,
    question: Question,
    golds: Sequence[str],
    texts: Mapping[str, str],
) -> bool:
    if not question.answer:
        return False
    best = await asker.best(opened, question, golds, _READ)
    return any(contained(texts[key], question.answer, opened.language) for key in best)
