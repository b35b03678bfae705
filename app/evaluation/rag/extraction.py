"""Extraction: the answer must stand at the beginning of what is said, from one base of paragraphs."""

from app.evaluation.rag.asking import Asker, OpenSet
from app.evaluation.rag.measured import Measured, Progress, Row, counted
from app.evaluation.rag.noise import GATES, scores


async def measure(asker: Asker, opened: OpenSet, limit: int | None, progress: Progress) -> Measured:
    """Ask every question of the whole base, as the service is and with its gates open."""
    work = [(gate, q) for gate in GATES for q in opened.questions.questions[:limit]]
    rows = []
    for gate, question in counted(work, f"{opened.name}: extraction", progress):
        run = await asker.ask(opened, question, gate=gate)
        rows.append(Row(question.id, gate, run, scores(run, question, opened)))
    return Measured("extraction", opened.name, rows)
