from collections.abc import Sequence
from dataclasses import replace

import pytest
from fakes import FakeEmbedder, FakeReranker, knowledge_base, plant
from memory_kb import MemoryKnowledgeBase, passage

from graphs.evidence.passages import Passage
from graphs.policy import Policy, Profile
from graphs.ports import Background, Candidate, RerankQuery
from graphs.retrieval.hybrid import HybridSearch
from graphs.retrieval.second import SecondSearch

POLICY = Policy()
ALL = Profile("all", 0.0, 50, 0.6, 0.4)
UNRANKED = HybridSearch(FakeEmbedder(), None, POLICY)


class Ranked(FakeReranker):
    """Gives each passage the raw score that its text is listed with, else -9."""

    def __init__(self, scores: dict[str, float]) -> None:
        self.scores = scores
        self.queries: list[RerankQuery] = []

    def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
        self.queries.append(query)
        return [
            next((s for part, s in self.scores.items() if part in c.passage.text), -9.0)
            for c in candidates
        ]


def search(scores: dict[str, float] | None = None) -> HybridSearch:
    reranker = FakeReranker() if scores is None else Ranked(scores)
    return HybridSearch(FakeEmbedder(), reranker, POLICY)


def texts(items: Sequence[object]) -> list[str]:
    return [item.passage.text for item in items]  # type: ignore[attr-defined]


async def test_threshold_is_applied_to_the_calibrated_score() -> None:
    finder = search({"额定压力": 2.0, "处理措施": -1.0, "检修记录": -2.0})
    profile = Profile("p", 0.2, 10, 0.6, 0.4)
    found = await finder.search(knowledge_base(), "一号泵", profile)
    assert [item.score for item in found.evidence] == [0.881, 0.269]
    assert len(found.ranked) > 2


@pytest.mark.parametrize(("keeps", "profile"), [(True, ALL), (False, replace(ALL, rerank=False))])
async def test_fused_order_stands_under_calibrated_scores(keeps: bool, profile: Profile) -> None:
    given = {"额定压力": -1.0, "处理措施": 2.0, "检修记录": -2.0}
    finder = replace(search(given), keeps_fused_order=keeps)
    found = await finder.search(knowledge_base(), "一号泵", profile)
    fused = [hit.score for hit in found.trace.fused]
    assert len(set(fused)) > 5
    places = {hit.id: hit.score for hit in found.trace.fused}
    assert [places[item.passage.id] for item in found.ranked] == sorted(fused, reverse=True)
    by_text = {item.passage.text: item.score for item in found.ranked}
    assert {next(s for t, s in by_text.items() if part in t) for part in given} == {
        0.269, 0.881, 0.119,
    }  # fmt: skip


async def test_top_n_bounds_what_is_found() -> None:
    found = await search().search(knowledge_base(), "泵", replace(ALL, top_n=4))
    assert len(found.evidence) == 4


async def test_measured_background_calibrates_and_a_small_one_does_not() -> None:
    class Measured(MemoryKnowledgeBase):
        pairs = 200

        async def background(self, fingerprint: str) -> Background | None:
            return Background(mean=2.0, deviation=1.0, pairs=self.pairs)

    base = Measured(FakeEmbedder(), plant())
    finder = HybridSearch(FakeEmbedder(), FakeReranker(), POLICY)
    assert (await finder.search(base, "泵", ALL)).evidence[0].score == 0.5
    base.pairs = 199
    assert (await finder.search(base, "泵", ALL)).evidence[0].score == 0.881


async def test_exact_code_is_a_hit_by_itself() -> None:
    coded = passage("无相同字词。", section=("QX-2025-094",), document_id="x")
    base = knowledge_base([*plant(), coded])
    found = await UNRANKED.search(base, "QX-2025-094 锅炉给水的温度", ALL)
    assert found.evidence[0].passage.id == coded.id
    assert found.evidence[0].score == 1.0


async def test_every_candidate_has_both_scores_whatever_door_it_came_by() -> None:
    finder = HybridSearch(FakeEmbedder(), None, replace(POLICY, candidates=1))
    found = await finder.search(knowledge_base(), "锅炉给水的温度由自动装置调节", ALL)
    for item in found.ranked:
        assert item.dense > 0
        assert item.score == pytest.approx(0.6 * item.dense + 0.4 * item.keyword, abs=0.002)


async def test_without_vectors_the_keyword_score_counts_alone() -> None:
    base = knowledge_base()
    base.dense_broken = True
    found = await UNRANKED.search(base, "锅炉给水温度", ALL)
    assert not found.dense_available
    assert found.evidence[0].score == pytest.approx(found.evidence[0].keyword, abs=0.001)


async def test_query_without_words_finds_nothing_by_keyword_and_does_not_fail() -> None:
    found = await search().search(knowledge_base(), "的？", ALL)
    assert all(item.keyword == 0 for item in found.ranked)


# The second retrieval


def chain(count: int, document: str = "d") -> list[Passage]:
    """Return the sections of one document, each about something else."""
    subjects = "甲乙丙丁戊己庚辛壬癸"
    return [
        passage(f"{subjects[n] * 3}设备的说明文字。", section=(subjects[n],), document_id=document,
                ordinal=n)
        for n in range(count)
    ]  # fmt: skip


async def second(
    finder: HybridSearch,
    base: MemoryKnowledgeBase,
    queries: Sequence[str],
    seen: Sequence[Passage] = (),
    profile: Profile = POLICY.precise,
) -> tuple[list[str], str]:
    found = await SecondSearch(finder).find(base, queries, profile, 1, seen)
    return texts(found.evidence), found.note


async def test_gap_query_adds_at_most_five_passages() -> None:
    class ByQuery(FakeReranker):
        def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
            main = query.text == "主"
            return [3.0 if ("泵" in c.passage.text) == main else -9.0 for c in candidates]

    finder = HybridSearch(FakeEmbedder(), ByQuery(), POLICY)
    pumps = sum("泵" in item.text for item in plant())
    found, note = await second(finder, knowledge_base(), ["主", "补"], profile=ALL_NEW)
    assert sum("泵" in text for text in found) == pumps
    assert sum("泵" not in text for text in found) == POLICY.gap_candidates
    assert note == ""


ALL_NEW = Profile("precise", 0.2, 50, 0.6, 0.4)


async def test_three_new_passages_are_enough() -> None:
    finder = search({"甲甲": 2.0, "乙乙": 2.0, "丙丙": 2.0})
    found, note = await second(finder, knowledge_base(chain(6)), ["设备"])
    assert (len(found), note) == (3, "")


async def test_too_few_passages_are_widened_by_the_next_sections() -> None:
    sections = chain(8)
    scores = {"乙乙": 2.0, "丙丙": 1.5}

    class Follows(Ranked):
        """Scores what follows a passage only when it comes as a next section, on its own."""

        def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
            if len(candidates) <= 3:
                return [1.0] * len(candidates)
            return super().score(query, candidates)

    finder = HybridSearch(FakeEmbedder(), Follows(scores), POLICY)
    found, note = await second(finder, knowledge_base(sections), ["设备"], sections[:1])
    assert note == "widened: next sections"
    assert set(found) == {sections[n].text for n in (1, 2, 3)}


async def test_last_step_halves_the_threshold_and_goes_no_lower() -> None:
    scores = {"甲甲": -1.8, "乙乙": -2.5}
    found, note = await second(search(scores), knowledge_base(chain(6)), ["设备"])
    assert found == [chain(1)[0].text]
    assert note == "widened: next sections, duplicate limit 0.85, threshold 0.1"
    low = Profile("precise", 0.08, 10, 0.6, 0.4)
    found, note = await second(
        search({"甲甲": -2.9, "乙乙": -3.0}), knowledge_base(chain(6)), ["设备"], profile=low
    )
    assert note.endswith("threshold 0.05")
    assert found == [chain(1)[0].text]


async def test_copy_of_a_seen_passage_is_nothing_new() -> None:
    text = "循环水系统的滤网需要清理干净并且记录在值班日志里面，之后由值长确认签字再归档保存备查。"
    seen, copy = (passage(text, document_id=d, section=(d,)) for d in ("a", "b"))
    found, note = await second(
        search({"循环水": 2.0}), knowledge_base([seen, copy]), ["滤网"], [seen]
    )
    assert (found, note) == ([], "nothing new was found")


async def test_new_passage_carries_its_round() -> None:
    found = await SecondSearch(search()).find(knowledge_base(), ["泵"], POLICY.precise, 2, [])
    assert {item.round for item in found.evidence} == {2}


async def test_seen_passages_leave_their_places_to_the_next_candidates() -> None:
    items = plant()
    finder = HybridSearch(FakeEmbedder(), FakeReranker(), replace(POLICY, candidates=1))
    base = knowledge_base([replace(item, document_id=item.id) for item in items])
    first = (await finder.search(base, "锅炉给水的温度", ALL)).evidence
    found, note = await second(finder, base, ["锅炉给水的温度"], [e.passage for e in first])
    assert found
    assert not set(found) & set(texts(first))
    assert "next sections" in note
