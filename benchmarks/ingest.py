"""Ingest against the raw embedder: passages a second, memory over time, answering beside it.

Raw is one thread in one process embedding the very texts that ingest embeds: each passage under
its headings, and its sentences. Ingest does everything else too, and may use all processors.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.adapters.embed_use import UseEmbedder
from app.ingest.atoms import SplitLimits
from app.ingest.loading import convert
from app.ingest.preparing import embedded_text, prepare
from app.ingest.reports import Progress, Source
from app.settings import Settings
from app.wiring import open_services
from benchmarks.ingest_corpus import corpus
from benchmarks.reporting import RESULTS, Report, Scale, Table, Target, arguments, finish
from benchmarks.watch import Watch, children_cpu
from graphs.evidence.text import load, sentences

PASSAGES: dict[Scale, int] = {"tiny": 60, "short": 1_500, "full": 20_000}
_RATIO = 0.8
_LATENESS_MS = 50.0
_TEXTS = 32
_BATCH = 512 * 1024


@dataclass(frozen=True, slots=True)
class Run:
    """What was embedded raw and ingested, and how long both took."""

    passages: int
    texts: int
    raw_seconds: float
    raw_cpu: float
    seconds: float


async def measure(scale: Scale, passages: int = 0, data: Path | None = None) -> Report:
    """Embed raw, then ingest the same corpus into a fresh data folder, and compare."""
    load()
    sources = list(corpus(passages or PASSAGES[scale], data))
    texts, count = _texts(sources)
    began = time.process_time()
    raw_seconds = await asyncio.to_thread(_raw, texts)
    raw_cpu = time.process_time() - began
    with tempfile.TemporaryDirectory() as folder:
        watch = Watch()
        seconds, stored = await _ingest(Path(folder), sources, watch)
    if stored != count:
        raise RuntimeError(f"{count} passages were cut, {stored} are stored")
    return _report(Run(count, len(texts), raw_seconds, raw_cpu, seconds), watch)


async def _ingest(folder: Path, sources: Sequence[Source], watch: Watch) -> tuple[float, int]:
    settings = Settings(_env_file=None, data_dir=folder, llm="off")
    async with open_services(settings) as services:
        await services.indexer.ingest(
            "bench", [Source("first.md", "# 首页\n\n试运行。\n".encode())]
        )
        jobs = [
            asyncio.create_task(job)
            for job in (watch.beat(), watch.weigh(), watch.ask(services, "bench"))
        ]
        batches = list(_batches(sources))
        shown = 0.0

        def show_progress(at: Progress) -> None:
            nonlocal shown
            if time.perf_counter() - shown > 10:
                shown = time.perf_counter()
                print(f"  {at.done}/{at.total} files, {at.chunks} passages", flush=True)

        began, cpu = time.perf_counter(), time.process_time()
        for batch in batches:
            more = batch is not batches[-1]
            await services.indexer.ingest("bench", batch, show_progress, more=more)
        seconds = time.perf_counter() - began
        watch.own_cpu, watch.worker_cpu = time.process_time() - cpu, children_cpu()
        for job in jobs:
            job.cancel()
        results = await asyncio.gather(*jobs, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result
        _, stored = services.library.stores.documents.counts("bench")
        if services.library.stores.dense.count("bench") != stored:
            raise RuntimeError("the stores disagree on the number of passages")
        return seconds, stored - 1


def _report(run: Run, watch: Watch) -> Report:
    count, ratio = run.passages, run.raw_seconds / run.seconds
    sizes = [size for _, size in watch.memory]
    half = sizes[len(sizes) // 2 :]
    figures = {
        "passages": count,
        "texts": run.texts,
        "raw_passages_per_second": round(count / run.raw_seconds, 1),
        "ingest_passages_per_second": round(count / run.seconds, 1),
        "ratio": round(ratio, 3),
        "raw_cpu_seconds": round(run.raw_cpu, 1),
        "ingest_cpu_seconds_service": round(watch.own_cpu, 1),
        "ingest_cpu_seconds_workers": round(watch.worker_cpu, 1),
        "peak_rss_mb": round(max(sizes)),
        "rss_mb_first_half_peak": round(max(sizes[: len(sizes) // 2 + 1])),
        "rss_mb_second_half_peak": round(max(half)),
        "search_beside_ms": [
            round(float(np.percentile(watch.answers or [0], q)), 1) for q in (50, 95)
        ],
        "heartbeat_ms_p99": round(float(np.percentile(watch.lateness, 99)), 1),
    }
    rows = [[name, str(value)] for name, value in figures.items()]
    over_time = [
        [f"{at:.0f}", f"{size:.0f}"] for at, size in watch.memory[:: max(len(sizes) // 12, 1)]
    ]
    targets = [
        Target(
            "raw throughput / ingest throughput", round(1 / ratio, 3), round(1 / _RATIO, 3), "×"
        ),
        Target("heartbeat p99 beside ingest", figures["heartbeat_ms_p99"], _LATENESS_MS, "ms"),
    ]
    tables = [
        Table("Ingest against the raw embedder", ("figure", "value"), rows),
        Table("Memory of the service and its workers", ("seconds", "MB"), over_time),
    ]
    return Report("ingest", figures, tables, targets, {"memory": watch.memory})


def _texts(sources: Sequence[Source]) -> tuple[list[str], int]:
    """Return every text that ingest embeds, and the number of passages."""
    texts: list[str] = []
    count = 0
    for source in sources:
        converted = convert(source.name, source.data)
        for passage in prepare("k", source.name, converted, SplitLimits(), "").passages:
            count += 1
            texts.append(embedded_text(passage.title, passage.section, passage.text, passage.lead))
            texts += [passage.text[a:b] for a, b in sentences(passage.text)[:64]]
    return texts, count


def _raw(texts: Sequence[str]) -> float:
    embedder = UseEmbedder()
    embedder.load()
    began = time.perf_counter()
    for begin in range(0, len(texts), _TEXTS):
        embedder.embed(texts[begin : begin + _TEXTS])
    return time.perf_counter() - began


def _batches(sources: Sequence[Source]) -> Iterator[list[Source]]:
    batch: list[Source] = []
    for source in sources:
        if batch and sum(one.size for one in batch) + source.size > _BATCH:
            yield batch
            batch = []
        batch.append(source)
    if batch:
        yield batch


def main() -> int:
    """Return 1 where a target was missed, unless only a report was asked for."""
    parser = arguments(__doc__ or "", RESULTS / "ingest.json")
    parser.add_argument("--passages", type=int, default=0, help="about how many; by scale if 0")
    parser.add_argument("--data", type=Path, help="a text file or JSON list to cut into passages")
    options: argparse.Namespace = parser.parse_args()
    report = asyncio.run(measure(options.scale, options.passages, options.data))
    return finish(report, options)


if __name__ == "__main__":
    raise SystemExit(main())
