"""Searching and its explanation over HTTP, with the real search behind them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from app.main import create_app
from app.settings import Settings

pytestmark = pytest.mark.asyncio(loop_scope="module")

PUMPS = """# 循环水泵检修规程

## 检修周期

循环水泵每运行八千小时检修一次，由检修班负责。

## 润滑

轴承润滑油每三个月更换一次，牌号为 N46。
"""
PUMPS_COPY = PUMPS.replace("# 循环水泵检修规程", "# 循环水泵检修规程（分发件）")
FANS = "# 引风机\n\n## 振动\n\n引风机轴承振动超过八十微米时停机检查。\n"
CANTEEN = "# 食堂通知\n\n## 菜单\n\n周三供应面条，周五供应饺子，早餐六点半开始。\n"
FIRE = "# Fire drill\n\n## Assembly\n\nEverybody gathers at the north gate within five minutes.\n"
FILES = {
    "pumps.md": PUMPS,
    "copies/pumps.md": PUMPS_COPY,
    "fans.md": FANS,
    "canteen.md": CANTEEN,
    "fire.md": FIRE,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[httpx.AsyncClient]:
    folder: Path = tmp_path_factory.mktemp("search") / "data"
    settings = Settings(_env_file=None, data_dir=folder, default_kb="plant", llm="off")
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://youju") as client:
            files = [("files", (name, text.encode())) for name, text in FILES.items()]
            taken = await client.post("/kb/plant/documents", files=files)
            assert taken.status_code == 200, taken.text
            yield client


async def _search(client: httpx.AsyncClient, **body: Any) -> list[dict[str, Any]]:
    reply = await client.post("/kb/plant/search", json=body)
    assert reply.status_code == 200, reply.text
    return list(reply.json()["hits"])


async def _why_not(client: httpx.AsyncClient, question: str, document: str, **more: Any) -> Any:
    body = {"question": question, "document": document} | more
    reply = await client.post("/kb/plant/why-not", json=body)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def test_hits_show_their_place_in_every_stage(client: httpx.AsyncClient) -> None:
    hits = await _search(client, query="循环水泵多久检修一次？", include_duplicates=True)
    best = hits[0]
    assert best["title"].startswith("循环水泵检修规程")
    assert [hit["stages"]["reranked"]["position"] for hit in hits] == list(range(1, len(hits) + 1))
    for stage in ("dense", "keyword", "fused"):
        places = [hit["stages"][stage]["position"] for hit in hits if hit["stages"][stage]]
        assert len(set(places)) == len(places)
        assert 1 in places
    assert best["stages"]["reranked"]["score"] == best["score"]
    assert best["dropped_by"] is None


async def test_passage_without_a_word_of_the_question_has_no_keyword_place(
    client: httpx.AsyncClient,
) -> None:
    hits = await _search(client, query="循环水泵多久检修一次？", top_k=50, include_duplicates=True)
    fire = next(hit for hit in hits if hit["title"] == "Fire drill")
    assert fire["stages"]["keyword"] is None
    assert fire["stages"]["dense"]["position"] > 1
    assert fire["dropped_by"] == "threshold"


async def test_near_duplicate_is_listed_only_when_asked_for(client: httpx.AsyncClient) -> None:
    query = "轴承润滑油多久更换一次？"
    short = await _search(client, query=query)
    whole = await _search(client, query=query, include_duplicates=True)
    doubles = [hit for hit in whole if hit["dropped_by"] == "duplicate"]
    assert doubles
    assert all(hit["dropped_by"] != "duplicate" for hit in short)
    leader = next(hit for hit in whole if hit["passage"] == doubles[0]["duplicate_of"])
    assert doubles[0]["passage"] in leader["variants"]
    assert leader["dropped_by"] is None


async def test_document_that_was_found_is_told_with_its_place(client: httpx.AsyncClient) -> None:
    found = await _why_not(client, "引风机轴承振动多大时停机？", "fans.md")
    assert (found["fate"], found["position"]) == ("found", 1)
    assert found["reason"] == "该文档已在证据中，排第 1 位。"
    assert found["passages"][0]["stages"]["keyword"]["position"] == 1
    assert {word["word"] for word in found["words"] if word["in_document"]} >= {"引风机", "振动"}


async def test_document_under_the_threshold_is_told_what_it_lacks(
    client: httpx.AsyncClient,
) -> None:
    found = await _why_not(client, "引风机轴承振动多大时停机？", "食堂通知")
    assert found["fate"] == "threshold"
    assert found["position"] is None
    best = found["passages"][0]
    assert best["stages"]["keyword"] == {"position": None, "score": None, "beyond": 1000}
    assert best["stages"]["dense"]["position"] > 1
    assert best["stages"]["reranked"]["score"] < 0.2
    assert best["holds"] == []
    assert "引风机" in best["lacks"]
    assert any("没有使用" in line and "引风机" in line for line in found["advice"])
    assert any("glossary" in line for line in found["advice"])
    assert any("YOUJU_PROFILES__INITIAL__THRESHOLD" in line for line in found["advice"])


async def test_near_duplicate_document_is_told_with_its_leader(client: httpx.AsyncClient) -> None:
    whole = await _search(client, query="轴承润滑油多久更换一次？", include_duplicates=True)
    double = next(hit for hit in whole if hit["dropped_by"] == "duplicate")
    found = await _why_not(client, "轴承润滑油多久更换一次？", double["document_id"])
    passage = next(one for one in found["passages"] if one["passage"] == double["passage"])
    assert (passage["fate"], passage["duplicate_of"]) == ("duplicate", double["duplicate_of"])


async def test_excluded_document_is_told_so(client: httpx.AsyncClient) -> None:
    question = "Where does everybody gather?"
    id_ = (await _why_not(client, question, "fire"))["document"]["id"]
    found = await _why_not(client, question, "fire", exclude_documents=[id_])
    assert found["fate"] == "excluded"
    assert found["advice"][0] == "Take its id out of exclude_documents."
    assert found["passages"][0]["stages"]["dense"]["position"] == 1


async def test_question_in_another_language_is_told_about_the_language(
    client: httpx.AsyncClient,
) -> None:
    found = await _why_not(client, "When is the lubricating oil changed?", "fans.md")
    assert found["fate"] == "threshold"
    assert "different languages" in found["advice"][0]


@pytest.mark.parametrize("wanted", ["fans.md", "FANS", "引风机", "fan"])
async def test_document_is_meant_by_name_title_or_part(
    client: httpx.AsyncClient, wanted: str
) -> None:
    found = await _why_not(client, "振动", wanted)
    assert found["document"]["name"] == "fans.md"


async def test_several_documents_of_one_name_are_a_400_that_lists_them(
    client: httpx.AsyncClient,
) -> None:
    body = {"question": "检修", "document": "循环水泵"}
    reply = await client.post("/kb/plant/why-not", json=body)
    assert reply.status_code == 400
    assert "copies/pumps.md" in reply.json()["error"]["message"]
    assert "whole name" in reply.json()["error"]["hint"]


async def test_unknown_document_is_a_404_with_near_names(client: httpx.AsyncClient) -> None:
    body = {"question": "检修", "document": "canten.md"}
    reply = await client.post("/kb/plant/why-not", json=body)
    assert reply.status_code == 404
    assert reply.json()["error"]["code"] == "unknown_document"
    assert "canteen.md" in reply.json()["error"]["hint"]


async def test_unknown_knowledge_base_is_a_404(client: httpx.AsyncClient) -> None:
    reply = await client.post("/kb/nope/why-not", json={"question": "q", "document": "d"})
    assert reply.status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"question": "q"},
        {"question": " ", "document": "d"},
        {"question": "q", "document": ""},
        {"question": "q", "document": " \u3000\n"},
        {"question": "q", "document": "d", "more": 1},
        {"question": "q", "document": "d" * 401},
    ],
)
async def test_bad_request_is_a_400(client: httpx.AsyncClient, body: dict[str, Any]) -> None:
    assert (await client.post("/kb/plant/why-not", json=body)).status_code == 400


async def test_a_hit_names_the_sentence_that_answers(client: httpx.AsyncClient) -> None:
    hit = (await _search(client, query="循环水泵多久检修一次？"))[0]
    sentence = hit["answering"]
    assert "八千小时" in hit["text"][sentence["start"] : sentence["end"]]
    assert 0 < sentence["probability"] <= 1
