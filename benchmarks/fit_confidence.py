"""Fit the shipped confidence on public question sets and the labelled sample questions.

LeCoQA, CMRC 2018 and HotpotQA are asked twice of their whole corpus, once with their gold passages
excluded, and twice of five given passages, with a gold one and without. The samples, which hold
questions of their own that can't be answered, are asked as they are, through every round. The label of a
grading is whether the evidence can suffice. Prints the weights to put into `graphs.evidence.calibration.WEIGHTS`,
and, five-fold cross-fitted, AUROC, rejection at 10 % false refusals, the risk-coverage area, the
calibration error, and how many of either kind a confidence of 0.7 and 0.5 lets through.
"""

import argparse
import asyncio
import json
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.calibration.fit import fitted
from app.evaluation.corpus import CorpusStore
from app.evaluation.crossfit import FITTED_ON, FOLDS, fold_of
from app.evaluation.datasets import EVERY, load
from app.evaluation.rag.abstention import auroc, calibration_error, rejection, risk_coverage
from app.evaluation.rag.asking import Asker, OpenSet
from app.settings import Settings
from app.wiring import Core, open_core
from benchmarks.samples import FOLDERS, documents, labelled
from graphs.evidence.calibration import BIAS, FREE, WEIGHTS

Floats = NDArray[np.float64]
FEATURES = tuple(name for name in WEIGHTS if name != BIAS)
_GIVEN = 5
_MASS = 1000.0
"""What the gradings of one set weigh together, so that no set drowns another."""
_PULL = 1.0
_EVERY_ROUND = {"threshold": 1.0}


@dataclass(frozen=True, slots=True)
class Grading:
    """The features of one grading, and whether its evidence can suffice."""

    set_name: str
    id: str
    features: dict[str, float]
    suffices: bool


async def of_set(asker: Asker, opened: OpenSet, limit: int) -> AsyncIterator[Grading]:
    """Yield the last gradings of a public set: whole corpus and given passages, gold in and out."""
    needed = 2 if opened.name == "hotpotqa" else 1
    for question in opened.questions.questions[:limit]:
        golds = list(question.gains)
        others = await asker.best(opened, question, golds, _GIVEN)
        with_gold = [*golds[:needed], *others][:_GIVEN]
        runs = (
            (await asker.ask(opened, question), True),
            (await asker.ask(opened, question, without=golds), False),
            (await asker.ask(opened, question, given=with_gold), True),
            (await asker.ask(opened, question, given=others), False),
        )
        for run, suffices in runs:
            if run.assessment.get("features"):  # nothing found is no question of weights
                yield Grading(opened.name, question.id, run.assessment["features"], suffices)


async def of_samples(core: Core, kb: str) -> AsyncIterator[Grading]:
    """Yield every grading of the sample questions of a knowledge base."""
    await core.indexer.ingest(kb, documents(kb))
    graph = core.builder.compile()
    for label in labelled(None, (kb,)):
        asked = {"question": label.question, "kb": kb, "options": _EVERY_ROUND}
        for decision in (await graph.ainvoke(asked))["result"]["decisions"]:
            if features := decision["assessment"]["features"]:
                yield Grading("samples", label.id, features, label.expect == "answered")


async def collect(data: Path, work: Path, limit: int) -> list[Grading]:
    """Return the gradings of all sets that the folder holds, and of the samples."""
    sets, missing = load(data, FITTED_ON)
    for name in missing:
        print(f"{name} was left out: its files are not there")
    found: list[Grading] = []
    settings = Settings(_env_file=None, data_dir=work, llm="off")
    async with open_core(settings) as core:
        asker = Asker(core)
        with closing(CorpusStore(core, work / "evaluation-vectors.sqlite")) as corpora:
            for each in sets:
                language = EVERY[each.name].language
                opened = await asker.open(corpora, each, language, lambda *_: None)
                found += [grading async for grading in of_set(asker, opened, limit)]
                print(f"{each.name}: {len(found)} gradings so far", flush=True)
        for kb in FOLDERS:
            found += [grading async for grading in of_samples(core, kb)]
    return found


def arrays(gradings: Sequence[Grading]) -> tuple[Floats, Floats, Floats]:
    """Return features, shape (gradings, len(FEATURES)), labels, and how much each counts."""
    rows = [[each.features.get(name, 0.0) for name in FEATURES] for each in gradings]
    counts = Counter(each.set_name for each in gradings)
    shares = [_MASS / counts[each.set_name] for each in gradings]
    return np.array(rows), np.array([float(each.suffices) for each in gradings]), np.array(shares)


def fit(x: Floats, y: Floats, shares: Floats) -> tuple[float, ...]:
    """Return bias and weights, none negative but those that only tell sets apart."""
    free = [FEATURES.index(name) for name in FREE]
    return fitted(x, y, [0.0] * (len(FEATURES) + 1), pull=_PULL, free=free, shares=shares)


def cross_fitted(gradings: Sequence[Grading], x: Floats, y: Floats, shares: Floats) -> Floats:
    """Return the confidence of every grading by weights that saw nothing of its question."""
    folds = np.array([fold_of(each.set_name, each.id) for each in gradings])
    confidence = np.zeros(len(y))
    for fold in range(FOLDS):
        bias, *weights = fit(x[folds != fold], y[folds != fold], shares[folds != fold])
        confidence[folds == fold] = 1 / (1 + np.exp(-(bias + x[folds == fold] @ weights)))
    return confidence


def report(name: str, confidence: Floats, y: Floats) -> None:
    """Print one row."""
    through = [(confidence[y == kind] >= limit).mean() for limit in (0.7, 0.5) for kind in (1, 0)]
    print(
        f"{name:12} {len(y):6} {auroc(confidence, y):7.3f} {rejection(confidence, y):8.2f} "
        f"{risk_coverage(confidence, 1 - y):7.3f} {calibration_error(confidence, y):7.3f}   "
        + "  ".join(f"{share:5.0%}" for share in through)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of question sets")
    parser.add_argument("--work", type=Path, help="keep the stored corpora here")
    parser.add_argument("--limit", type=int, default=150, help="questions of each public set")
    parser.add_argument("--keep", type=Path, help="write the gradings here, or read them")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if given.keep and given.keep.is_file():
            gradings = [Grading(**row) for row in json.loads(given.keep.read_text("utf-8"))]
        else:
            gradings = asyncio.run(collect(given.data, given.work or Path(folder), given.limit))
            if given.keep:
                given.keep.write_text(json.dumps([asdict(each) for each in gradings]), "utf-8")
    x, y, shares = arrays(gradings)
    for name, weight in zip((BIAS, *FEATURES), fit(x, y, shares), strict=True):
        print(f'"{name}": {weight:.3f},')
    confidence = cross_fitted(gradings, x, y, shares)
    print(
        f"\n{'cross-fitted':12} {'n':>6}   AUROC rejected  risk/cov    ECE   ≥ 0.7: can, can't  ≥ 0.5"
    )
    sets = np.array([each.set_name for each in gradings])
    for name in dict.fromkeys(sets):
        report(name, confidence[sets == name], y[sets == name])
    report("all", confidence, y)


if __name__ == "__main__":
    main()
