"""Fit the weights of what links teach on LeCoQA, beside the shipped ranker and without an adapter.

Prints the weights to compare with `graphs.evidence.learned.SHIPPED_GAINS`. Every question is read with
what the questions of the other folds teach.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.evaluation.corpus import CorpusStore
from app.evaluation.datasets import load
from app.evaluation.retrieval import open_set
from app.learning.fitting import Example
from app.learning.links import Confirmed
from app.learning.teaching import Teacher
from app.learning.trial import Trial
from app.settings import Settings
from app.wiring import open_services
from graphs.evidence.learned import GAINS
from graphs.evidence.ranker import SHIPPED

_SET = "lecoqa"
_STEPS = 400
_RATE = 0.5


async def read(data: Path, work: Path) -> list[Example]:
    """Return the questions with their candidates."""
    sets, missing = load(data, (_SET,))
    if missing:
        raise SystemExit(f"{data} lacks {', '.join(missing)}")
    settings = Settings(data_dir=work, llm="off", _env_file=None)
    async with open_services(settings) as services:
        with closing(CorpusStore(services, work / "evaluation-vectors.sqlite")) as corpora:
            opened = await open_set(corpora, sets[0], _told)
        ids = {info.name: info.id for info in await services.library.documents(_SET)}
        confirmed = [
            Confirmed(each.text, tuple(ids[key] for key in each.gains))
            for each in opened.questions.questions
        ]
        kb = await services.library.open(_SET)
        asked = await Teacher(services).placed(kb, confirmed)
        trial = Trial(services.searcher.search_with, kb, asked, _told)
        await trial.prepare(adapted=False)
        return list(trial.examples.values())


def fitted(examples: Sequence[Example]) -> NDArray[np.float64]:
    """Return weights >= 0 of the gains by projected gradient descent on ListNet's loss."""
    weights = np.ones(len(GAINS))
    useful = [one for one in examples if one.gains.sum() > 0]
    base = np.asarray(SHIPPED.weights)
    for step in range(_STEPS):
        gradient = np.zeros_like(weights)
        for one in useful:
            gains = one.plain[:, len(base) :]
            scores = one.plain[:, : len(base)] @ base + gains @ weights
            likely = np.exp(scores - scores.max())
            gradient += gains.T @ (likely / likely.sum() - one.gains / one.gains.sum())
        rate = _RATE / np.sqrt(1 + step / 50)
        size = max(float(np.abs(gradient).max()), 1e-9)
        weights = np.maximum(0.0, weights - rate * gradient / size)
    return weights


def _told(what: str, done: int, of: int) -> None:
    if done % 500 == 0 or done == of:
        print(f"{what}: {done} of {of}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of question sets")
    parser.add_argument("--work", type=Path, help="keep the corpora here, so that they stay made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        weights = fitted(asyncio.run(read(options.data, options.work or Path(folder))))
    for name, weight in zip(GAINS, weights, strict=True):
        print(f"    {weight:.1f},  # {name}")


if __name__ == "__main__":
    main()
