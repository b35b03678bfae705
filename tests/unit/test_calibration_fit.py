import numpy as np
import pytest

from app.calibration.fit import fitted


def drawn(rows: int, weights: tuple[float, ...], seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    features = rng.uniform(size=(rows, len(weights) - 1))
    likely = 1 / (1 + np.exp(-(weights[0] + features @ np.array(weights[1:]))))
    return features, (rng.uniform(size=rows) < likely).astype(float)


def test_many_labels_find_the_weights_that_made_them() -> None:
    features, labels = drawn(40_000, (-2.0, 3.0, 1.0))

    found = fitted(features, labels, (0.0, 0.5, 0.5), pull=1.0)

    assert found == pytest.approx((-2.0, 3.0, 1.0), abs=0.15)


def test_few_labels_stay_near_the_weights_in_use() -> None:
    features, labels = drawn(20, (-2.0, 3.0, 1.0))

    _, *weights = fitted(features, labels, (-1.0, 2.0, 2.0), pull=50.0)

    assert weights == pytest.approx([2.0, 2.0], abs=0.2)


def test_sign_that_speaks_against_its_feature_gives_weight_zero() -> None:
    features, labels = drawn(5_000, (0.5, -2.0, 1.0))

    found = fitted(features, labels, (0.0, 1.0, 1.0), pull=1.0)
    free = fitted(features, labels, (0.0, 1.0, 1.0), pull=1.0, free=(0,))

    assert found[1] == 0.0
    assert free[1] == pytest.approx(-2.0, abs=0.3)


def test_labels_of_one_kind_are_refused() -> None:
    with pytest.raises(ValueError, match="can't"):
        fitted(np.ones((3, 1)), np.ones(3), (0.0, 1.0))
