"""Questions about what another question finds, through the real graph: real stores, no model."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import OpenServices, open_services

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHINESE = {
    "审批分工.md": """# 审批分工

## 差旅
差旅申请由综合管理部负责审批，每周二集中办理一次。

## 采购
采购申请由物资供应部负责审批，金额超过五万元的须附三家报价。

## 培训
培训申请由人力资源部负责审批，须提前十个工作日提出。
""",
    "部门名录.md": """# 部门名录

## 综合管理部
综合管理部的主管是沈一鸣。部门设在办公楼三层东侧。

## 物资供应部
物资供应部的主管是顾长风。部门设在仓库二层。

## 人力资源部
人力资源部设在办公楼一层，设有接待窗口。
""",
    "通讯录.md": """# 通讯录

| 姓名 | 职务 | 电话 |
|---|---|---|
| 沈一鸣 | 主管 | 6021 |
| 顾长风 | 主管 | 6035 |
| 方知秋 | 干事 | 6047 |
""",
    "食堂.md": "# 食堂\n\n食堂每天十一点开放，周末不供应晚餐。\n",
    "班车.md": "# 班车\n\n班车早晨七点十分从北门发车，途经火车站。\n",
}
ENGLISH = {
    "approvals.md": """# Approvals

## Travel
Travel requests are approved by the Finance Department. Send them ten days ahead.

## Purchases
Purchase orders are approved by the Supply Department.

## Training
Training requests are approved by the Talent Department.
""",
    "departments.md": """# Departments

## Finance Department
The Finance Department is headed by Nora Feld. Its rooms are on the third floor.

## Supply Department
The Supply Department is headed by Tom Arden. Its rooms are beside the store.

## Talent Department
The Talent Department has its rooms on the ground floor.
""",
    "phones.md": """# Phone numbers

| Name | Phone |
|---|---|
| Nora Feld | 4410 |
| Tom Arden | 4425 |
| Lena Moor | 4431 |
""",
    "canteen.md": "# Canteen\n\nThe canteen opens at eleven and serves no dinner at weekends.\n",
    "shuttle.md": "# Shuttle\n\nThe shuttle bus leaves the north gate at ten past seven.\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenServices]:
    data_dir = tmp_path_factory.mktemp("hops")
    async with open_services(Settings(data_dir=data_dir, llm="off", _env_file=None)) as opened:
        for kb, files in (("zh", CHINESE), ("en", ENGLISH)):
            await opened.indexer.ingest(kb, [Source(n, t.encode()) for n, t in files.items()])
        yield opened


async def ask(services: OpenServices, kb: str, question: str, **options: Any) -> dict[str, Any]:
    config = {"configurable": {"thread_id": f"{kb}-{question}-{options}"}}
    state = await services.graph.ainvoke(
        {"question": question, "kb": kb, "options": options}, config
    )
    result: dict[str, Any] = state["result"]
    return result
