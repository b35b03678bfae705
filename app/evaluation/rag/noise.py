"""Noise: five given passages, a rising share of them negative; is the answer still right?"""

from app.evaluation.datasets import Question
from app.evaluation.rag.answers import contained, cut
from app.evaluation.rag.asking import Asker, Gate, OpenSet, Run
from app.evaluation.rag.given import RATIOS, noisy
from app.evaluation.rag.measured import Measured, Progress, Row, counted

GATES: tuple[Gate, ...] = ("own", "open")


async def measure(asker: Asker, opened: OpenSet, limit: int | None, progress: Progress) -> Measured:
    """Ask with every share of noise, as the service is and with its gates open."""
    work = [
        (gate, ratio, question)
        for gate in GATES
        for ratio in RATIOS
        for question in opened.questions.questions[:limit]
    ]
    rows = []
    for gate, ratio, question in counted(work, f"{opened.name}: noise", progress):
        run = await asker.ask(opened, question, noisy(question, ratio), gate=gate)
        rows.append(Row(question.id, f"{ratio:g} {gate}", run, scores(run, question, opened)))
    return Measured("noise", opened.name, rows)


def scores(run: Run, question: Question, opened: OpenSet) -> dict[str, float]:
    """Return whether the cut answer is right (a refusal is wrong), and what else is counted."""
    language = opened.language

    def right(text: str) -> float:
        return float(not run.refused and contained(cut(text, language), question.answer, language))

    return {
        "contained": right(run.text),
        "first": right(run.first),
        "refused": float(run.refused),
        "conflict": float("conflicting_evidence" in run.warnings),
    }
