"""What a knowledge base knows of the scores of unrelated pairs."""

from pathlib import Path

import pytest

from app.adapters.embed_use import UseEmbedder
from app.adapters.library import StoredLibrary
from app.ingest.indexing import Indexer
from app.ingest.reports import Source
from app.ingest.score_statistics import ScoreMeter, each
from graphs.evidence.text import query_terms
from graphs.ports import KEYWORD_SCORES, dense_scores_name

THINGS = "真空泵 循环水 汽轮机 锅炉 滤网 变压器 电动机 给水泵 除氧器 冷却塔".split()


def document(thing: str) -> Source:
    parts = (
        f"## {part}\n{thing}的{part}由值班员每班检查一次，异常时报告值长。"
        for part in ("振动", "温度")
    )
    return Source(f"{thing}.md", (f"# {thing}\n\n" + "\n\n".join(parts)).encode())


async def test_unrelated_pairs_lie_far_below_a_question_and_its_passage(
    tmp_path: Path, embedder: UseEmbedder
) -> None:
    library = StoredLibrary(tmp_path, embedder)
    indexer = Indexer(library, measure_background=ScoreMeter(library, embedder).measure)
    await indexer.ingest("plant", [document(thing) for thing in THINGS])
    kb = await library.open("plant")
    dense = await kb.background(dense_scores_name(embedder.fingerprint))
    keyword = await kb.background(KEYWORD_SCORES)
    hits = await kb.dense(embedder.embed(["冷却塔的温度由谁检查？"])[0], 1)
    share = (await kb.keyword(query_terms("冷却塔温度"), 1))[0].score
    library.close()
    assert dense is not None
    assert keyword is not None
    assert dense.pairs > 200
    assert dense.deviation > 0
    assert -0.2 < dense.mean < hits[0].score
    assert 0 <= keyword.mean < 1
    assert share > 0


async def test_few_passages_are_not_measured(tmp_path: Path, embedder: UseEmbedder) -> None:
    library = StoredLibrary(tmp_path, embedder)
    indexer = Indexer(library, measure_background=ScoreMeter(library, embedder).measure)
    await indexer.ingest("plant", [document("滤网")])
    kb = await library.open("plant")
    measured = await kb.background(KEYWORD_SCORES)
    library.close()
    assert measured is None


async def test_measures_run_one_after_the_other() -> None:
    done: list[str] = []

    async def first(kb: str) -> None:
        done.append(f"first {kb}")

    async def second(kb: str) -> None:
        done.append(f"second {kb}")

    await each(first, second)("plant")
    assert done == ["first plant", "second plant"]


@pytest.mark.parametrize("embedder_name", ["use-1", "bge-m3"])
def test_cosines_of_two_embedders_are_kept_apart(embedder_name: str) -> None:
    assert dense_scores_name(embedder_name) != dense_scores_name("other")
    assert dense_scores_name(embedder_name) != KEYWORD_SCORES
