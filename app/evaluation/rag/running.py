"""Which protocol is measured on which set, and the run over all of them."""

from collections.abc import Callable, Sequence

from app.evaluation.corpus import CorpusStore
from app.evaluation.datasets import EVERY, QuestionSet
from app.evaluation.rag import (
    conflict,
    extraction,
    hops,
    integration,
    noise,
    open_corpus,
    rejection,
)
from app.evaluation.rag.asking import Asker
from app.evaluation.rag.measured import Measure, Measured, Progress

PROTOCOLS: dict[str, tuple[Measure, Sequence[str]]] = {
    "noise": (noise.measure, ("rgb-zh", "rgb-en")),
    "rejection": (rejection.measure, ("rgb-zh", "rgb-en")),
    "open": (open_corpus.measure, ("rgb-zh", "rgb-en", "cmrc2018", "hotpotqa", "lecoqa")),
    "extraction": (extraction.measure, ("cmrc2018",)),
    "hops": (hops.measure, ("hotpotqa",)),
    "conflict": (conflict.measure, ("rgb-zh-fact", "rgb-en-fact")),
    "integration": (integration.measure, ("rgb-zh-int",)),
}
"""Each protocol with the sets that it is defined on."""
SETS = tuple(dict.fromkeys(name for _, names in PROTOCOLS.values() for name in names))
Told = Callable[[Measured], None]


def of_set(name: str, protocols: Sequence[str]) -> list[str]:
    """Return which of the protocols are measured on a set; none named means all."""
    return [
        p for p, (_, names) in PROTOCOLS.items() if name in names and p in (protocols or PROTOCOLS)
    ]


async def run(
    asker: Asker,
    corpora: CorpusStore,
    sets: Sequence[QuestionSet],
    protocols: Sequence[str],
    limit: int | None,
    progress: Progress,
) -> list[Measured]:
    """Measure every set by its protocols."""
    found = []
    for questions in sets:

        def step(done: int, total: int, name: str = questions.name) -> None:
            progress(f"{name}: passages", done, total)

        language = EVERY[questions.name].language
        opened = await asker.open(corpora, questions, language, step)
        for protocol in of_set(questions.name, protocols):
            measure, _ = PROTOCOLS[protocol]
            found.append(await measure(asker, opened, limit, progress))
    return found
