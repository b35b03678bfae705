"""Both doors at once: every candidate has both scores, and a broken door leaves the other."""

import numpy as np
import pytest
from memory_kb import MemoryKnowledgeBase, passage

from app.adapters.embed_use import UseEmbedder
from graphs.evidence.fusion import cosines
from graphs.evidence.text import codes, query_terms
from graphs.retrieval.doors import Searched, open_doors, ready

TEXTS = [
    "循环水旋转滤网压差升高时人工清理。",
    "凝汽器真空过低时先检查循环水系统。",
    "备用真空泵每月试转一次。",
    "缺陷 QX-2025-088：抽气能力不足。",
    "The hotel costs at most 500 yuan a night.",
]


@pytest.fixture(scope="module")
def kb(embedder: UseEmbedder) -> MemoryKnowledgeBase:
    items = [passage(text, document_id=f"d{n}", ordinal=n) for n, text in enumerate(TEXTS)]
    return MemoryKnowledgeBase(embedder, items)


async def searched(kb: MemoryKnowledgeBase, text: str, count: int = 2) -> Searched:
    vector = kb.embedder.embed([text])[0]
    return await open_doors(kb, ready(vector), query_terms(text), codes(text), count)


@pytest.mark.parametrize(
    "text", ["滤网压差", "真空泵多久试转", "QX-2025-088 的抽气能力", "hotel night"]
)
async def test_every_candidate_has_both_scores(kb: MemoryKnowledgeBase, text: str) -> None:
    found = await searched(kb, text)
    vector = kb.embedder.embed([text])[0]
    stored = await kb.passage_vectors(list(found.dense_scores))
    assert dict(found.dense_scores) == cosines(stored, vector)
    assert set(found.dense_scores) >= set(found.ids)
    expected = await kb.keyword_scores(query_terms(text), found.ids)
    assert {k: v for k, v in found.keyword_scores.items() if v} == expected
    assert max(expected.values()) <= found.ceiling


async def test_exact_match_is_a_candidate_and_no_keyword_hit(kb: MemoryKnowledgeBase) -> None:
    found = await open_doors(
        kb, ready(kb.embedder.embed(["滤网"])[0]), ["滤网"], ["QX-2025-088"], 1
    )
    assert found.exact == [kb.items[3].id]
    assert [hit.id for hit in found.keyword] == [kb.items[0].id]
    assert kb.items[3].id in found.dense_scores


async def test_broken_vector_index_leaves_keyword_search(embedder: UseEmbedder) -> None:
    broken = MemoryKnowledgeBase(embedder, [passage(text) for text in TEXTS], dense_broken=True)
    found = await searched(broken, "滤网压差")
    assert found.dense is None
    assert found.keyword
    assert set(found.dense_scores.values()) == {0.0}


async def test_zero_vector_is_near_nothing(kb: MemoryKnowledgeBase) -> None:
    zero = np.zeros(kb.embedder.dimension, dtype=np.float32)
    found = await open_doors(kb, ready(zero), query_terms("滤网压差"), [], 2)
    assert (found.dense, found.dense_scores) == (None, {})
    assert found.keyword


async def test_query_of_stop_words_searches_by_meaning_alone(kb: MemoryKnowledgeBase) -> None:
    found = await open_doors(kb, ready(kb.embedder.embed(["什么"])[0]), [], [], 2)
    assert found.dense
    assert (found.keyword, found.ceiling) == ([], 0.0)
