"""How well a confidence tells what can be answered, against values worked out by hand."""

import numpy as np
import pytest

from app.evaluation.rag.abstention import (
    Judged,
    auroc,
    calibration_error,
    figures,
    rejection,
    reliability,
    risk_coverage,
)


def _array(*values: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)


def test_auroc_counts_pairs_and_half_of_the_ties() -> None:
    assert auroc(_array(0.9, 0.5, 0.5, 0.1), _array(1, 1, 0, 0)) == pytest.approx(3.5 / 4)
    assert auroc(_array(0.5, 0.5), _array(1, 0)) == 0.5
    assert np.isnan(auroc(_array(0.5, 0.6), _array(1, 1)))


def test_rejection_keeps_to_the_allowed_false_refusals() -> None:
    held = [0.2, *(0.6 + at / 100 for at in range(9))]
    none = [0.1, 0.3, 0.55, 0.605, 0.9]
    confidence = _array(*held, *none)
    answerable = _array(*[1] * 10, *[0] * 5)
    # one of ten may be refused: the threshold is the second lowest, .60
    assert rejection(confidence, answerable) == pytest.approx(3 / 5)
    assert rejection(confidence, answerable, allowed=0.0) == pytest.approx(1 / 5)


def test_risk_coverage_is_the_mean_risk_and_ties_share_their_errors() -> None:
    assert risk_coverage(_array(0.9, 0.8, 0.1), _array(0, 1, 1)) == pytest.approx(
        (0 + 1 / 2 + 2 / 3) / 3
    )
    one = risk_coverage(_array(0.5, 0.5), _array(0, 1))
    assert one == risk_coverage(_array(0.5, 0.5), _array(1, 0)) == pytest.approx(0.5)


def test_calibration_error_is_zero_only_for_true_confidences() -> None:
    right = _array(*[0.0] * 10, *[1.0] * 10)
    assert calibration_error(right, right) == 0
    assert calibration_error(right, 1 - right) == 1
    assert calibration_error(_array(*[0.7] * 20), _array(*[1] * 14, *[0] * 6)) > 0


def test_reliability_has_bins_of_equal_mass_in_order() -> None:
    judged = [Judged(at / 30, at % 2 == 0, False) for at in range(30)]
    bins = reliability(judged)
    assert [each.questions for each in bins] == [3] * 10
    assert [each.confidence for each in bins] == sorted(each.confidence for each in bins)


def test_figures_tell_refusals_by_status_and_wrong_answers_apart() -> None:
    judged = [Judged(0.9, True, False), Judged(0.8, True, False, wrong=True)]
    judged += [Judged(0.7, True, True), Judged(0.2, False, True), Judged(0.1, False, False)]
    found = figures(judged)
    assert found["auroc"].mean == 1
    assert found["rejected"].mean == 0.5
    assert found["falsely_refused"].mean == pytest.approx(1 / 3)
    assert found["risk_coverage_wrong"].mean > found["risk_coverage"].mean
    assert all(each.low <= each.mean <= each.high for each in found.values())
