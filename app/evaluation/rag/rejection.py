"""Rejection: negatives alone must be refused, one positive among them must not."""

from app.evaluation.rag.asking import Asker, OpenSet
from app.evaluation.rag.given import noisy
from app.evaluation.rag.measured import Measured, Progress, Row, counted
from app.evaluation.rag.noise import scores

HELD, EMPTY = 0.8, 1.0
"""Share of noise of the answerable half, and of the other one."""


async def measure(asker: Asker, opened: OpenSet, limit: int | None, progress: Progress) -> Measured:
    """Ask every question twice: with one positive passage of five, and with none."""
    work = [(ratio, q) for q in opened.questions.questions[:limit] for ratio in (HELD, EMPTY)]
    rows = []
    for ratio, question in counted(work, f"{opened.name}: rejection", progress):
        run = await asker.ask(opened, question, noisy(question, ratio))
        found = scores(run, question, opened) if ratio == HELD else {"refused": float(run.refused)}
        rows.append(Row(question.id, f"{ratio:g} own", run, found, answerable=ratio == HELD))
    return Measured("rejection", opened.name, rows)
