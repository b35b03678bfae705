import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphs.evidence.fusion import K1, fuse, idf, keyword_ceiling


@pytest.mark.parametrize(
    ("ids", "dense", "keyword", "exact", "expected"),
    [
        (["a"], {"a": 0.5}, {"a": 5.0}, (), {"a": 0.6 * 0.5 + 0.4 * 0.5}),
        (["a"], {}, {"a": 10.0}, (), {"a": 0.4}),
        (["a"], {"a": 1.0}, {}, (), {"a": 0.6}),
        (["a"], {"a": -0.5}, {"a": 5.0}, (), {"a": 0.2}),
        (["a"], {"a": 1.0}, {"a": 40.0}, (), {"a": 1.0}),
        (["a", "b"], {"a": 0.9}, {"a": 9.0}, ("b",), {"b": 1.0, "a": 0.9}),
        (["a"], {}, {}, (), {"a": 0.0}),
        ([], {"a": 1.0}, {"a": 1.0}, ("a",), {}),
    ],
)
def test_fused_score_is_the_weighted_sum_or_the_exact_match(
    ids: list[str],
    dense: dict[str, float],
    keyword: dict[str, float],
    exact: tuple[str, ...],
    expected: dict[str, float],
) -> None:
    found = fuse(ids, dense, keyword, 10.0, 0.6, 0.4, frozenset(exact))
    assert dict(found) == pytest.approx(expected)
    assert [id_ for id_, _ in found] == list(expected)


def test_equal_scores_come_in_the_order_of_their_ids() -> None:
    assert [id_ for id_, _ in fuse(["c", "a", "b"], {}, {}, 0.0, 0.6, 0.4)] == ["a", "b", "c"]


def test_query_without_terms_has_no_ceiling_and_no_keyword_part() -> None:
    assert keyword_ceiling(100, []) == 0.0
    assert fuse(["a"], {"a": 0.5}, {"a": 3.0}, 0.0, 0.6, 0.4) == [("a", 0.3)]


@pytest.mark.parametrize("frequency", [2, 3, 50])
def test_word_in_all_passages_and_in_some_still_hidden_weighs_next_to_nothing(
    frequency: int,
) -> None:
    assert idf(2, frequency) == 1e-6
    assert keyword_ceiling(0, [frequency]) == pytest.approx(2.2e-6)


def test_ceiling_is_what_endless_repetition_of_every_term_would_reach() -> None:
    expected = 2.2 * (math.log(97.5 / 3.5) + math.log(90.5 / 10.5))
    assert keyword_ceiling(100, [3, 10]) == pytest.approx(expected)


@given(
    st.integers(1, 10_000).flatmap(
        lambda n: st.tuples(
            st.just(n),
            st.lists(st.tuples(st.integers(0, n), st.integers(0, 500)), min_size=1, max_size=8),
            st.floats(0.1, 20),
        )
    )
)
def test_no_passage_exceeds_the_ceiling(
    case: tuple[int, list[tuple[int, int]], float],
) -> None:
    passages, terms, length = case
    norm = K1 * (0.25 + 0.75 * length)
    score = sum(idf(passages, df) * tf * (K1 + 1) / (tf + norm) for df, tf in terms)
    ceiling = keyword_ceiling(passages, [df for df, _ in terms])
    assert 0.0 <= score <= ceiling
    ((_, fused),) = fuse(["a"], {"a": 1.0}, {"a": score}, ceiling, 0.6, 0.4)
    assert 0.0 <= fused <= 1.0


def test_rarer_terms_weigh_more_and_common_ones_never_count_against() -> None:
    weights = [idf(100, frequency) for frequency in (0, 1, 10, 50, 90, 100)]
    assert weights == sorted(weights, reverse=True)
    assert min(weights) > 0
