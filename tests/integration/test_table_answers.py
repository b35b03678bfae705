"""Tables of records: the answer is the row that is asked for, or there is none."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import OpenServices, open_services

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUPPLIERS = ("海通机电", "恒力密封", "盛源滤材", "东方阀门", "华表仪器")
PARTS = [
    (f"SP-{number}", ("滤芯", "皮带", "截止阀")[number % 3], SUPPLIERS[number % 5],
     str(100 + 7 * (number % 97)), f"A{number % 9}-{number % 30}")
    for number in range(1001, 1121)
]  # fmt: skip
FILES = {
    "parts.csv": "备件编码,名称,供应商,单价,库位\n" + "\n".join(",".join(row) for row in PARTS),
    "phones.csv": "工号,姓名,部门,分机\nE0127,王喆,信息部,8830\nE0128,陈立新,采购部,8841\n"
    "E0129,何静,信息部,8847\nE0130,唐磊,财务部,8852\n",
    "tickets.jsonl": '{"id":"INC-1","title":"Printer","resolution":"Replaced the cable"}\n'
    '{"id":"INC-20433","title":"VPN drops","resolution":"Updated the client to 4.2"}\n',
    "stock.csv": "编码,名称,规格型号,库存数量,供应商\nZX-1069,编码器,A392-93,194,无锡博锐\n"
    "ZX-1195,接触器,D592-72,113,不凡电气\n",
    "counts.md": "# 盘点记录\n\n| 日期 | 负责人 | 差异数量 |\n|---|---|---|\n"
    "| 2024-06-30 | 林佳怡 | 3 |\n| 2024-09-30 | 周航 | 7 |\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenServices]:
    folder: Path = tmp_path_factory.mktemp("tables") / "data"
    async with open_services(Settings(_env_file=None, data_dir=folder, llm="off")) as services:
        sources = [Source(name, text.encode()) for name, text in FILES.items()]
        report = await services.indexer.ingest("tables", sources)
        assert report.count("added") == len(FILES)
        yield services


async def _ask(services: OpenServices, question: str) -> dict[str, Any]:
    config = {"configurable": {"thread_id": question}}
    state = await services.graph.ainvoke({"question": question, "kb": "tables"}, config)
    return dict(state["result"])


@pytest.mark.parametrize("row", PARTS[5::23], ids=lambda row: row[0])
@pytest.mark.parametrize(("ask", "column"), [("供应商是谁", 2), ("单价是多少", 3)])
async def test_a_record_is_answered_from_its_own_row(
    services: OpenServices, row: tuple[str, ...], ask: str, column: int
) -> None:
    answer = await _ask(services, f"{row[0]} 的{ask}？")
    assert answer["status"] == "answered"
    assert len(answer["statements"]) == 1
    assert f"：{row[0]}；" in answer["answer"]
    assert row[column] in answer["answer"]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("唐磊的分机是多少？", "8852"),
        ("E0129的分机是多少？", "8847"),
        ("谁的分机是8830？", "王喆"),
        ("What is the resolution of INC-20433?", "Updated the client to 4.2"),
        ("ZX-1069 的库存数量是多少？", "194"),
        ("ZX-1195 现在还有多少库存？", "113"),
        ("2024-06-30 盘点的差异数量是多少？", "差异数量：3"),
        ("2024年9月30日盘点的负责人是谁？", "周航"),
    ],
)
async def test_a_row_is_found_by_its_name_code_date_or_value(
    services: OpenServices, question: str, expected: str
) -> None:
    answer = await _ask(services, question)
    assert answer["status"] == "answered"
    assert expected in answer["answer"]
    assert len(answer["statements"]) == 1


@pytest.mark.parametrize(
    "question", ["SP-1400 的单价是多少？", "E0199的分机是多少？", "赵强的分机是多少？"]
)
async def test_a_record_that_is_not_there_is_not_answered_from_another(
    services: OpenServices, question: str
) -> None:
    assert (await _ask(services, question))["status"] == "insufficient"
