"""Fit the small ranker on LeCoQA, CMRC 2018 and HotpotQA.

Prints the weights to put into `graphs.evidence.ranker.SHIPPED`. Cross-fitted figures of the same sets
come from `youju eval retrieval --cross-fit`.
"""

import argparse
import asyncio
import tempfile
from contextlib import closing
from pathlib import Path

from app.evaluation.corpus import CorpusStore
from app.evaluation.crossfit import FITTED_ON, labelled
from app.evaluation.datasets import load
from app.evaluation.ranker_fit import RankerFitter
from app.evaluation.retrieval import open_set
from app.settings import Settings
from app.wiring import open_services
from graphs.evidence.ranker import FEATURES


async def fit(data: Path, work: Path) -> tuple[float, ...]:
    """Return the weights, in the order of FEATURES."""
    sets, missing = load(data, FITTED_ON)
    if missing:
        raise SystemExit(f"{data} lacks {', '.join(missing)}")
    settings = Settings(data_dir=work, llm="off", _env_file=None)
    async with open_services(settings) as services:
        with closing(CorpusStore(services, work / "evaluation-vectors.sqlite")) as corpora:
            opened = [await open_set(corpora, each, _told) for each in sets]
            training = [each for one in opened for each in labelled(one)]
            fitter = RankerFitter(lambda done, of: _told("questions", done, of))
            return (await fitter.ranker(services.searcher.search_with, training)).weights


def _told(what: str, done: int, of: int) -> None:
    if done % 500 == 0 or done == of:
        print(f"{what}: {done} of {of}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of question sets")
    parser.add_argument("--work", type=Path, help="keep the corpora here, so that they stay made")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        weights = asyncio.run(fit(options.data, options.work or Path(folder)))
    for name, weight in zip(FEATURES, weights, strict=True):
        print(f"    {weight},  # {name}")


if __name__ == "__main__":
    main()
