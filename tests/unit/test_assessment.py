from typing import Any

import pytest
from evidence_parts import evidence, facet, passage
from hypothesis import given
from hypothesis import strategies as st

from graphs.evidence.assessment import assess, best_covering, coverage, features_of, relevance
from graphs.evidence.calibration import (
    BIAS,
    ENOUGH_PAIRS,
    FREE,
    WEIGHTS,
    ConfidenceModel,
    calibrated,
    enough,
)
from graphs.evidence.consistency import consistency, contradictions
from graphs.evidence.freshness import freshness
from graphs.evidence.gaps import KEPT, find_gaps
from graphs.evidence.notes import take_notes, weight
from graphs.evidence.sufficiency import FEW, LARGE, SMALL, Signals, smallness
from graphs.policy import Weights
from graphs.ports import Background, Sigmoid
from graphs.reasoners.base import Reading

UNIT = st.floats(0, 1)


def reading(**more: Any) -> Reading:
    values = {
        "covered": {}, "relevance": {}, "contradictions": [], "claims": 0, "holds_subject": True,
        "bindable": True,
    }  # fmt: skip
    return Reading(**(values | more))


# Relevance and coverage


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([], 0.0),
        ([0.8], 0.8),
        ([1.0, 0.0], 1 / 1.5),
        ([0.0, 1.0], 1 / 1.5),
        ([0.9, 0.6, 0.3], (0.9 + 0.3 + 0.1) / (1 + 1 / 2 + 1 / 3)),
    ],
)
def test_relevance_weighs_by_one_over_rank(scores: list[float], expected: float) -> None:
    assert relevance(scores) == pytest.approx(expected)


@given(st.lists(UNIT, max_size=20))
def test_relevance_lies_between_the_worst_and_the_best(scores: list[float]) -> None:
    value = relevance(scores)
    assert min(scores, default=0.0) - 1e-9 <= value <= max(scores, default=0.0) + 1e-9


@pytest.mark.parametrize(
    ("required", "covered", "expected"),
    [
        (["a", "b"], {"a": ["p"], "b": ["p"]}, 1.0),
        (["a", "b"], {"a": ["p"]}, 0.5),
        (["a", "b"], {"a": ["p"], "b": []}, 0.5),
        (["a"], {"other": ["p"]}, 0.0),
        ([], {}, 1.0),
    ],
)
def test_coverage_is_the_share_of_required_facets_with_a_passage(
    required: list[str], covered: dict[str, list[str]], expected: float
) -> None:
    assert coverage(required, covered) == expected


# Consistency

BASE = "凝汽器真空低于 -87 kPa 时机组应减负荷。"


@pytest.mark.parametrize(
    ("left", "right", "disagree"),
    [
        (BASE, "凝汽器真空低于 -85 kPa 时机组应减负荷。", True),
        (BASE, "凝汽器真空低于 -0.087 MPa 时机组应减负荷。", False),
        (BASE, "凝汽器真空低于 -87 MPa 时机组应减负荷。", True),
        (BASE, "凝汽器真空低于 －87.0 千帕时机组应减负荷。", False),
        (BASE, "循环水泵出口压力低于 -85 kPa 时联锁启动备用泵。", False),
        ("会议室可以使用明火设备。", "会议室不得使用明火设备。", True),
        ("旋转滤网每班冲洗 3 次。", "旋转滤网每班冲洗 4 次。", True),
        ("检修工作于 2025-06-12 完成验收。", "检修工作于 2025年6月13日完成验收。", True),
        ("检修工作于 2025-06-12 完成验收。", "检修工作于 2025年6月12日完成验收。", False),
        ("The hotel cost is reimbursed at 80 %.", "The hotel cost is reimbursed at 100 %.", True),
        ("The hotel cost is reimbursed.", "The hotel cost is not reimbursed.", True),
        ("阀门已关闭并挂牌确认。", "阀门未关闭并挂牌确认。", True),
    ],
)
def test_passages_contradict_where_they_say_another_thing_of_the_same(
    left: str, right: str, disagree: bool
) -> None:
    a, b = passage(left, "a"), passage(right, "b", document_id="d2")
    pairs, compared = contradictions([evidence(a), evidence(b)])
    assert pairs == ([("a", "b")] if disagree else [])
    assert compared > 0 or not disagree


def test_newer_version_replaces_and_does_not_contradict() -> None:
    old = passage("酒店费用按 80% 报销给员工。", "old", document_id="p23", superseded_by="p24")
    new = passage("酒店费用按 100% 报销给员工。", "new", document_id="p24")
    assert contradictions([evidence(old), evidence(new)]) == ([], 0)
    alone = passage("酒店费用按 100% 报销给员工。", "new", document_id="other")
    assert contradictions([evidence(old), evidence(alone)])[0] == [("old", "new")]


def test_records_of_different_codes_are_different_subjects() -> None:
    left = passage("滤网压差升高到 8 kPa 并报警。", "a", codes=("QX-1",))
    right = passage("滤网压差升高到 9 kPa 并报警。", "b", codes=("QX-2",))
    assert contradictions([evidence(left), evidence(right)])[0] == []


@pytest.mark.parametrize(
    ("contradicting", "compared", "expected"), [(0, 0, 1.0), (0, 4, 1.0), (1, 4, 0.75), (5, 4, 0.0)]
)
def test_consistency_is_the_share_of_claims_that_agree(
    contradicting: int, compared: int, expected: float
) -> None:
    assert consistency(contradicting, compared) == expected


# Freshness

OLD = passage("旧规定的内容。", "old", document_id="p23", superseded_by="p24", date="2023-01-01")
NEW = passage("新规定的内容。", "new", document_id="p24", date="2024-07-01")


@pytest.mark.parametrize(
    ("items", "dates", "expected"),
    [
        ([], [], 0.0),
        ([NEW], [], 1.0),
        ([OLD], [], 1.0),
        ([OLD, NEW], [], 0.5),
        ([OLD, NEW], ["2023"], 0.5),
        ([NEW], ["2024-07"], 1.0),
        ([NEW], ["2024-08"], 0.0),
        ([passage("2025年6月12日发现缺陷。")], ["2025-06-12"], 1.0),
        ([passage("2025年6月12日发现缺陷。")], ["2025-06"], 1.0),
        ([passage("2025年6月发现缺陷。")], ["2025-06-12"], 0.0),
        ([passage("消缺记录。", section=("2025年6月",))], ["2025"], 1.0),
        ([passage("消缺记录。", codes=("QX-2025-094",))], ["2025"], 1.0),
        ([passage("流水号 120251 已登记。")], ["2025"], 0.0),
    ],
)
def test_freshness_is_the_share_of_passages_that_fit_the_time(
    items: list[Any], dates: list[str], expected: float
) -> None:
    asked = [facet(f"t{n}", "time", text=date) for n, date in enumerate(dates)]
    assert freshness([evidence(item) for item in items], asked) == expected


# Gaps


@pytest.mark.parametrize(
    ("asked", "covered", "strengths", "conflicts", "stale", "types"),
    [
        ([facet("f")], {"f": ["p"]}, {"f": 0.9}, 0, False, []),
        ([facet("f")], {}, {"f": 0.1}, 0, False, ["missing_field"]),
        ([facet("f")], {}, {"f": 0.4}, 0, False, ["incomplete_answer"]),
        ([facet("f", required=False)], {}, {}, 0, False, []),
        ([facet("t", "time")], {}, {}, 0, False, ["timeline_gap"]),
        ([facet("e", "entity")], {}, {"e": 0.5}, 0, False, ["missing_entity"]),
        ([facet("e", "entity", False)], {}, {"e": 0.1}, 0, False, ["missing_entity"]),
        ([facet("e", "entity", False)], {}, {"e": 0.3}, 0, False, []),
        ([facet("f")], {"f": ["p"]}, {"f": 1.0}, 2, True, ["conflict", "timeline_gap"]),
    ],
)
def test_gaps_name_what_is_missing(
    asked: Any, covered: Any, strengths: Any, conflicts: int, stale: bool, types: list[str]
) -> None:
    gaps = find_gaps(asked, covered, strengths, conflicts, stale)
    assert [gap["type"] for gap in gaps] == types


def test_three_most_certain_gaps_drive_the_queries() -> None:
    asked = [facet(f"f{n}", terms=["词", str(n)]) for n in range(5)]
    strengths = {f"f{n}": n / 10 for n in range(5)}
    gaps = find_gaps(asked, {}, strengths, 0, False)
    assert [gap["facet"] for gap in gaps] == ["f0", "f1", "f2"]
    assert len(gaps) == KEPT
    assert gaps[0]["suggestion"] == "词 0"
    assert [gap["confidence"] for gap in gaps] == [1.0, 0.95, 0.9]


# Notes


@pytest.mark.parametrize(
    ("importance", "round_", "rounds", "expected"),
    [(1.0, 0, 0, 1.0), (0.5, 0, 0, 0.7), (1.0, 0, 2, 0.6), (1.0, 1, 2, 0.8), (0.0, 2, 2, 0.4)],
)
def test_weight_is_six_tenths_importance_and_four_tenths_recency(
    importance: float, round_: int, rounds: int, expected: float
) -> None:
    assert weight(importance, round_, rounds) == pytest.approx(expected)


def test_seven_heaviest_notes_of_each_sub_question_stay() -> None:
    items = [evidence(passage(f"第{n}段", f"p{n}"), score=n / 20) for n in range(10)]
    both = {"f1": [f"p{n}" for n in range(10)], "f2": ["p3"]}
    notes = take_notes(items, both, {"f1": "q1", "f2": "q2"}, {}, 0)
    first = [note["id"] for note in notes if note["sub_question"] == "q1"]
    assert first == [f"p{n}" for n in range(9, 2, -1)]
    assert [note["id"] for note in notes if note["sub_question"] == "q2"] == ["p3"]


def test_notes_tell_what_covers_what_leads_on_and_what_tells_versions_apart() -> None:
    old = passage("旧", "old", superseded_by="x")
    items = [evidence(passage("a", "a")), evidence(old), evidence(passage("b", "b"), 0.9)]
    notes = take_notes(items, {"f": ["a", "old"]}, {"f": "q1"}, {"a": (3, 7)}, 0)
    kinds = {note["id"]: note["kind"] for note in notes}
    assert kinds == {"a": "direct", "old": "disambiguation", "b": "bridge"}
    places = {note["id"]: (note["start"], note["end"]) for note in notes}
    assert places["a"] == (3, 7)
    assert places["b"] == (0, 1)


def test_late_note_outweighs_an_early_one_of_the_same_importance() -> None:
    early = evidence(passage("a", "a"), round=0)
    late = evidence(passage("b", "b"), round=1)
    notes = take_notes([early, late], {"f": ["a", "b"]}, {"f": "q1"}, {}, 1)
    assert [note["id"] for note in notes] == ["b", "a"]


@given(st.lists(st.tuples(UNIT, st.integers(0, 3)), max_size=12), st.integers(0, 3))
def test_weights_of_notes_are_in_the_unit_range(
    found: list[tuple[float, int]], rounds: int
) -> None:
    items = [
        evidence(passage(str(n), f"p{n}"), score, round=min(round_, rounds))
        for n, (score, round_) in enumerate(found)
    ]
    covered = {"f": [item.passage.id for item in items]}
    for note in take_notes(items, covered, {"f": "q1"}, {}, rounds):
        assert 0.0 <= note["weight"] <= 1.0


# Calibration


@given(st.floats(-1e9, 1e9), st.floats(-100, 100), st.floats(1e-3, 100))
def test_calibrated_score_is_in_the_unit_range(raw: float, midpoint: float, scale: float) -> None:
    assert 0.0 <= calibrated(raw, Sigmoid(midpoint, scale)) <= 1.0


@given(st.floats(-50, 50), st.floats(0, 50), st.floats(0.05, 10))
def test_calibration_keeps_the_order(raw: float, more: float, scale: float) -> None:
    sigmoid = Sigmoid(0.0, scale)
    assert calibrated(raw, sigmoid) <= calibrated(raw + more, sigmoid)


def test_one_sigmoid_maps_the_midpoint_to_a_half_and_a_scale_above_to_its_known_value() -> None:
    assert calibrated(3.0, Sigmoid(3.0, 0.5)) == 0.5
    assert calibrated(3.5, Sigmoid(3.0, 0.5)) == pytest.approx(0.7310586)


@pytest.mark.parametrize(("pairs", "expected"), [(ENOUGH_PAIRS, True), (199, False), (0, False)])
def test_background_of_two_hundred_pairs_is_enough(pairs: int, expected: bool) -> None:
    assert enough(Background(0.0, 1.0, pairs)) is expected
    assert enough(None) is False


SIGNS = sorted(set(WEIGHTS) - FREE - {BIAS})
SOME = st.dictionaries(st.sampled_from(SIGNS), UNIT, min_size=1)


@given(SOME)
def test_confidence_is_a_probability(features: dict[str, float]) -> None:
    assert 0.0 <= ConfidenceModel().confidence(features) <= 1.0


@given(SOME, st.sampled_from(SIGNS), UNIT)
def test_more_of_a_feature_never_lowers_the_confidence(
    features: dict[str, float], name: str, more: float
) -> None:
    raised = {**features, name: max(features.get(name, 0.0), more)}
    model = ConfidenceModel()
    assert model.confidence(raised) >= model.confidence(features)


def test_confidence_without_any_passage_is_zero() -> None:
    assert ConfidenceModel().confidence({}) == 0.0


def test_weight_of_a_feature_is_its_part_of_the_log_odds() -> None:
    model = ConfidenceModel.of({"bias": -1.0, "best": 2.0, "agreement": 4.0})
    assert model.confidence({"best": 0.5}) == pytest.approx(0.5)
    assert model.confidence({"best": 0.5, "agreement": 0.5}) == pytest.approx(0.8807971)
    assert model.confidence({"words": 1.0}) == pytest.approx(0.2689414)


@pytest.mark.parametrize(
    ("weights", "named"),
    [({"unheard": 1.0}, "unheard"), ({"best": -0.1}, "best"), ({"best": float("nan")}, "best")],
)
def test_weight_that_no_feature_may_have_is_refused(weights: dict[str, float], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        ConfidenceModel.of(weights)


def test_model_comes_back_from_json_as_it_was() -> None:
    model = ConfidenceModel.of({"bias": -2.5, "many": -1.0, "agreement": 3.0}, "mine", False)
    back = ConfidenceModel.from_json(model.to_json())
    assert (dict(back.weights), back.name, back.fitted) == (dict(model.weights), "mine", False)


@pytest.mark.parametrize("text", ["[]", "{}", '{"weights": 3}', '{"weights": {"best": "much"}}'])
def test_json_without_weights_by_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"weight|float"):
        ConfidenceModel.from_json(text)


# Features: a small base is judged by facets, a large one by its passages

DIMENSIONS = {"relevance": 0.5, "coverage": 0.5, "consistency": 0.75, "freshness": 1.0}
READ = {"covered": {"f1": ["a"]}, "strengths": {"f1": 0.8, "f2": 0.3}, "subject": 0.6}
FACETS = {"best": 0.9, "coverage": 0.5, "weakest": 0.3, "subject": 0.6, "consistency": 0.75}


def signals(base: int, passages: int) -> Signals:
    return Signals(base, passages, bearing=0.5, words=0.7, rarest=0.4, agreement=0.5)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Signals(), FACETS),
        (signals(SMALL, FEW), FACETS),
        (signals(LARGE, FEW), {"few": 1.0, "few_best": 0.9, "few_weakest": 0.3, "bearing": 0.5,
                               "words": 0.7, "rarest": 0.4}),
        (signals(LARGE, FEW + 1), {"many": 1.0, "agreement": 0.5}),
        (signals(50 * LARGE, 20), {"many": 1.0, "agreement": 0.5}),
        (signals(316, 20), {"best": 0.45, "weakest": 0.15, "many": 0.5, "agreement": 0.25}),
    ],
)  # fmt: skip
def test_size_of_base_and_of_evidence_choose_the_features(
    found: Signals, expected: dict[str, float]
) -> None:
    read = reading(**READ, signals=found)
    features = features_of(read, ["f1", "f2"], {"f1": ["a"]}, 0.9, DIMENSIONS)
    held = {name: value for name, value in features.items() if value}
    assert {name: held[name] for name in expected} == pytest.approx(expected, abs=0.002)
    assert len(held) == len(expected) or 0.0 < smallness(found.base) < 1.0


def test_facets_decide_where_a_model_judged_them() -> None:
    read = reading(**READ, signals=signals(50 * LARGE, 20), proposed="answer")
    features = features_of(read, ["f1", "f2"], {"f1": ["a"]}, 0.9, DIMENSIONS)
    assert {name: value for name, value in features.items() if value} == FACETS


# The whole assessment


def assessed(items: list[Any], asked: list[Any], read: Reading) -> Any:
    return assess(items, asked, read, 0.7, Weights(), ConfidenceModel())


def test_evidence_score_is_the_weighted_sum_of_the_four_dimensions() -> None:
    items = [evidence(passage("甲乙", "a"), 0.8), evidence(passage("丙丁", "b"), 0.2)]
    asked = [facet("f1"), facet("f2")]
    found = assessed(items, asked, reading(covered={"f1": ["a"]}, claims=4,
                                           contradictions=[("a", "b")]))  # fmt: skip
    parts = found["dimensions"]
    assert parts == {"relevance": 0.6, "coverage": 0.5, "consistency": 0.75, "freshness": 1.0}
    assert found["evidence_score"] == pytest.approx(
        0.4 * 0.6 + 0.25 * 0.5 + 0.2 * 0.75 + 0.15 * 1.0
    )


def test_without_a_passage_every_dimension_is_zero() -> None:
    found = assessed([], [facet("f1")], reading())
    assert set(found["dimensions"].values()) == {0.0}
    assert (found["evidence_score"], found["confidence"], found["best"]) == (0.0, 0.0, 0.0)


def test_reasoners_relevance_replaces_the_retrieval_score() -> None:
    items = [evidence(passage("a", "a"), 0.9), evidence(passage("b", "b"), 0.9)]
    found = assessed(items, [], reading(relevance={"a": 0.1, "b": 0.4}))
    assert found["best"] == 0.4


def test_confidence_of_the_covered_part_ignores_what_is_open() -> None:
    items = [evidence(passage("a", "a"), 0.9)]
    half = assessed(items, [facet("f1"), facet("f2")], reading(covered={"f1": ["a"]}))
    whole = assessed(items, [facet("f1")], reading(covered={"f1": ["a"]}))
    assert half["confidence"] < half["confidence_covered"] == whole["confidence"]
    assert assessed(items, [facet("f1")], reading())["confidence_covered"] == 0.0


def test_best_covering_passage_is_one_that_covers_something_required() -> None:
    items = [evidence(passage(x, x), s) for x, s in (("a", 0.9), ("b", 0.6), ("c", 0.5))]
    asked = [facet("f1"), facet("extra", required=False)]
    read = reading(covered={"f1": ["c", "b"], "extra": ["a"]})
    assert best_covering(items, asked, read) == 0.6
    assert best_covering(items, asked, reading()) == 0.0


@given(
    st.lists(UNIT, max_size=6),
    st.sets(st.sampled_from(["f1", "f2", "f3"])),
    st.integers(0, 9),
    st.integers(0, 9),
)
def test_every_number_of_an_assessment_is_in_the_unit_range(
    scores: list[float], covered: set[str], pairs: int, claims: int
) -> None:
    items = [evidence(passage(str(n), f"p{n}"), score) for n, score in enumerate(scores)]
    held = {name: ["p0"] for name in covered if items}
    read = reading(covered=held, contradictions=[("p0", "p1")] * pairs, claims=claims)
    found = assessed(items, [facet(f"f{n}") for n in (1, 2, 3)], read)
    numbers = [found[k] for k in ("evidence_score", "confidence", "confidence_covered", "best")]
    for number in (*numbers, *found["dimensions"].values()):
        assert 0.0 <= number <= 1.0
