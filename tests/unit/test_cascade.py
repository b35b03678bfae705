import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any

import pytest
from llm_parts import (
    READING,
    TEXTS,
    FakeKnowledgeBase,
    FakeReasoner,
    QueuedChat,
    case,
    meter,
    passage,
)

from graphs.ask.records import Statement
from graphs.errors import ModelOutputInvalid, ModelUnavailable, StoreUnavailable
from graphs.evidence.citations import quote_of
from graphs.reasoners.base import Case, Check, Meter
from graphs.reasoners.cascade import CascadeReasoner
from graphs.reasoners.chat import BudgetExhausted
from graphs.reasoners.llm import LLMReasoner

CALLS: dict[str, Any] = {
    "analyze": lambda brain, spent: brain.analyze("q", [], FakeKnowledgeBase(), spent),
    "grade": lambda brain, spent: brain.grade(case(), spent),
    "review": lambda brain, spent: brain.review(case(), READING, spent),
    "rewrite_precise": lambda brain, spent: brain.rewrite_precise(case(), spent),
    "rewrite_broaden": lambda brain, spent: brain.rewrite_broaden(case(), spent),
    "check": lambda brain, spent: brain.check(case(), [], spent),
}


def statement(text: str) -> Statement:
    return Statement(
        text=text, citations=[], modality="certain", facets=[], sub_question="", heading=""
    )


class Dropping(FakeReasoner):
    """Finds nothing in a draft that stands."""

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        return Check([], [each["text"] for each in statements], ["f1"])


def _seeing(own: Statement) -> FakeReasoner:
    """A fallback that finds the evidence by itself and says `own`."""
    return FakeReasoner(statements=[own], reading=replace(READING, covered={"f1": ["p1"]}))


class Failing(FakeReasoner):
    """Raises at every node; while generating, after `first` statements."""

    def __init__(self, error: Exception, first: int = 0) -> None:
        super().__init__(name="model")
        self.error, self.first, self.closed = error, first, False

    def __getattribute__(self, name: str) -> Any:
        if name in CALLS:
            return self.fail
        return super().__getattribute__(name)

    async def fail(self, *_: Any) -> Any:
        raise self.error

    async def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        try:
            for number in range(self.first):
                yield statement(f"model {number}")
            raise self.error
        finally:
            self.closed = True


async def texts(brain: CascadeReasoner, spent: Meter) -> list[str]:
    return [found["text"] async for found in brain.generate(case(), False, spent)]


@pytest.mark.parametrize("node", CALLS)
@pytest.mark.parametrize("error", [ModelUnavailable("down"), ModelOutputInvalid("rubbish")])
async def test_model_that_fails_is_replaced_for_that_node(node: str, error: Exception) -> None:
    local = FakeReasoner()
    spent = meter()
    result = await CALLS[node](CascadeReasoner(Failing(error), local), spent)
    assert local.asked == [node]
    assert result == await CALLS[node](FakeReasoner(), meter())
    assert spent.degraded
    assert not spent.exhausted


@pytest.mark.parametrize("node", CALLS)
async def test_model_that_answers_is_not_replaced(node: str) -> None:
    first, local, spent = FakeReasoner(), FakeReasoner(), meter()
    await CALLS[node](CascadeReasoner(first, local), spent)
    assert (first.asked, local.asked) == ([node], [])
    assert not spent.degraded


@pytest.mark.parametrize("node", ["review", "rewrite_precise", "rewrite_broaden", "analyze"])
async def test_budget_that_is_used_up_is_exhausted_and_not_degraded(node: str) -> None:
    chat, local = QueuedChat(), FakeReasoner()
    spent = meter(calls=0)
    await CALLS[node](CascadeReasoner(LLMReasoner(chat, local, 8192), local), spent)
    assert local.asked[-1] == node
    assert chat.prompts == []
    assert spent.exhausted
    assert not spent.degraded


async def test_check_that_needs_no_model_is_not_exhausted() -> None:
    local, spent = FakeReasoner(), meter(calls=0)
    await CascadeReasoner(LLMReasoner(QueuedChat(), local, 8192), local).check(case(), [], spent)
    assert not spent.exhausted


async def test_draft_that_fails_before_its_first_statement_starts_again_locally() -> None:
    local, spent = FakeReasoner(statements=[statement("local")]), meter()
    assert await texts(CascadeReasoner(Failing(ModelUnavailable("x")), local), spent) == ["local"]
    assert spent.degraded


async def test_draft_without_budget_is_local_and_not_degraded() -> None:
    local, spent = FakeReasoner(statements=[statement("local")]), meter()
    brain = CascadeReasoner(Failing(BudgetExhausted("none left")), local)
    assert await texts(brain, spent) == ["local"]
    assert not spent.degraded


async def test_draft_that_breaks_off_keeps_its_statements_and_adds_none() -> None:
    local, spent = FakeReasoner(statements=[statement("local")]), meter()
    brain = CascadeReasoner(Failing(ModelUnavailable("cut"), first=2), local)
    assert await texts(brain, spent) == ["model 0", "model 1"]
    assert local.asked == []
    assert spent.degraded


async def test_draft_that_is_abandoned_closes_the_model_at_once() -> None:
    primary = Failing(ModelUnavailable("x"), first=3)
    drafting = CascadeReasoner(primary, FakeReasoner()).generate(case(), False, meter())
    async with contextlib.aclosing(drafting) as drafted:  # type: ignore[type-var]
        assert (await anext(drafted))["text"] == "model 0"
    assert primary.closed


def cited(text: str, key: str = "p1") -> Statement:
    return statement(text) | {"citations": [quote_of(passage(key), 0, len(TEXTS[key]))]}  # type: ignore[return-value]


async def test_without_a_checker_only_what_plainly_stands_in_its_quotes_is_kept() -> None:
    brain = CascadeReasoner(Failing(ModelUnavailable("down")), FakeReasoner())
    drafted = [cited("现场检查发现滤网局部附着杂物。"), cited("真空泵的轴承发生了磨损。")]
    check = await brain.check(case(), drafted, meter())
    assert check.kept == drafted[:1]


async def test_draft_that_only_the_lost_checker_could_judge_gives_way_to_the_local_one() -> None:
    own = cited("现场检查发现滤网局部附着杂物。")
    brain = CascadeReasoner(Failing(ModelUnavailable("down")), _seeing(own))
    check = await brain.check(case(), [cited("真空泵的轴承发生了磨损。")], meter())
    assert check.kept == [own]


async def test_draft_of_which_nothing_stands_gives_way_to_the_local_one() -> None:
    own, bad = cited("现场检查发现滤网局部附着杂物。"), cited("压力为 90 MPa。")
    brain, spent = CascadeReasoner(Dropping(), _seeing(own)), meter()
    assert (await brain.check(case(), [bad], spent)).kept == [own]
    assert spent.degraded


async def test_bad_draft_stays_dropped_where_the_local_reasoner_finds_no_evidence() -> None:
    own, bad = cited("现场检查发现滤网局部附着杂物。"), cited("压力为 90 MPa。")
    brain = CascadeReasoner(Dropping(), FakeReasoner(statements=[own]))
    assert (await brain.check(case(), [bad], meter())).kept == []


async def test_store_error_is_not_taken_for_a_model_error() -> None:
    brain = CascadeReasoner(Failing(StoreUnavailable("disk")), FakeReasoner())
    with pytest.raises(StoreUnavailable):
        await brain.grade(case(), meter())


def test_name_is_that_of_the_model() -> None:
    assert CascadeReasoner(FakeReasoner(name="m"), FakeReasoner()).name == "m"
