"""When a model server is left alone, and when a day has cost its budget."""

import asyncio
from pathlib import Path

import pytest
from llm_parts import meter

from app.adapters.database import Database
from app.adapters.llm_breaker import Breaker
from app.adapters.llm_budget import Limits, ServerBudget, Spending
from app.adapters.llm_guard import CallGuard
from graphs.errors import ModelOutputInvalid, ModelUnavailable
from graphs.reasoners.chat import BudgetExhausted, ContextTooLong


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def down(breaker: Breaker, times: int) -> None:
    for _ in range(times):
        breaker.failed(ModelUnavailable("refused"))


def test_breaker_opens_after_failures_in_a_row_and_lets_one_trial_through() -> None:
    clock = Clock()
    breaker = Breaker(3, 30, clock)
    down(breaker, 2)
    breaker.worked()
    down(breaker, 2)
    breaker.admit()  # two in a row are not three
    down(breaker, 1)
    with pytest.raises(ModelUnavailable, match="3 times in a row"):
        breaker.admit()
    clock.now += 29.9
    assert breaker.silent_because
    clock.now += 0.2
    breaker.admit()
    with pytest.raises(ModelUnavailable):
        breaker.admit()  # while the trial is on its way
    breaker.worked()
    breaker.admit()
    assert breaker.silent_because == ""


def test_trial_that_fails_opens_the_breaker_again() -> None:
    clock = Clock()
    breaker = Breaker(2, 30, clock)
    down(breaker, 2)
    clock.now += 31
    breaker.admit()
    down(breaker, 1)
    clock.now += 29
    with pytest.raises(ModelUnavailable):
        breaker.admit()


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        (ModelUnavailable("down"), True),
        (ModelOutputInvalid("rubbish"), False),
        (ContextTooLong("long"), False),
        (BudgetExhausted("spent"), False),
    ],
)
async def test_only_a_server_that_does_not_answer_has_failed(
    error: Exception, counts: bool
) -> None:
    guard = CallGuard(Breaker(1, 30))
    with pytest.raises(type(error)):
        async with guard.around(meter()):
            raise error
    assert bool(guard.breaker.silent_because) is counts


async def test_cancelled_call_is_booked_and_no_failure(tmp_path: Path) -> None:
    budget = ServerBudget(Database(tmp_path / "kb.sqlite"), Limits())
    guard = CallGuard(Breaker(1, 30), budget)
    spent = meter()

    async def call() -> None:
        async with guard.around(spent):
            spent.record(70, 5)
            await asyncio.sleep(60)

    task = asyncio.create_task(call())
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert not guard.breaker.silent_because
    assert (budget.spent().calls, budget.spent().tokens) == (1, 75)


@pytest.mark.parametrize(
    ("limits", "spent", "said"),
    [
        (Limits(), Spending(10**6, 10**9, 1e6), ""),
        (Limits(calls=2), Spending(1, 0, 0), ""),
        (Limits(calls=2), Spending(2, 0, 0), "2 model calls"),
        (Limits(calls=0), Spending(), "0 model calls"),
        (Limits(tokens=100), Spending(5, 99, 0), ""),
        (Limits(tokens=100), Spending(5, 100, 0), "100 model tokens"),
        (Limits(seconds=1.5), Spending(0, 0, 1.6), "1.5 seconds of the model"),
    ],
)
def test_limit_is_reached_by_what_was_spent(limits: Limits, spent: Spending, said: str) -> None:
    assert limits.reached(spent) == said


def test_calls_that_are_under_way_count(tmp_path: Path) -> None:
    budget = ServerBudget(Database(tmp_path / "kb.sqlite"), Limits(calls=2), Clock())
    budget.admit(meter())
    budget.admit(meter())
    with pytest.raises(BudgetExhausted):
        budget.admit(meter())
    budget.book(0, 0, 0.1)  # one of them cost nothing
    budget.admit(meter())


def test_next_day_begins_anew(tmp_path: Path) -> None:
    clock = Clock()
    budget = ServerBudget(Database(tmp_path / "kb.sqlite"), Limits(calls=1), clock)
    budget.admit(meter())
    budget.book(2, 600, 3.0)
    assert budget.spent() == Spending(2, 600, 3.0)
    with pytest.raises(BudgetExhausted):
        budget.admit(meter())
    clock.now += 86_400
    assert budget.spent() == Spending()
    budget.admit(meter())
