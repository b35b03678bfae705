"""How long a search takes, by mode and by the size of the knowledge base.

`python -m benchmarks latency --sizes 1000 10000 100000 --work FOLDER` keeps what it built in
FOLDER. `--data` takes real documents for the base text instead of made ones.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.adapters.rerank_lexical import LexicalReranker
from app.interpreter import take_short_turns
from benchmarks.large_bases import Pool, build, made_texts, pool, real_texts
from benchmarks.reporting import (
    RESULTS,
    Report,
    Scale,
    Table,
    Target,
    arguments,
    finish,
    quantiles,
)
from graphs.evidence.passages import Evidence
from graphs.evidence.ranker import SHIPPED
from graphs.evidence.text import load, query_terms
from graphs.policy import Policy
from graphs.ports import KnowledgeBase
from graphs.retrieval.hybrid import HybridSearch

SIZES: dict[Scale, tuple[int, ...]] = {
    "tiny": (200,), "short": (1_000, 10_000), "full": (1_000, 10_000, 100_000),
}  # fmt: skip
QUERIES: dict[Scale, int] = {"tiny": 12, "short": 200, "full": 250}
BASE_TEXTS: dict[Scale, int] = {"tiny": 60, "short": 3_000, "full": 3_000}
_RERANKING = "hybrid + rerank"
MODES = ("dense", "keyword", "hybrid", _RERANKING, "rerank")
ASIDE = ("titles",)
"""What a search does beside its modes, timed alone."""
_FACTOR = 1.5
_WARM_UP = 60
_SEED = 20_264
_LIMIT = 20

Search = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class TimedSearch(HybridSearch):
    """A search that takes down how long it reranked."""

    spent: list[float] = field(default_factory=list)

    async def rank(self, *given: Any) -> list[Evidence]:
        began = time.perf_counter()
        try:
            return await HybridSearch.rank(self, *given)
        finally:
            self.spent.append(time.perf_counter() - began)


def queries(base: Pool, count: int) -> list[str]:
    """Return distinct question-like texts: parts of sentences, Chinese and English."""
    random = np.random.default_rng(_SEED)
    found: dict[str, None] = {}
    while len(found) < count:
        place = int(random.integers(0, len(base.texts)))
        text = base.texts[place].strip("。.！!？?\n ")
        if base.languages[place] == "zh":
            start = int(random.integers(0, max(1, len(text) - 16)))
            text = text[start : start + int(random.integers(8, 28))]
            text += ("是什么？", "怎么规定？", "有哪些？", "")[place % 4]
        else:
            words = text.split()
            start = int(random.integers(0, max(1, len(words) - 10)))
            text = " ".join(words[start : start + int(random.integers(4, 14))])
            text = ("What is ", "When did ", "")[place % 3] + text
        if query_terms(text):
            found[text] = None
    return list(found)


def modes(kb: KnowledgeBase, full: TimedSearch, texts: Sequence[str]) -> dict[str, Search]:
    """Return the searches that are timed, each from the question to its passages."""
    embedder, profile = full.embedder, full.policy.initial
    without = HybridSearch(embedder, None, full.policy)

    async def dense(text: str) -> object:
        vector = (await asyncio.to_thread(embedder.embed, [text]))[0]
        return await kb.passages([hit.id for hit in await kb.dense(vector, _LIMIT)])

    async def keyword(text: str) -> object:
        return await kb.passages([hit.id for hit in await kb.keyword(query_terms(text), _LIMIT)])

    async def titles(text: str) -> object:
        return await kb.titled([text, texts[len(text) % len(texts)]], _LIMIT)

    return {
        "dense": dense,
        "keyword": keyword,
        "hybrid": lambda text: without.search(kb, text, replace(profile, rerank=False)),
        _RERANKING: lambda text: full.search(kb, text, profile),
        "titles": titles,
    }


def _passages(base: Pool) -> list[str]:
    """Return texts of 400 characters, as passages are read for the titles they name."""
    joined = "".join(base.texts[:400])
    return [joined[at : at + 400] for at in range(0, min(len(joined), 12_000), 400)]


async def _timed(
    searches: dict[str, Search], asked: Sequence[str], full: TimedSearch
) -> dict[str, list[float]]:
    """Return milliseconds by mode; the modes take turns, and each comes first as often.

    What comes first for a question finds nothing in memory that another has just read.
    """
    found: dict[str, list[float]] = {mode: [] for mode in MODES + ASIDE}
    order = list(searches)
    for text in asked:
        order.append(order.pop(0))
        for mode in order:
            full.spent.clear()
            began = time.perf_counter()
            await searches[mode](text)
            found[mode].append(1_000 * (time.perf_counter() - began))
            if mode == _RERANKING:
                found["rerank"].append(1_000 * sum(full.spent))
    return found


async def measure(
    scale: Scale,
    work: Path | None = None,
    data: Path | None = None,
    sizes: Sequence[int] | None = None,
) -> Report:
    """Build what is missing, then time every mode at every size."""
    if work is None:
        with tempfile.TemporaryDirectory() as folder:
            return await measure(scale, Path(folder), data, sizes)
    load()
    take_short_turns()
    embedder = UseEmbedder()
    texts = real_texts(data) if data else made_texts(BASE_TEXTS[scale])
    base = pool(texts, embedder)
    count = QUERIES[scale]
    asked = queries(base, count + min(_WARM_UP, count))
    results: dict[int, dict[str, dict[str, float]]] = {}
    for size in sizes or SIZES[scale]:
        folder = work / f"{'real' if data else 'made'}-{size}"
        await build(folder, "large", size, base, embedder)
        library = StoredLibrary(folder, embedder)
        try:
            full = TimedSearch(embedder, LexicalReranker(), Policy(), ranker=SHIPPED)
            searches = modes(await library.open("large"), full, _passages(base))
            await _timed(searches, asked[count:], full)
            times = await _timed(searches, asked[:count], full)
        finally:
            library.close()
        results[size] = {mode: quantiles(values) for mode, values in times.items()}
    return _report(results, bool(data))


def _report(results: dict[int, dict[str, dict[str, float]]], real: bool) -> Report:
    rows, targets, columns = [], [], (*MODES, *ASIDE)
    for size, by_mode in results.items():
        p95 = {mode: figures["p95"] for mode, figures in by_mode.items()}
        limit = _FACTOR * max(p95["dense"], p95["keyword"]) + p95["rerank"]
        cells = [f"{v['p50']:.1f} / {v['p95']:.1f}" for v in map(by_mode.__getitem__, columns)]
        rows.append((f"{size:,}", *cells, f"{limit:.1f}"))
        name = f"hybrid with rerank at {size:,} passages, p95"
        targets.append(Target(name, p95[_RERANKING], round(limit, 1), "ms"))
    text = "real" if real else "made"
    title = f"search latency, {text} text: p50 / p95 in ms, service warm, no question asked twice"
    heads = ("passages", *columns, "limit for hybrid + rerank, p95")
    figures = {str(size): by_mode for size, by_mode in results.items()}
    return Report("latency", figures, [Table(title, heads, rows)], targets)


def _options() -> argparse.Namespace:
    parser = arguments("Time searches by mode and size.", RESULTS / "latency.json")
    parser.add_argument("--work", type=Path, help="folder in which what was built is kept")
    parser.add_argument("--data", type=Path, help="folder with `distractors/`: real base text")
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of passages")
    return parser.parse_args()


def main() -> int:
    options = _options()
    report = asyncio.run(measure(options.scale, options.work, options.data, options.sizes))
    return finish(report, options)


if __name__ == "__main__":
    sys.exit(main())
