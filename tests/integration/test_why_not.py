"""True places far below the candidates, and the gates that a small base does not reach."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app import index_ranks, why_not
from app.document_lookup import meant
from app.ingest.reports import Source
from app.search_resources import WhyNotOut
from app.settings import Settings
from app.settings_sections import Profile, Profiles
from app.wiring import OpenServices, open_services

pytestmark = pytest.mark.asyncio(loop_scope="module")

KB = "plant"
QUESTION = "循环水泵轴承温度多高时停泵？"
FAR = "# 食堂\n\n周三供应面条，早餐六点半开始，请排队取餐。\n"
NEWER = "# 振动规程 2024版\n\n日期：2024-05-01\n\n引风机振动超过八十微米时停机。\n"
OLDER = "# 振动规程 2021版\n\n日期：2021-05-01\n\n引风机振动超过九十微米时停机。\n"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenServices]:
    folder: Path = tmp_path_factory.mktemp("why") / "data"
    profiles = Profiles(initial=Profile(top_n=3))
    settings = Settings(_env_file=None, data_dir=folder, llm="off", profiles=profiles)
    texts = {
        f"{n}.md": f"# {n}号机组\n\n{n}号机组循环水泵轴承温度高于{50 + n}度时停泵，由{n}班处理。\n"
        for n in range(1, 31)
    }
    texts |= {"canteen.md": FAR, "new.md": NEWER, "old.md": OLDER}
    async with open_services(settings) as services:
        sources = [Source(name, text.encode()) for name, text in texts.items()]
        report = await services.indexer.ingest(KB, sources)
        assert report.count("added") == len(texts)
        yield services


async def _ask(services: OpenServices, question: str, document: str) -> WhyNotOut:
    info = meant(await services.library.documents(KB), document)
    return await why_not.explain(services, KB, question, info, ())


async def test_document_far_from_the_question_has_its_true_place(services: OpenServices) -> None:
    found = await _ask(services, QUESTION, "canteen.md")
    stages = found.passages[0].stages
    assert found.fate == "not_candidate"
    assert stages.dense.position is not None
    assert stages.dense.position > 30
    assert (stages.keyword.position, stages.keyword.score) == (None, None)
    assert (stages.fused, stages.reranked) == (None, None)
    assert str(stages.dense.position) in found.reason


async def test_place_beyond_the_bound_is_told_as_such(
    services: OpenServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_ranks, "BOUND", 25)
    found = await _ask(services, QUESTION, "canteen.md")
    dense = found.passages[0].stages.dense
    assert (dense.position, dense.beyond) == (None, 25)
    assert dense.score is not None
    assert "25 名之外" in found.reason


async def test_document_below_a_full_list_is_told_so(services: OpenServices) -> None:
    searched = await services.searcher.search(await services.library.open(KB), QUESTION, 20)
    dropped = next(one for one in searched.hits if one.dropped_by == "top_n")
    found = await _ask(services, QUESTION, dropped.evidence.passage.document_id)
    assert found.fate == "top_n"
    assert found.passages[0].stages.reranked is not None
    assert f"第 {found.passages[0].stages.reranked.position} 位" in found.reason
    assert "只收 3 段" in found.reason


async def test_superseded_document_is_told_with_its_successor(services: OpenServices) -> None:
    found = await _ask(services, "引风机振动多大时停机？", "old.md")
    assert found.document.superseded_by is not None
    assert any("《振动规程 2024版》取代" in line for line in found.advice)


async def test_word_of_the_glossary_is_not_advised_again(services: OpenServices) -> None:
    before = await _ask(services, "抽水装置", "canteen.md")
    card = "glossary:\n  抽水装置: [循环水泵]\n"
    await services.indexer.ingest(KB, [Source("kb.yaml", card.encode())])
    after = await _ask(services, "抽水装置", "canteen.md")
    await services.indexer.ingest(KB, [Source("kb.yaml", b"description: plant\n")])
    assert any("加一条" in line for line in before.advice)
    assert any("已收录" in line for line in after.advice)
    assert not any("加一条" in line for line in after.advice)


async def test_words_are_counted_over_the_whole_knowledge_base(services: OpenServices) -> None:
    found = await _ask(services, QUESTION, "canteen.md")
    counted = {word.word: word for word in found.words}
    assert counted["轴承"].passages == 30
    assert not counted["轴承"].in_document
