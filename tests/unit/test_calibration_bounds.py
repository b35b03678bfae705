import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from app.calibration.bounds import least_answered, upper_bound


@given(st.integers(1, 400), st.data(), st.sampled_from([0.01, 0.05, 0.1, 0.3]))
def test_counts_of_errors_give_the_quantile_of_the_beta_distribution(
    answered: int, data: st.DataObject, delta: float
) -> None:
    errors = data.draw(st.integers(0, answered - 1))

    expected = beta.ppf(1 - delta, errors + 1, answered - errors)

    assert upper_bound(errors, answered, delta) == pytest.approx(expected, abs=1e-9)


def test_all_answers_wrong_bound_is_one() -> None:
    assert upper_bound(3, 3, 0.1) == 1.0
    assert upper_bound(0, 0, 0.1) == 1.0


@pytest.mark.parametrize(
    ("alpha", "delta", "needed"), [(0.05, 0.1, 45), (0.1, 0.1, 22), (0.05, 0.05, 59)]
)
def test_promise_needs_so_many_right_answers(alpha: float, delta: float, needed: int) -> None:
    assert least_answered(alpha, delta) == needed
    assert upper_bound(0, needed, delta) <= alpha < upper_bound(0, needed - 1, delta)


@pytest.mark.parametrize(
    ("errors", "answered", "delta"), [(2, 1, 0.1), (-1, 3, 0.1), (0, 3, 0.0), (0, 3, 1.0)]
)
def test_impossible_counts_are_refused(errors: int, answered: int, delta: float) -> None:
    with pytest.raises(ValueError, match=r"can't be|lies between"):
        upper_bound(errors, answered, delta)
