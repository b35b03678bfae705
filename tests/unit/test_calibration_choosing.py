import numpy as np

from app.calibration.choosing import GRID, Chance, Replay, choose, curve


def replays(right: int, wrong: int, confidence: float, wrong_at: float) -> list[Replay]:
    good = [Replay(f"g{i}", True, [Chance(confidence, False)]) for i in range(right)]
    bad = [Replay(f"b{i}", False, [Chance(wrong_at, True)]) for i in range(wrong)]
    return good + bad


def test_errors_below_the_right_answers_keep_the_threshold_above_them() -> None:
    choice = choose(replays(60, 20, confidence=0.8, wrong_at=0.6), alpha=0.05, delta=0.1)

    assert choice.risk is not None
    assert choice.risk.threshold == 0.61
    assert (choice.risk.answered, choice.risk.errors) == (60, 0)
    assert choice.tested[-1].threshold == 0.6  # the first failure ends the search
    assert choice.tested[-1].bound > 0.05


def test_bound_that_holds_again_further_down_is_not_looked_for() -> None:
    mixed = replays(45, 3, confidence=0.9, wrong_at=0.8) + replays(2000, 0, 0.5, 0.0)

    choice = choose(mixed, alpha=0.05, delta=0.1)

    assert choice.risk is not None
    assert choice.risk.threshold == 0.81


def test_fewer_answers_than_a_promise_needs_give_none() -> None:
    choice = choose(replays(44, 0, 0.9, 0.0), alpha=0.05, delta=0.1)

    assert choice.risk is None
    assert choice.needed == 45
    assert choice.tested == []


def test_error_at_the_strictest_threshold_gives_no_promise() -> None:
    choice = choose(replays(45, 1, 0.9, 0.9), alpha=0.05, delta=0.1)

    assert choice.risk is None
    assert len(choice.tested) == 1


def test_start_is_counted_without_the_labels() -> None:
    same = [Replay(str(i), True, [Chance(0.7, i < 30)]) for i in range(50)]

    choice = choose(same, alpha=0.05, delta=0.1)

    assert [risk.threshold for risk in choice.tested] == [0.7]
    assert choice.risk is None


def test_second_round_answers_where_the_first_is_not_sure_enough() -> None:
    twice = Replay("q", True, [Chance(0.5, True), Chance(0.8, False)])

    assert twice.at(0.4) == Chance(0.5, True)
    assert twice.at(0.6) == Chance(0.8, False)
    assert twice.at(0.9) is None


def test_curve_covers_the_grid_with_growing_coverage() -> None:
    risks = curve(replays(10, 10, 0.7, 0.3), delta=0.1)

    assert [risk.threshold for risk in risks] == list(GRID)
    assert [risk.coverage for risk in risks] == sorted(risk.coverage for risk in risks)
    assert risks[-1].rate == 0.5


def test_promise_is_kept_in_nine_draws_of_ten() -> None:
    """Labels drawn from a world in which the error at confidence c is 0.2 · (1 − c)."""
    rng = np.random.default_rng(7)
    broken, promised = 0, 0
    for _ in range(200):
        confidences = rng.uniform(0.3, 1.0, 300).round(3)
        draws = rng.uniform(size=300) < 0.2 * (1 - confidences)
        sample = [
            Replay("", True, [Chance(float(c), bool(e))])
            for c, e in zip(confidences, draws, strict=True)
        ]
        choice = choose(sample, alpha=0.05, delta=0.1)
        if choice.risk is not None:
            promised += 1
            true_error = 0.2 * (1 - (choice.risk.threshold + 1.0) / 2)
            broken += true_error > 0.05

    assert promised >= 100
    assert broken <= 0.15 * promised
