"""Integration: the answer has several parts that stand in different passages."""

from app.evaluation.rag.answers import contained, cut
from app.evaluation.rag.asking import Asker, OpenSet
from app.evaluation.rag.given import integrated
from app.evaluation.rag.measured import Measured, Progress, Row, counted
from app.evaluation.rag.noise import GATES, scores

RATIOS = (0.0, 0.2, 0.4)


async def measure(asker: Asker, opened: OpenSet, limit: int | None, progress: Progress) -> Measured:
    """Ask with five passages that hold every part; a refusal holds none."""
    work = [
        (gate, ratio, question)
        for gate in GATES
        for ratio in RATIOS
        for question in opened.questions.questions[:limit]
    ]
    rows = []
    for gate, ratio, question in counted(work, f"{opened.name}: integration", progress):
        run = await asker.ask(opened, question, integrated(question, ratio), gate=gate)
        said = "" if run.refused else cut(run.text, opened.language)
        parts = [contained(said, [item], opened.language) for item in question.answer]
        found = scores(run, question, opened) | {"parts": sum(parts) / max(1, len(parts))}
        rows.append(Row(question.id, f"{ratio:g} {gate}", run, found))
    return Measured("integration", opened.name, rows)
