"""Several hops: is every gold found over the rounds, was the second search needed, is the answer right?"""

from collections.abc import Sequence
from dataclasses import dataclass

from app.evaluation.datasets import Question
from app.evaluation.rag.answers import exact_match, f1, holds
from app.evaluation.rag.asking import Asker, OpenSet, Run
from app.evaluation.rag.measured import Measured, Progress, Row, counted

_DEPTH = 10
_STRATEGY = {"retrieve_precise": "rewrite", "retrieve_broaden": "broaden"}


async def measure(asker: Asker, opened: OpenSet, limit: int | None, progress: Progress) -> Measured:
    """Ask every question of the whole base."""
    rows = []
    asked = opened.questions.questions[:limit]
    for question in counted(asked, f"{opened.name}: hops", progress):
        run = await asker.ask(opened, question)
        found = _answer(run, question) | _retrieval(run, set(question.gains))
        rows.append(Row(question.id, "own", run, found))
    return Measured("hops", opened.name, rows)


def _answer(run: Run, question: Question) -> dict[str, float]:
    """Score the statements' text; a refusal scores 0. The answer is sentences, not a span."""
    gold = question.answer[0][0] if question.answer else ""
    if not gold:
        return {}
    text = "" if run.refused else run.text
    return {
        "exact_match": float(exact_match(text, gold)),
        "f1": f1(text, gold),
        "contained": float(bool(text) and holds(text, gold)),
        "first_f1": 0.0 if run.refused else f1(run.first, gold),
        "refused": float(run.refused),
    }


@dataclass(frozen=True, slots=True)
class _Round:
    """What one search found: golds with those before it, and what it added."""

    golds: set[str]
    noise: int
    repeated: int
    passages: int


def _rounds(evidence: Sequence[Sequence[Sequence[str]]], golds: set[str]) -> list[_Round]:
    found, before, seen = [], set[str](), set[str]()
    for groups in evidence:
        top = [{*group} for group in groups]
        new = set[str]().union(*top[:_DEPTH]) if top else set()
        heads = [group[0] for group in groups]
        noise = sum(not group & golds for group in top)
        found.append(
            _Round(before | (new & golds), noise, sum(key in seen for key in heads), len(heads))
        )
        before, seen = found[-1].golds, seen.union(*top)
    return found or [_Round(set(), 0, 0, 0)]


def _retrieval(run: Run, golds: set[str]) -> dict[str, float]:
    """Score the searches: `needed` and `taken` exist for the questions that they speak of.

    A second search was needed where the ten best of the first one lack a gold passage. What it
    gained and added is counted per search, by its strategy as well.
    """
    searches = len(run.retrieved_by)
    rounds = _rounds(run.evidence, golds)
    first, taken = rounds[0].golds == golds, float(searches > 1)
    scores = {
        "all_gold_10_first": float(first),
        "all_gold_10": float(rounds[-1].golds == golds),
        "searches": float(searches),
        "repeated": sum(r.repeated for r in rounds) / max(1, sum(r.passages for r in rounds)),
        ("taken_unneeded" if first else "taken_needed"): taken,
    }
    if searches > 1:
        gained = len(rounds[-1].golds) - len(rounds[0].golds)
        noise = sum(each.noise for each in rounds[1:])
        strategy = _STRATEGY.get(run.retrieved_by[1], run.retrieved_by[1])
        seconds = searches - 1
        for name in ("second", strategy):
            scores[f"{name}_unneeded"] = float(first)
            scores[f"{name}_gained"] = gained / seconds
            scores[f"{name}_noise"] = noise / seconds
    return scores
