"""Cross-fitting: a set that a ranker was fitted on is evaluated with parameters of the other folds."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from app.evaluation.datasets import Question
from app.evaluation.retrieval import Opened, Progress, SetOutcome, evaluate
from graphs.ports import KnowledgeBase
from graphs.retrieval.hybrid import HybridSearch

FOLDS = 5
FITTED_ON = ("lecoqa", "cmrc2018", "hotpotqa")
"""The sets whose licences allow that shipped parameters are fitted on them."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question to learn from, with the knowledge base that it is asked of.

    `golds` maps passage id to gain.
    """

    set_name: str
    kb: KnowledgeBase
    question: Question
    golds: dict[str, int]


class Fitter(Protocol):
    """Fits the ranker of a search."""

    async def fit(self, search: HybridSearch, training: Sequence[Labelled]) -> HybridSearch:
        """Return `search` with a ranker whose parameters come from `training` alone."""
        ...


def fold_of(set_name: str, question_id: str, folds: int = FOLDS) -> int:
    """Return the fold of a question: by the hash of its id, so that it never moves."""
    digest = hashlib.sha256(f"{set_name}/{question_id}".encode()).digest()
    return int.from_bytes(digest[:8]) % folds


async def cross_fit(
    opened: Sequence[Opened],
    search: HybridSearch,
    fitter: Fitter,
    limit: int | None,
    progress: Progress,
) -> list[SetOutcome]:
    """Evaluate the sets with parameters that saw no question of the fold that is being asked.

    Every fitter run learns from all these sets together, as the shipped parameters do.
    """
    questions = [each for one in opened for each in labelled(one, limit)]
    fitted: list[HybridSearch] = []
    for fold in range(FOLDS):
        training = [one for one in questions if fold_of(one.set_name, one.question.id) != fold]
        fitted.append(await fitter.fit(search, training))
        progress("fitting folds", fold + 1, FOLDS)
    outcomes = []
    for one in opened:
        name = one.questions.name

        def search_of(question_id: str, name: str = name) -> HybridSearch:
            return fitted[fold_of(name, question_id)]

        outcomes.append(await evaluate(one, search_of, limit, progress))
    return outcomes


def labelled(opened: Opened, limit: int | None = None) -> list[Labelled]:
    """Return the first `limit` questions of a set with their gold passages."""
    ids = {key: id_ for id_, key in opened.keys.items()}
    return [
        Labelled(
            opened.questions.name,
            opened.kb,
            question,
            {ids[key]: gain for key, gain in question.gains.items()},
        )
        for question in opened.questions.questions[:limit]
    ]
