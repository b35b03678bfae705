"""Which θ a question is judged by."""

import pytest

from graphs.ask.turn import fresh_turn
from graphs.policy import Policy
from graphs.ports import Calibration

CALIBRATED = Calibration("labels-2026-01-01-90", {}, 0.62)


@pytest.mark.parametrize(
    ("options", "calibration", "threshold"),
    [
        ({}, None, 0.7),
        ({}, CALIBRATED, 0.62),
        ({"preset": "critical"}, CALIBRATED, 0.8),
        ({"threshold": 0.0}, CALIBRATED, 0.0),
        ({"threshold": 0.9, "preset": "recall"}, CALIBRATED, 0.9),
        ({"preset": "recall"}, None, 0.5),
    ],
)
def test_callers_number_then_preset_then_calibration_then_settings(
    options: dict[str, object], calibration: Calibration | None, threshold: float
) -> None:
    state = {"question": "年假几天？", "kb": "kb", "options": options}

    turn = fresh_turn(state, Policy(), calibration)  # type: ignore[arg-type] # options by cases

    assert turn["threshold"] == threshold
    assert turn["calibration"] == (calibration.name if calibration else "")
