import numpy as np

from graphs.evidence.feedback import PINNED, fed_back, feedback_terms

RARE = {"踩踏": 2, "寺庙": 3, "食堂": 3, "的": 900}


def test_a_passage_that_shares_the_best_ones_rare_terms_moves_up() -> None:
    terms = [{"踩踏": 2, "寺庙": 1}] * 3 + [{"食堂": 2, "的": 3}, {"踩踏": 1, "寺庙": 1, "的": 1}]
    scores = np.array([5.0, 4.9, 4.8, 1.1, 1.0], dtype=np.float32)
    mixed = fed_back(scores, terms, RARE, 1000)
    assert mixed[4] > mixed[3]


def test_the_best_passages_keep_their_places() -> None:
    terms = [{"食堂": 1}, {"的": 1}, {"寺庙": 1}, {"食堂": 9, "的": 9, "寺庙": 9}]
    scores = np.array([3.0, 2.9, 2.8, 2.7], dtype=np.float32)
    order = np.argsort(-fed_back(scores, terms, RARE, 1000)).tolist()
    assert order[:PINNED] == [0, 1, 2]


def test_terms_that_stand_everywhere_change_nothing() -> None:
    terms = [{"的": 5}] * 3 + [{"的": 9}, {"寺庙": 1}]
    scores = np.array([5.0, 4.9, 4.8, 1.0, 1.1], dtype=np.float32)
    assert fed_back(scores, terms, RARE, 1000).tolist() == scores.tolist()


def test_what_one_of_the_best_holds_alone_is_not_its_matter() -> None:
    terms = [{"踩踏": 1}, {"踩踏": 1}, {"踩踏": 1, "食堂": 9}, {"食堂": 9}, {"踩踏": 1}]
    scores = np.array([5.0, 4.9, 4.8, 1.1, 1.0], dtype=np.float32)
    mixed = fed_back(scores, terms, RARE, 1000)
    assert mixed[4] > mixed[3]


def test_few_candidates_stay_as_they_are() -> None:
    scores = np.array([1.0, 2.0], dtype=np.float32)
    assert fed_back(scores, [{"踩踏": 1}, {}], RARE, 10).tolist() == [1.0, 2.0]


def test_passages_without_terms_can_be_ranked() -> None:
    scores = np.array([4.0, 3.0, 2.0, 1.0], dtype=np.float32)
    assert np.isfinite(fed_back(scores, [{}, {}, {}, {}], {}, 10)).all()


def test_terms_that_two_of_the_best_four_hold_are_asked_for() -> None:
    best = [{"a": 1, "b": 1}, {"b": 1}, {"a": 2}, {"c": 1}, {"c": 1, "d": 1}]
    assert feedback_terms(best) == ["a", "b"]
