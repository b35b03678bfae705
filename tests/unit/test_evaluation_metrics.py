"""Figures of a ranking against values worked out by hand, and how sure their means are."""

import math

import numpy as np
import pytest

from app.evaluation.bootstrap import interval, paired
from app.evaluation.metrics import ndcg, score

TEN = [f"p{n}" for n in range(10)]


def test_graded_ranking_has_the_ndcg_worked_out_by_hand() -> None:
    gains = {"a": 4, "b": 2, "c": 1}
    found = 2 / math.log2(2) + 4 / math.log2(4)
    ideal = 4 / math.log2(2) + 2 / math.log2(3) + 1 / math.log2(4)
    assert ndcg(["b", "x", "a"], gains, 10) == pytest.approx(found / ideal)


def test_best_order_has_ndcg_1_even_with_more_golds_than_places() -> None:
    gains = dict.fromkeys((f"g{n}" for n in range(14)), 1)
    assert ndcg(list(gains), gains, 10) == pytest.approx(1)
    assert score(list(gains), gains).all_gold_10 == 0


@pytest.mark.parametrize(
    ("rank", "hits", "reciprocal"),
    [(1, (1, 1, 1), 1), (2, (0, 1, 1), 1 / 2), (6, (0, 0, 1), 1 / 6), (11, (0, 0, 0), 0)],
)
def test_single_gold_is_counted_where_it_stands(
    rank: int, hits: tuple[int, int, int], reciprocal: float
) -> None:
    ranking = [*TEN[: rank - 1], "gold", *TEN[rank - 1 :]]
    found = score(ranking, {"gold": 1})
    assert (found.hit_1, found.hit_5, found.hit_10) == hits
    assert found.mrr_10 == pytest.approx(reciprocal)
    assert found.all_gold_10 == hits[2]


def test_one_of_two_golds_is_a_hit_but_not_all_gold() -> None:
    found = score(["x", "a"], {"a": 1, "b": 1})
    assert (found.hit_5, found.all_gold_10, found.mrr_10) == (1, 0, 0.5)


def test_one_passage_of_each_part_is_all_gold() -> None:
    gains = {"a": 1, "b": 1, "c": 1}
    parts = [frozenset({"a", "b"}), frozenset({"c"})]
    assert score(["b", "x", "c"], gains, parts).all_gold_10 == 1
    assert score(["a", "b", "x"], gains, parts).all_gold_10 == 0
    assert score(["b", "x", "c"], gains).all_gold_10 == 0


def test_empty_ranking_scores_nothing() -> None:
    found = score([], {"a": 3})
    assert (found.ndcg_10, found.mrr_10, found.hit_10, found.all_gold_10) == (0, 0, 0, 0)


def test_interval_covers_the_true_mean_about_as_often_as_it_says() -> None:
    chance = np.random.default_rng(7)
    covered = 0
    for _ in range(200):
        found = interval(list(chance.beta(2, 3, size=60)), resamples=400)
        assert found.low <= found.mean <= found.high
        covered += found.low <= 2 / 5 <= found.high
    assert 0.88 <= covered / 200 <= 0.99


def test_interval_is_the_same_every_time_and_narrows_with_more_questions() -> None:
    few, many = [0.0, 1.0] * 10, [0.0, 1.0] * 400
    assert interval(few) == interval(few)
    assert interval(many).high - interval(many).low < interval(few).high - interval(few).low


def test_paired_difference_sees_what_two_intervals_hide() -> None:
    chance = np.random.default_rng(3)
    worse = chance.uniform(0, 0.9, size=80)
    better = worse + 0.02
    apart = interval(list(better)).low - interval(list(worse)).high
    assert apart < 0 < paired(list(better), list(worse)).low
    assert paired(list(better), list(worse)).mean == pytest.approx(0.02)


def test_pairs_of_different_questions_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired([1.0, 0.0], [1.0])
