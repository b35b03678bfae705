"""Conflict: two passages with a wrong answer against two true ones must be told, and both cited."""

from app.evaluation.datasets import Question
from app.evaluation.rag.asking import Asker, OpenSet
from app.evaluation.rag.given import conflicting, true_alone
from app.evaluation.rag.measured import Measured, Progress, Row, counted
from app.evaluation.rag.noise import scores

DISPUTED, CLEAN = "disputed", "true passages only"


async def measure(asker: Asker, opened: OpenSet, limit: int | None, progress: Progress) -> Measured:
    """Ask with and without the wrong passages; questions with fewer passages are left out."""
    whole = [q for q in opened.questions.questions if conflicting(q) is not None][:limit]
    work = [(condition, q) for condition in (DISPUTED, CLEAN) for q in whole]
    rows = []
    for condition, question in counted(work, f"{opened.name}: conflict", progress):
        disputed = condition == DISPUTED
        given = conflicting(question) if disputed else true_alone(question)
        run = await asker.ask(opened, question, given)
        found = scores(run, question, opened)
        if disputed:
            found |= {"both_sides": float(_both_sides(run.cited, question))}
        rows.append(Row(question.id, condition, run, found))
    return Measured("conflict", opened.name, rows)


def _both_sides(cited: list[str], question: Question) -> bool:
    wrong = set(question.given.wrong) if question.given else set()
    return bool(wrong & {*cited}) and bool({*question.gains} & {*cited})
