"""What is said of a document that was expected: every fate, in both languages."""

from dataclasses import replace

import pytest

from app.why_not_advice import REASONS, Facts, sentences_for
from graphs.policy import Policy

FACTS = Facts(
    fate="not_candidate",
    language="zh",
    policy=Policy(),
    bound=1000,
    position=2,
    reranked=14,
    score=0.134,
    dense=412,
    keyword=None,
    leader="总则",
    lacking=["水泵", "检修"],
    names=["规程", "XH-1"],
)


@pytest.mark.parametrize("fate", REASONS)
@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_fate_has_a_reason_and_advice(fate: str, language: str) -> None:
    facts = replace(FACTS, fate=fate, language=language)  # type: ignore[arg-type] # parametrised
    reason, advice = sentences_for(facts)
    assert advice
    for line in (reason, *advice):
        assert "{" not in line
        assert any("一" <= character <= "鿿" for character in line) or language == "en"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"fate": "found"}, ["排第 2 位", "至多读 5 段"]),
        ({}, ["向量：412；关键词：1,000 名之外", "没有使用：水泵、检修", "kb.yaml"]),
        ({"translated": ["水泵"]}, ["没有使用：水泵、检修", "加一条"]),
        ({"translated": ["水泵", "检修"]}, ["词汇表（kb.yaml 的 glossary）已收录"]),
        ({"matches": False}, ["关键词：没有共同的词"]),
        ({"fate": "threshold"}, ["0.134", "门槛 0.2", "没有使用", "YOUJU_PROFILES__INITIAL"]),
        ({"fate": "duplicate"}, ["《总则》", "YOUJU_NEAR_DUPLICATE（现为 0.75"]),
        ({"fate": "top_n"}, ["排第 14 位", "只收 10 段", "TOP_N"]),
        ({"lacking": [], "scattered": True}, ["分散在该文档的不同段落"]),
        ({"lacking": []}, ["规程、XH-1"]),
        ({"other_language": True}, ["语言不同"]),
        ({"newer": "新规程"}, ["《新规程》取代"]),
        ({"dense_available": False}, ["向量索引目前不可用"]),
    ],
)
def test_facts_decide_what_is_said(change: dict[str, object], told: list[str]) -> None:
    reason, advice = sentences_for(replace(FACTS, **change))  # type: ignore[arg-type] # parametrised
    whole = "\n".join((reason, *advice))
    for part in told:
        assert part in whole


def test_glossary_is_not_advised_where_no_word_is_lacking() -> None:
    _, advice = sentences_for(replace(FACTS, lacking=[], language="en"))
    assert not any("glossary" in line for line in advice)
