"""Two reasoners as one: where the first one fails, the second one runs that node."""

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from graphs.ask.records import Statement, Turn
from graphs.errors import ModelOutputInvalid, ModelUnavailable
from graphs.evidence.plainness import self_evident
from graphs.evidence.text import words
from graphs.ports import KnowledgeBase
from graphs.reasoners.base import Analysis, Case, Check, Meter, Reading, Reasoner
from graphs.reasoners.chat import BudgetExhausted

_FEW_WORDS = 3
"""Content words up to which a question in a conversation may lean on what was said before."""

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class CascadeReasoner:
    """Runs `primary`, node by node, and `fallback` where the model can't or may not answer.

    `meter.degraded` is set when the model failed. A limit that was reached is no failure: the meter
    says so itself in `exhausted`. Nothing is tried twice here.
    """

    primary: Reasoner
    fallback: Reasoner
    sparing: bool = False
    """Whether plain questions are analysed by the fallback alone."""

    @property
    def name(self) -> str:
        """The primary's name."""
        return self.primary.name

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        """Read the question as the user meant it; a plain one needs no model."""
        if self.sparing:
            read = await self.fallback.analyze(question, turns, kb, meter)
            if not _open(question, read, turns):
                return read
        return await _first(
            lambda brain: brain.analyze(question, turns, kb, meter), self, "analyze", meter
        )

    async def grade(self, case: Case, meter: Meter) -> Reading:
        """Say which passage covers which facet."""
        return await _first(lambda brain: brain.grade(case, meter), self, "grade", meter)

    async def review(self, case: Case, reading: Reading, meter: Meter) -> Reading:
        """Look a second time; the first reading stands where nobody can."""
        return await _first(lambda brain: brain.review(case, reading, meter), self, "review", meter)

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        """Return queries around what is missing."""
        return await _first(
            lambda brain: brain.rewrite_precise(case, meter), self, "rewrite_precise", meter
        )

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        """Return queries in the knowledge base's own words."""
        return await _first(
            lambda brain: brain.rewrite_broaden(case, meter), self, "rewrite_broaden", meter
        )

    async def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        """Yield the primary's statements, or the fallback's where the primary gave none.

        After the first statement a clean restart is impossible: a failure then ends the draft, and
        the check turns what is missing into a partial answer.
        """
        started = False
        try:
            async with _closing(self.primary.generate(case, partial, meter)) as statements:
                async for statement in statements:
                    started = True
                    yield statement
        except (ModelUnavailable, ModelOutputInvalid) as error:
            _note(error, "generate", meter)
            if started:
                return
        else:
            return
        async with _closing(self.fallback.generate(case, partial, meter)) as statements:
            async for statement in statements:
                yield statement

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        """Drop what its quotes do not carry.

        Where no model can judge, only what plainly stands in its quotes is kept. Where nothing stands
        that was asked for, the fallback's own sentences take the draft's place, if it finds by itself
        that a passage holds what was asked for: then only the draft was bad.
        """
        rationed = False
        try:
            check = await self.primary.check(case, statements, meter)
        except (ModelUnavailable, ModelOutputInvalid) as error:
            _note(error, "check", meter)
            rationed = isinstance(error, BudgetExhausted)
            passages = {item.passage.id: item.passage for item in case.evidence}
            plain = [s for s in statements if self_evident(s, passages)]
            check = await self.fallback.check(case, plain, meter)
        if not statements or _answers(case, check):
            return check
        seen = (await self.fallback.grade(case, meter)).covered
        if not any(seen.get(facet) for facet in _covered(case)):
            return check
        meter.degraded = meter.degraded or not rationed
        _log.info("nothing in the model's draft stands, the embedded reasoner writes")
        async with _closing(self.fallback.generate(case, False, meter)) as own:
            return await self.fallback.check(case, [s async for s in own], meter)


def _answers(case: Case, check: Check) -> bool:
    """Tell whether something that stands addresses what was asked for and found."""
    addressed = {facet for statement in check.kept for facet in statement["facets"]}
    covered = _covered(case)
    return bool(check.kept) and (not covered or bool(addressed & covered))


def _covered(case: Case) -> set[str]:
    return {f["id"] for f in case.facets if f["required"] and case.covered.get(f["id"])}


def _open(question: str, read: Analysis, turns: Sequence[Turn]) -> bool:
    """Tell whether a model may read a question better: a follow-up, or one with several parts.

    A follow-up shows by what the fallback put in, by its saying that something points nowhere, or by
    its few words.
    """
    follows = bool(turns) and (
        read.question_resolved != question
        or read.direct_reason == "unresolved_reference"
        or len(words(question)) <= _FEW_WORDS
    )
    parts = {facet["text"] for facet in read.facets if facet["required"]}
    return follows or len(read.sub_questions) > 1 or len(parts) > 1


@asynccontextmanager
async def _closing(
    statements: AsyncIterator[Statement],
) -> AsyncIterator[AsyncIterator[Statement]]:
    """Close a generator with its reader, so that an abandoned draft frees its connection at once."""
    try:
        yield statements
    finally:
        if isinstance(statements, AsyncGenerator):
            await statements.aclose()


async def _first(
    run: Callable[[Reasoner], Awaitable[_Result]], pair: CascadeReasoner, what: str, meter: Meter
) -> _Result:
    try:
        return await run(pair.primary)
    except (ModelUnavailable, ModelOutputInvalid) as error:
        _note(error, what, meter)
        return await run(pair.fallback)


def _note(error: Exception, what: str, meter: Meter) -> None:
    if isinstance(error, BudgetExhausted):
        return
    meter.degraded = True
    _log.warning("the model failed at %s, the embedded reasoner takes over: %s", what, error)
