"""Questions of a year, and disagreements that are none: real stores, embedded reasoner."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import OpenServices, open_services

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEAVE = (
    "# Leave Policy {year}\n\nDocument: HR-LV-{year}-01\n{note}Effective: {year}-01-01\n\n"
    "## Annual leave\n\nEmployees get {days} days of annual leave per year.\n"
)
TRAVEL = (
    "# 差旅报销管理办法（{year}年版）\n\n文号：CL-{year}-01{note}\n\n"
    "## 报销期限\n\n出差结束后 {days} 天内提交报销单。\n"
)
REPORT = (
    "# Annual report 2023\n\n## Budget\n\nThe budget was 1.2 million EUR in 2022. "
    "The budget was 1.5 million EUR in 2023.\n"
)
PARTS = "编号,名称,供应商,库存,单价\n" + "".join(
    f"B{i:04d},空气滤芯,供应商{'甲乙丙丁'[i % 4]},{i}件,{3 * i}元\n" for i in range(1, 120)
)
CARE = "# 保养手册\n\n" + "".join(
    f"## {name}\n\n{name}在正常工况下每运行 {hours} 小时必须由检修人员更换一次，更换后应记录。\n\n"
    for name, hours in (("空气滤芯", 500), ("油过滤器", 250), ("油气分离器", 2000))
)
SCORES = "# 供应商评分\n\n" + "".join(
    f"## 供应商{name}\n\n质量得分：{80 + i}分\n交付得分：{70 + i}分\n\n"
    for i, name in enumerate("甲乙丙丁戊")
)
BASES = {
    "leave": {
        "leave-policy-2023.md": LEAVE.format(year=2023, days=20, note=""),
        "leave-policy-2024.md": LEAVE.format(year=2024, days=24, note="Supersedes HR-LV-2023-01\n"),
    },
    "trips": {
        "trips-2023.md": TRAVEL.format(year=2023, days=30, note=""),
        "trips-2024.md": TRAVEL.format(year=2024, days=15, note="，代替 CL-2023-01。"),
    },
    "report": {"report.md": REPORT},
    "parts": {"parts.csv": PARTS},
    "care": {"care.md": CARE},
    "scores": {"scores.md": SCORES},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenServices]:
    data_dir = tmp_path_factory.mktemp("years")
    async with open_services(Settings(data_dir=data_dir, llm="off", _env_file=None)) as opened:
        for kb, files in BASES.items():
            await opened.indexer.ingest(kb, [Source(n, t.encode()) for n, t in files.items()])
        yield opened


async def ask(services: OpenServices, kb: str, question: str) -> dict[str, Any]:
    config = {"configurable": {"thread_id": f"{kb}-{question}"}}
    state = await services.graph.ainvoke({"question": question, "kb": kb}, config)
    result: dict[str, Any] = state["result"]
    return result


def warned(result: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in result["warnings"]]


@pytest.mark.parametrize(
    ("kb", "question", "right", "wrong"),
    [
        ("leave", "How many days of annual leave does Leave Policy 2023 give?", "20", "24 days"),
        ("leave", "How many days of annual leave were there in 2023?", "20", "24 days"),
        ("leave", "In 2023, how many days of annual leave did employees get?", "20", "24 days"),
        ("trips", "2023年版的差旅报销期限是多少天？", "30", "15 天"),
    ],
)
async def test_year_of_an_older_version_is_answered_from_it_and_marked(
    services: OpenServices, kb: str, question: str, right: str, wrong: str
) -> None:
    result = await ask(services, kb, question)
    assert result["status"] == "answered"
    assert right in result["answer"]
    assert wrong not in result["answer"]
    assert "outdated_info" in warned(result)


@pytest.mark.parametrize(
    "question",
    [
        "How many days of annual leave does Leave Policy 2024 give?",
        "How many days of annual leave do employees get?",
    ],
)
async def test_current_version_is_answered_without_a_mark(
    services: OpenServices, question: str
) -> None:
    result = await ask(services, "leave", question)
    assert result["status"] == "answered"
    assert "24 days" in result["answer"]
    assert warned(result) == []


@pytest.mark.parametrize(
    ("kb", "question"),
    [
        ("leave", "How many days of annual leave does Leave Policy 2022 give?"),
        ("leave", "How many days of annual leave were there in 2022?"),
        ("trips", "2022年版差旅办法的报销期限是多少？"),
    ],
)
async def test_year_of_no_version_is_declined_and_named(
    services: OpenServices, kb: str, question: str
) -> None:
    result = await ask(services, kb, question)
    assert result["status"] == "insufficient"
    assert any("2022" in entry["content"] for entry in result["missing"])


@pytest.mark.parametrize(
    ("year", "amount", "other"), [("2022", "1.2", "1.5"), ("2023", "1.5", "1.2")]
)
async def test_year_inside_a_report_picks_its_sentence(
    services: OpenServices, year: str, amount: str, other: str
) -> None:
    result = await ask(services, "report", f"What was the budget in {year}?")
    assert result["status"] == "answered"
    assert amount in result["answer"]
    assert other not in result["answer"]


async def test_year_that_a_report_does_not_state_is_declined(services: OpenServices) -> None:
    assert (await ask(services, "report", "What was the budget in 2021?"))["statements"] == []


@pytest.mark.parametrize(
    ("kb", "question"),
    [
        ("parts", "空气滤芯的单价是多少？"),
        ("care", "空气滤芯和油过滤器分别多久更换一次？"),
        ("scores", "供应商甲的质量得分是多少？"),
    ],
)
async def test_rows_records_and_things_beside_each_other_are_no_conflict(
    services: OpenServices, kb: str, question: str
) -> None:
    result = await ask(services, kb, question)
    assert "conflicting_evidence" not in warned(result)
    assert result["assessment"]["dimensions"]["consistency"] == 1.0
