"""What the embedded reasoner must show on the sample knowledge bases: behaviours, no strings.

Real stores, real embedder, no model. The wordings below go beyond those of the contract.
"""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.ingest.reports import Source
from app.settings import Settings
from app.wiring import OpenServices, open_services

pytestmark = pytest.mark.asyncio(loop_scope="module")

EXAMPLES = Path(__file__).parents[2] / "examples"
BASES = {"power-plant": "power_plant", "travel": "travel_policy"}
BROADEN = ["rewrite_broaden", "retrieve_broaden", "grade_broaden"]


def fold(text: str) -> str:
    return re.sub(r"\s", "", text).lower()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenServices]:
    data_dir = tmp_path_factory.mktemp("samples")
    async with open_services(Settings(data_dir=data_dir, llm="off", _env_file=None)) as opened:
        for kb, folder in BASES.items():
            files = sorted(p for p in (EXAMPLES / folder).iterdir() if p.suffix in (".md", ".txt"))
            report = await opened.indexer.ingest(
                kb, [Source(p.name, p.read_bytes()) for p in files]
            )
            assert report.count("added") == len(files)
        yield opened


async def ask(
    services: OpenServices, kb: str, question: str, thread: str = "", **options: Any
) -> dict[str, Any]:
    config = {"configurable": {"thread_id": thread or f"{kb}-{question}-{options}"}}
    state = await services.graph.ainvoke(
        {"question": question, "kb": kb, "options": options}, config
    )
    result: dict[str, Any] = state["result"]
    return result


def cited(result: dict[str, Any]) -> str:
    return " ".join(" ".join((c["title"], *c["section"])) for c in result["citations"])


@pytest.mark.parametrize(
    "question",
    [
        "凝汽器真空下降时，运行人员应优先检查哪些系统？",
        "真空下降的时候先检查什么？",
        "凝汽器真空变差，应该按什么顺序排查？",
    ],
)
async def test_check_order_question_is_answered_at_once_with_all_five_points(
    services: OpenServices, question: str
) -> None:
    result = await ask(services, "power-plant", question)
    assert result["status"] == "answered"
    assert result["path"][1:3] == ["retrieve_initial", "grade_initial"]
    assert len(result["retrievals"]) == 1
    for point in ("循环水系统", "抽真空系统", "真空严密性", "端差", "负荷控制与保护"):
        assert point in result["answer"]
    assert "异常处理规程" in cited(result)


async def test_why_what_found_and_what_done_are_answered_from_both_documents(
    services: OpenServices,
) -> None:
    question = (
        "高温高负荷期间，凝汽器侧参数变差，同时循环水旋转滤网压差升高。"
        "请说明这类问题为什么会影响真空，并找出缺陷记录中的现场检查结果和处理措施。"
    )
    result = await ask(services, "power-plant", question)
    assert result["status"] == "answered"
    for point in ("真空下降", "冲洗水压力不足", "附着杂物", "提高冲洗水压力", "人工辅助清理"):
        assert point in result["answer"]
    assert "QX-2025-094" in cited(result)
    assert "异常处理规程" in cited(result)


async def test_question_of_three_topics_is_searched_by_topic_and_answered_whole(
    services: OpenServices,
) -> None:
    topics = ("真空严密性试验多久做一次？", "操作票保存多长时间？", "循环水余氯控制在多少？")
    result = await ask(services, "power-plant", "".join(topics))
    assert result["status"] == "answered"
    assert len(result["retrievals"]) == 1
    assert set(topics) <= set(result["retrievals"][0]["queries"])
    for point in ("每月进行一次", "操作票和工作票保存 1 年", "0.1～0.3 mg/L"):
        assert point in result["answer"]


@pytest.mark.parametrize(
    "question",
    [
        "值班员说“汽机尾部参数不对劲，负荷越高越明显，投入备用辅机后只改善了一点”。"
        "请从知识库中判断它可能对应哪些历史缺陷，并按优先级列出排查方向。",
    ],
)
async def test_colloquial_report_is_broadened_inside_its_domain(
    services: OpenServices, question: str
) -> None:
    result = await ask(services, "power-plant", question)
    assert result["path"][3:6] == BROADEN
    assert result["decisions"][0]["decision"] == "retry_broaden"
    assert result["status"] == "answered"
    for code in ("QX-2025-071", "QX-2025-094", "QX-2025-088", "QX-2025-103"):
        assert code in result["answer"]
    for foreign in ("燃气轮机", "炉膛", "给水泵"):
        assert foreign not in result["answer"]


@pytest.mark.parametrize(
    "question",
    [
        "How much of the hotel cost is reimbursed when a flight is cancelled because of weather?",
        "航班因天气取消，酒店费用报销多少？",
        "Weather cancelled my flight - what share of the hotel do I get back?",
    ],
)
async def test_weather_cancellation_is_answered_from_the_current_version(
    services: OpenServices, question: str
) -> None:
    result = await ask(services, "travel", question)
    assert result["status"] == "answered"
    assert "100%" in fold(result["answer"])
    current = [c for c in result["citations"] if not c["superseded"]]
    assert current
    assert "POL-2024-07" in current[0]["title"]
    if any(c["superseded"] for c in result["citations"]):
        assert "outdated_info" in [w["code"] for w in result["warnings"]]
    else:
        assert "80 %" not in result["answer"]


async def test_superseded_version_is_cited_only_as_outdated(services: OpenServices) -> None:
    question = (
        "Under POL-2023-05, how much of the hotel cost was paid when weather cancelled a flight?"
    )
    result = await ask(services, "travel", question)
    assert result["status"] == "answered"
    assert all(c["superseded"] for c in result["citations"])
    assert "outdated_info" in [w["code"] for w in result["warnings"]]
    assert result["answer"].startswith("Note:")


@pytest.mark.parametrize(
    ("kb", "question", "held", "missing"),
    [
        (
            "power-plant",
            "QX-2025-094 的处理措施是什么？这次处理花了多少钱？",
            "提高冲洗水压力",
            "钱",
        ),
        (
            "travel",
            "What does the travel insurance cover, and what is the maximum sum insured per person?",
            "insurance",
            "sum insured",
        ),
    ],
)
async def test_half_held_question_is_partial_and_names_the_missing_half(
    services: OpenServices, kb: str, question: str, held: str, missing: str
) -> None:
    result = await ask(services, kb, question)
    assert result["status"] == "partial"
    assert held in result["answer"]
    assert any(missing in entry["content"] for entry in result["missing"])
    assert [s["status"] for s in result["sub_questions"]] == ["answered", "missing"]


@pytest.mark.parametrize(
    ("kb", "question"),
    [
        ("power-plant", "谁是2024年诺贝尔物理学奖得主？"),
        ("power-plant", "感冒发烧吃什么药好？"),
        ("power-plant", "冷却塔填料结冰了怎么处理？"),
        ("travel", "What is the penalty for losing a laptop?"),
        ("travel", "How many weeks of parental leave does the company grant?"),
    ],
)
async def test_unanswerable_question_is_declined_with_a_ledger(
    services: OpenServices, kb: str, question: str
) -> None:
    result = await ask(services, kb, question)
    assert result["status"] == "insufficient"
    assert result["statements"] == []
    assert result["citations"] == []
    assert not any(node.startswith("generate") for node in result["path"])
    assert result["missing"]
    assert all(entry["suggestion"] and entry["searched"] for entry in result["missing"])


@pytest.mark.parametrize("question", ["你好", "Hello!", "谢谢，辛苦了", "你能做什么？"])
async def test_courtesy_and_service_talk_retrieve_nothing(
    services: OpenServices, question: str
) -> None:
    result = await ask(services, "power-plant", question)
    assert result["status"] == "direct"
    assert result["path"] == ["analyze_query", "answer_directly", "finalize"]
    assert result["retrievals"] == []


async def test_follow_up_is_understood_and_starts_from_clean_fields(
    services: OpenServices,
) -> None:
    first = await ask(services, "power-plant", "QX-2025-094 的现场检查结果是什么？", "follow")
    second = await ask(services, "power-plant", "那它的处理措施呢？", "follow")
    third = await ask(services, "power-plant", "验证结果呢？", "follow")
    assert "附着杂物" in first["answer"]
    assert "QX-2025-094" in second["question_resolved"]
    assert "提高冲洗水压力" in second["answer"]
    assert "压差降到 80 mm" in third["answer"]
    assert len(third["decisions"]) == len(third["retrievals"]) == 1


async def test_follow_up_without_a_past_is_asked_back(services: OpenServices) -> None:
    result = await ask(services, "power-plant", "那它的处理措施呢？")
    assert result["status"] == "direct"
    assert [w["code"] for w in result["warnings"]] == ["unresolved_reference"]
    assert result["retrievals"] == []


async def test_conflicting_sources_are_both_cited_with_a_warning(services: OpenServices) -> None:
    texts = {
        "a.md": "# 阀门手册\n\n## 安全阀\n\n安全阀的整定压力为 1.25 MPa，每年校验一次。",
        "b.md": "# 检修说明\n\n## 安全阀\n\n安全阀的整定压力为 1.35 MPa，每年校验一次。",
    }
    await services.indexer.ingest("valves", [Source(n, t.encode()) for n, t in texts.items()])
    result = await ask(services, "valves", "安全阀的整定压力是多少？")
    assert result["status"] == "answered"
    assert "1.25 MPa" in result["answer"]
    assert "1.35 MPa" in result["answer"]
    assert "conflicting_evidence" in [w["code"] for w in result["warnings"]]


async def test_empty_knowledge_base_says_how_to_fill_it(services: OpenServices) -> None:
    await services.library.create("empty-base")
    result = await ask(services, "empty-base", "真空下降怎么办？")
    assert result["status"] == "insufficient"
    assert "youju ingest" in result["answer"]


async def test_excluded_documents_are_never_cited(services: OpenServices) -> None:
    documents = {d.name: d.id for d in await services.library.documents("travel")}
    result = await ask(
        services,
        "travel",
        "How much of the hotel cost is reimbursed when a flight is cancelled because of weather?",
        exclude_documents=[documents["policy-2024-07.md"]],
    )
    assert documents["policy-2024-07.md"] not in [c["document_id"] for c in result["citations"]]


async def test_all_sample_questions_keep_their_quality(services: OpenServices) -> None:
    """Floors a little under what was measured: false answers are what must not grow."""
    false_answers, points, found, right, count = [], 0, 0, 0, 0
    for kb, folder in BASES.items():
        lines = (EXAMPLES / folder / "questions.jsonl").read_text("utf-8").splitlines()
        for item in map(json.loads, lines):
            if "follows" in item:
                continue
            result = await ask(services, kb, item["question"])
            answer = fold(result["answer"])
            count += 1
            right += result["status"] == item["expect"]
            if item["expect"] == "insufficient":
                false_answers += [item["id"]] * (result["status"] != "insufficient")
            elif item["expect"] in ("answered", "partial"):
                points += len(item["points"])
                found += sum(any(fold(p) in answer for p in group) for group in item["points"])
            for citation in result["citations"]:
                text = await (await services.library.open(kb)).canonical_text(
                    citation["document_id"], citation["version"]
                )
                assert text is not None
                assert text[citation["start"] : citation["end"]] == citation["quote"]
            for statement in result["statements"]:
                span = result["answer"][statement["start"] : statement["end"]]
                assert span == statement["text"]
    assert len(false_answers) <= 3, false_answers
    assert found / points >= 0.68
    assert right / count >= 0.70


async def test_number_that_names_a_thing_is_not_any_other_number(services: OpenServices) -> None:
    """ "Part 5" must not be answered with another part that weighs 5 kg."""
    parts = "\n\n".join(
        f"## Part {j}\n\nPart {j} of M-1 weighs {j + 1} kg and is checked every {j + 2} weeks."
        for j in range(1, 9)
    )
    await services.indexer.ingest("machine", [Source("m.md", f"# Machine M-1\n\n{parts}".encode())])
    result = await ask(services, "machine", "How many kg does part 5 of M-1 weigh?")
    assert result["status"] == "answered"
    assert "Part 5 of M-1 weighs 6 kg" in result["answer"]
    assert "Part 4" not in result["answer"]


async def test_endless_question_is_read_in_bounded_time_and_parts(services: OpenServices) -> None:
    question = " ".join(f"What is the limit of valve number {i} in hall {i}?" for i in range(200))
    result = await ask(services, "power-plant", question[:4000])
    assert len(result["sub_questions"]) <= 8
    assert result["usage"]["elapsed_ms"] < 10_000
    repeated = "请说明一号泵启动前油位的要求，以及停机后多少分钟内关闭出口门。" * 100
    result = await ask(services, "power-plant", repeated)
    assert len(result["sub_questions"]) <= 3


async def test_step_list_of_another_matter_is_no_procedure(services: OpenServices) -> None:
    """An item that only mentions the subject does not make its whole list the answer."""
    text = (
        "# 病房手册\n\n## 入院护理\n\n1. 核对腕带上的姓名和住院号。\n2. 评估跌倒风险和压疮风险。\n"
        "3. 介绍呼叫铃和卫生间。\n\n## 探视\n\n探视时间为每日 15:00 至 17:00。\n"
    )
    await services.indexer.ingest("ward", [Source("ward.md", text.encode())])
    assert (await ask(services, "ward", "患者跌倒后怎么处理？"))["status"] == "insufficient"
    steps = await ask(services, "ward", "入院护理的步骤是什么？")
    assert steps["status"] == "answered"
    assert "1. 核对腕带" in steps["answer"]
    assert "3. 介绍呼叫铃" in steps["answer"]
    assert "15:00" in (await ask(services, "ward", "什么时候可以探视？"))["answer"]
