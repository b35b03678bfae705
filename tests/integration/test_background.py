"""A reranker's background where documents have no headings."""

from pathlib import Path

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.adapters.rerank_lexical import LexicalReranker
from app.ingest.background import BackgroundMeter
from app.ingest.indexing import Indexer
from app.ingest.reports import Source

KB = "notes"
_THINGS = "pump valve boiler turbine fan filter relay sensor motor cable switch tank".split()


def _indexer(library: StoredLibrary, embedder: UseEmbedder) -> Indexer:
    measure = BackgroundMeter(library, LexicalReranker(), embedder).measure
    return Indexer(library, measure_background=measure)


async def test_files_without_headings_are_taken_and_their_background_measured(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    library = StoredLibrary(tmp_path, embedder)
    files = [
        Source(f"{thing}-{at}.txt", f"the {thing} was inspected on round {at}, in order.".encode())
        for thing in _THINGS
        for at in (1, 2)
    ]
    report = await _indexer(library, embedder).ingest(KB, files)
    background = await (await library.open(KB)).background(LexicalReranker().fingerprint)
    library.close()
    assert report.count("added") == len(files)
    assert background is not None
    assert background.pairs >= 200


async def test_one_text_without_headings_is_taken_and_keeps_the_shipped_calibration(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    library = StoredLibrary(tmp_path, embedder)
    text = "\n\n".join(f"{thing} number {at}: " + f"the {thing} runs. " * 40
                       for at in (1, 2) for thing in _THINGS)  # fmt: skip
    report = await _indexer(library, embedder).ingest(KB, [Source("log.txt", text.encode())])
    background = await (await library.open(KB)).background(LexicalReranker().fingerprint)
    library.close()
    assert report.count("added") == 1
    assert report.chunks >= 16
    assert background is None
