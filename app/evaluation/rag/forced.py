"""The service with its gates open: what it would say if it had to answer."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace

from graphs.ask.records import Statement, Turn
from graphs.policy import Policy
from graphs.ports import KnowledgeBase
from graphs.reasoners.base import Analysis, Case, Check, Meter, Reading, Reasoner


def open_gates(policy: Policy) -> Policy:
    """Return the policy with every limit of the decision table at 0."""
    return replace(policy, min_passage=0.0, answer_passage=0.0, min_confidence=0.0)


@dataclass(frozen=True, slots=True)
class ForcedReasoner:
    """A reasoner whose reading never stops an answer; everything else is the wrapped one's.

    The subject counts as held, and where no required facet is covered, every passage covers all.
    """

    reasoner: Reasoner

    @property
    def name(self) -> str:
        """The name of the wrapped reasoner."""
        return self.reasoner.name

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        """Read the question."""
        return await self.reasoner.analyze(question, turns, kb, meter)

    async def grade(self, case: Case, meter: Meter) -> Reading:
        """Read the evidence; nothing in the reading leads to a refusal while there is a passage."""
        return _opened(case, await self.reasoner.grade(case, meter))

    async def review(self, case: Case, reading: Reading, meter: Meter) -> Reading:
        """Look a second time, with the same result where that would refuse."""
        return _opened(case, await self.reasoner.review(case, reading, meter))

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        """Rewrite a query."""
        return await self.reasoner.rewrite_precise(case, meter)

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        """Broaden a query."""
        return await self.reasoner.rewrite_broaden(case, meter)

    def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        """Yield the statements."""
        return self.reasoner.generate(case, partial, meter)

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        """Drop what its quotes do not carry."""
        return await self.reasoner.check(case, statements, meter)


def _opened(case: Case, reading: Reading) -> Reading:
    required = [facet["id"] for facet in case.facets if facet["required"]]
    covered = reading.covered
    if not any(covered.get(facet) for facet in required):
        every = tuple(item.passage.id for item in case.evidence)
        covered = dict.fromkeys(required, every)
    return replace(reading, covered=covered, holds_subject=True, proposed=None)
