from collections.abc import Sequence

import numpy as np
import pytest
from evidence_parts import passage

from graphs.evidence.ranker import (
    FEATURES,
    SHIPPED,
    Ranker,
    character_weight,
    features_of,
    longest_run,
)
from graphs.ports import Candidate, RerankQuery

AXIS = np.eye(4, dtype=np.float32)


def query(text: str, **frequency: int) -> RerankQuery:
    return RerankQuery(text, AXIS[0], 1000, frequency)


def candidate(text: str, **more: float) -> Candidate:
    rows = np.stack([AXIS[1]])
    values = {"dense": 0.3, "keyword": 0.2} | more
    return Candidate(passage(text), sentence_vectors=rows, **values)  # type: ignore[arg-type]


def column(name: str, asked: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
    return [float(x) for x in features_of(asked, candidates)[:, FEATURES.index(name)]]


@pytest.mark.parametrize(
    ("needle", "text", "length"),
    [
        ("安置房补偿", "选择安置房的补偿方式", 3),
        ("安置房补偿", "安置房补偿", 5),
        ("甲", "乙", 0),
        ("", "乙", 0),
        ("abcab", "xxcab", 3),
    ],
)
def test_the_longest_run_is_the_longest_common_substring(
    needle: str, text: str, length: int
) -> None:
    assert longest_run(needle, text) == length


def test_rare_characters_weigh_more_than_common_ones() -> None:
    assert character_weight("阀") > character_weight("的")


def test_a_passage_that_holds_the_words_comes_before_one_that_does_not() -> None:
    asked = query("循环水泵的额定流量", 循环水泵=5, 额定=40, 流量=60)
    good = candidate("循环水泵额定流量为 1200 吨每小时。")
    other = candidate("职工食堂每周三供应面食。")
    scores = SHIPPED.score(features_of(asked, [other, good]))
    assert scores[1] > scores[0]
    assert column("coverage", asked, [other, good]) == [0.0, pytest.approx(1.0)]


def test_the_best_sentence_adds_its_meaning_to_its_words() -> None:
    asked = query("pump flow", pump=5, flow=5)
    rows = np.stack([AXIS[0], AXIS[1]])
    one = Candidate(passage("The pump runs. The flow is 5.", language="en"), 0.1, 0.1, rows)
    assert column("sentence", asked, [one]) == [pytest.approx(1.0 + 0.6 * 0.5, abs=1e-5)]


def test_relative_features_are_deviations_among_the_candidates() -> None:
    asked = query("水泵", 水泵=5)
    pair = [candidate("一。", dense=0.2, keyword=0.5), candidate("二。", dense=0.4, keyword=0.1)]
    assert column("dense_here", asked, pair) == pytest.approx([-1.0, 1.0], abs=1e-3)
    assert column("keyword_here", asked, pair) == pytest.approx([1.0, -1.0], abs=1e-3)
    assert column("dense", asked, pair) == pytest.approx([0.2, 0.4])


def test_numbers_of_the_question_count_where_they_stand() -> None:
    asked = query("2024 年第 12 号通知", 通知=9)
    held = column("numbers", asked, [candidate("2024 年第 12 号。"), candidate("2024 年。")])
    assert held == [1.0, 0.5]
    assert column("numbers", query("通知", 通知=9), [candidate("2024 年。")]) == [0.5]


def test_no_candidates_give_no_rows() -> None:
    assert features_of(query("水泵"), []).shape == (0, len(FEATURES))


def test_a_question_without_words_can_still_be_ranked() -> None:
    rows = features_of(query("？"), [candidate("水泵。")])
    assert np.isfinite(rows).all()


def test_the_score_is_the_weighted_sum() -> None:
    weights = tuple(float(i) for i in range(len(FEATURES)))
    rows = np.ones((2, len(FEATURES)), dtype=np.float32)
    assert Ranker(weights).score(rows).tolist() == [sum(weights)] * 2


def test_shipped_weights_are_non_negative_and_one_per_feature() -> None:
    assert len(SHIPPED.weights) == len(FEATURES)
    assert min(SHIPPED.weights) >= 0
