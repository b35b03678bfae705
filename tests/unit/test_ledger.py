from typing import Any

import pytest
from evidence_parts import evidence, facet, passage
from llm_parts import READING, case

from graphs.ask.records import Assessment, Missing, Nearest, Retrieval
from graphs.evidence.ledger import Ledger, missing_of, nearest_of, refusal_text, what_became
from graphs.evidence.passages import Passage


def assessed(**more: Any) -> Assessment:
    values = {
        "evidence_score": 0.3, "confidence": 0.2, "confidence_covered": 0.2, "calibrated": False,
        "threshold": 0.7, "best": 0.4, "holds_subject": True, "covered": {}, "gaps": [],
        "dimensions": {"relevance": 0.3, "coverage": 0.0, "consistency": 1.0, "freshness": 1.0},
    }  # fmt: skip
    return Assessment(**(values | more))  # type: ignore[typeddict-item]


FACETS = [
    facet("f1", "entity", text="循环水泵", terms=["循环", "水泵"], required=False),
    facet("f2", text="检修周期", terms=["检修", "周期"], field="count"),
]


def whys(*passages: Passage, **more: Any) -> list[str]:
    found = nearest_of(
        case(facets=FACETS, evidence=[evidence(p) for p in passages]), READING, assessed(**more)
    )
    return [entry["why"] for entry in found]


def test_each_nearest_passage_has_its_own_reason() -> None:
    about = passage("循环水泵由汽机部负责。", "a")
    other = passage("给煤机的检修周期为 12 个月。", "b")
    old = passage("循环水泵每班巡检。", "c", superseded_by="d9")
    assert whys(about, other, old) == [
        "涉及主题，但没有给出：检修周期",
        "没有涉及问题的主题：循环水泵",
        "涉及主题，但没有给出：检修周期、已被新版本取代",
    ]


def test_passage_in_another_language_is_judged_by_what_all_passages_lack() -> None:
    english = passage("The feed pump is kept by the turbine team.", "a")
    gap = {"type": "missing_entity", "content": "循环水泵", "facet": "f1", "confidence": 0.9}
    assert whys(english) == ["涉及主题，但没有给出：检修周期"]
    assert whys(english, holds_subject=False, gaps=[gap | {"suggestion": ""}]) == [
        "没有涉及问题的主题：循环水泵"
    ]


def test_only_the_three_nearest_are_named_best_first() -> None:
    items = [evidence(passage(f"循环水泵第{n}条", f"p{n}"), score=n / 10) for n in range(5)]
    found = nearest_of(case(facets=FACETS, evidence=items), READING, assessed())
    assert [entry["passage"] for entry in found] == ["p4", "p3", "p2"]


@pytest.mark.parametrize(
    ("field", "zh", "en"),
    [
        ("amount", "标准、报价或合同", "rate table"),
        ("person", "职责分工", "list of duties"),
        ("cause", "报告或缺陷记录", "explains"),
        ("procedure", "规程、流程", "manual"),
        ("list", "清单或目录", "catalogue"),
        ("definition", "术语表", "glossary"),
        ("label", "文件或记录", "document or record"),
        ("", "文件或记录", "document or record"),
    ],
)
def test_missing_part_names_the_kind_of_document_that_would_say_it(
    field: str, zh: str, en: str
) -> None:
    open_ = [facet("f", text="这一项", field=field)]
    for language, words in (("zh", zh), ("en", en)):
        [entry] = missing_of(open_, {}, [], [], ["q"], language)  # type: ignore[arg-type]
        assert words in entry["suggestion"]
        assert "这一项" in entry["suggestion"]


def retrieval(profile: str, *queries: str, new: int = 2) -> Retrieval:
    return Retrieval(
        node=f"retrieve_{profile}", queries=list(queries), profile=profile, hits=5, new=new, note=""
    )


SUBS: list[Any] = [
    {"id": "q1", "text": "谁负责？", "depends_on": []},
    {"id": "q2", "text": "周期多长？", "depends_on": []},
]
PARTS = [facet("f1", sub_question="q1"), facet("f2", sub_question="q2")]
LEDGER = Ledger(
    retrievals=[retrieval("initial", "q1?"), retrieval("broaden", "x", "y", new=0)],
    nearest=[
        Nearest(passage="p", document_id="d", title="T", section=["A", "B"], score=0.3, why="w")
    ],
    missing=[
        Missing(type="missing_field", content=c, suggestion=s, searched=[])
        for c, s in (("m1", "s1"), ("m2", "s1"))
    ],
    sub_questions=SUBS,
    facets=PARTS,
    doubtful=["f2"],
    contact="设备部 8830",
)


def test_refusal_accounts_for_everything_in_chinese() -> None:
    assert refusal_text("zh", LEDGER) == (
        "知识库中的证据不足以回答这个问题。\n"
        "各个子问题：\n- 谁负责？：没有依据\n- 周期多长？：有相关段落，但把握不足\n"
        "缺少：\n- m1\n- m2\n"
        "已检索：\n- 第 1 次（按原问题）：q1?（新段落 2 个）\n"
        "- 第 2 次（放宽用词）：x；y（新段落 0 个）\n"
        "最接近的内容：\n- T › B：w\n"
        "可补充：\n- s1\n"
        "可咨询：设备部 8830\n"
    )


def test_refusal_accounts_for_everything_in_english() -> None:
    text = refusal_text("en", LEDGER)
    assert "Searched for:\n- 1. as asked: q1? (new passages: 2)\n- 2. in wider terms: x; y" in text
    assert text.endswith("Whom to ask: 设备部 8830\n")


def test_refusal_of_a_single_question_lists_no_parts_and_nothing_that_is_not_known() -> None:
    bare = Ledger(retrievals=[], nearest=[], missing=[], sub_questions=SUBS[:1], facets=PARTS)
    assert refusal_text("en", bare) == (
        "The knowledge base does not hold enough evidence to answer this question.\n"
    )


@pytest.mark.parametrize(
    ("held", "expected"),
    [([], "missing"), (["a"], "partial"), (["a", "b"], "answered"), (["c"], "missing")],
)
def test_sub_question_is_answered_by_all_of_its_required_facets(
    held: list[str], expected: str
) -> None:
    facets = [
        facet("a", sub_question="q1"),
        facet("b", sub_question="q1"),
        facet("c", sub_question="q1", required=False),
    ]
    assert what_became(SUBS[:1], facets, held) == [("谁负责？", expected)]
