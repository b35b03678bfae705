"""Questions about a thing that is not in the documents, though others of its kind are."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import open_core

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = {
    "phones.md": "# 内线电话\n\n| 部门 | 内线电话 | 负责人 |\n|---|---|---|\n| 设备科 | 8021 | 王立 |\n"
    "| 人事科 | 8035 | 陈梅 |\n| 护理部 | 8044 | 刘芳 |\n",
    "departments.md": "# Departments\n\n| Department | Extension | Head |\n|---|---|---|\n"
    "| Procurement | 4410 | Ann Lee |\n| Human Resources | 4422 | Tom Berg |\n",
    "shifts.md": "# 排班制度\n\n## 夜班\n\n护士夜班从 20:00 到次日 8:00，每月不超过 8 次。"
    "夜班津贴每次 120 元。\n",
    "units.md": "# 三号机运行记录\n\n三号机额定功率为 330 MW。送风机额定电流为 42 A。"
    "二次风机的电机功率为 200 kW。\n",
    "revenue.md": "# Revenue 2025\n\n| Quarter | Revenue (million EUR) |\n|---|---|\n"
    "| Q1 | 12.4 |\n| Q2 | 13.1 |\n",
    "seal.md": "# Pump manual\n\nThe mechanical seal is replaced every 8000 operating hours. "
    "Oil is changed once a year.\n",
}  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def ask(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Any]:
    folder: Path = tmp_path_factory.mktemp("foreign")
    async with open_core(Settings(_env_file=None, data_dir=folder, llm="off")) as core:  # type: ignore[call-arg]
        sources = [Source(name, text.encode()) for name, text in FILES.items()]
        await core.indexer.ingest("siblings", sources)
        graph = core.builder.compile()

        async def asking(question: str) -> dict[str, Any]:
            state = await graph.ainvoke({"question": question, "kb": "siblings"})
            return dict(state["result"])

        yield asking


@pytest.mark.parametrize(
    "question",
    [
        "信息科的内线电话是多少？",
        "信息科负责人是谁？",
        "财务科的电话",
        "What is the extension of Finance?",
        "医生夜班从几点到几点？",
        "四号机的额定功率是多少？",
        "一次风机的电机功率是多少？",
        "引风机的额定电流是多少？",
        "What was the revenue in Q3?",
    ],
)
async def test_value_of_another_thing_is_no_answer(ask: Any, question: str) -> None:
    result = await ask(question)
    assert result["status"] == "insufficient"
    assert result["citations"] == []


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("设备科的内线电话是多少？", "8021"),
        ("What is the extension of Human Resources?", "4422"),
        ("护士夜班从几点到几点？", "20:00"),
        ("3号机的额定功率是多少？", "330 MW"),
        ("#3机额定功率多少", "330 MW"),
        ("二次风机的电机功率是多少？", "200 kW"),
        ("送风机的额定电流是多少？", "42 A"),
        ("What was the revenue in Q2?", "13.1"),
    ],
)
async def test_value_of_the_thing_is_answered(ask: Any, question: str, value: str) -> None:
    result = await ask(question)
    assert result["status"] == "answered"
    assert value in result["statements"][0]["text"]


async def test_values_of_other_things_beside_the_answer_are_not_quoted(ask: Any) -> None:
    [statement] = (await ask("3号机的额定功率是多少？"))["statements"]
    assert statement["text"] == "三号机额定功率为 330 MW。"


async def test_cost_that_is_nowhere_is_missing_beside_the_half_that_is_answered(ask: Any) -> None:
    result = await ask("How often is the seal replaced and what does a seal cost?")
    assert result["status"] == "partial"
    assert "8000" in result["answer"]
    assert any("cost" in str(each) for each in result["missing"])
