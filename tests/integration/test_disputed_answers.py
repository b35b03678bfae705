"""Passages that answer with different values: real stores, embedded reasoner."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import OpenServices, open_services

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILM = "# {paper}\n\n《归途》是{director}导演的一部剧情片，2016年上映，讲述了一个家庭在草原上的故事。\n"
BRIDGE = "# {paper}\n\nThe North Bridge was opened on {date} by the mayor of the town.\n"
FILES = {
    "film-a.md": FILM.format(paper="影评", director="李建国"),
    "film-b.md": FILM.format(paper="电影报", director="张海涛"),
    "bridge-a.md": BRIDGE.format(paper="Chronicle", date="3 May 2019"),
    "bridge-b.md": BRIDGE.format(paper="Gazette", date="4 June 2020"),
    "canal.md": "# Canal\n\nThe Old Canal was opened on 3 May 1897 by the king of the land.\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenServices]:
    data_dir = tmp_path_factory.mktemp("disputed")
    async with open_services(Settings(data_dir=data_dir, llm="off", _env_file=None)) as opened:
        await opened.indexer.ingest("news", [Source(n, t.encode()) for n, t in FILES.items()])
        yield opened


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("《归途》的导演是谁？", ("李建国", "张海涛")),
        ("When was the North Bridge opened?", ("3 May 2019", "4 June 2020")),
    ],
)
async def test_disputed_answer_shows_and_cites_both_sides(
    services: OpenServices, question: str, sides: tuple[str, str]
) -> None:
    config = {"configurable": {"thread_id": question}}
    state = await services.graph.ainvoke({"question": question, "kb": "news"}, config)
    result = state["result"]
    assert all(side in result["answer"] for side in sides)
    assert len({citation["document_id"] for citation in result["citations"]}) == 2
    assert "conflicting_evidence" in [warning["code"] for warning in result["warnings"]]


async def test_undisputed_answer_is_not_warned_of(services: OpenServices) -> None:
    question = "When was the Old Canal opened?"
    config = {"configurable": {"thread_id": question}}
    state = await services.graph.ainvoke({"question": question, "kb": "news"}, config)
    assert "3 May 1897" in state["result"]["answer"]
    assert "conflicting_evidence" not in [w["code"] for w in state["result"]["warnings"]]
