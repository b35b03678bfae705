"""Judge the evidence, take notes, decide."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from graphs.ask.nodes.base import Judging, Step, add_notice, begin, open_case
from graphs.ask.records import Assessment, Decision, Notice, Reflection
from graphs.ask.state import AskState
from graphs.evidence.assessment import assess, best_covering
from graphs.evidence.certainty import uncertain
from graphs.evidence.decision import Verdict, answers_if_sure, clamp, decide, partial_allowed
from graphs.evidence.ledger import nearest_of
from graphs.evidence.messages import reason
from graphs.evidence.notes import take_notes
from graphs.policy import Policy
from graphs.ports import Library
from graphs.reasoners.base import Case, Reading, Reasoner
from graphs.reasoners.hops import next_hop, only_answered

_STRATEGY = {"rewrite": "precise", "retry_broaden": "broaden"}
_COVERING_KEPT = 5
"""Covering passages that the state keeps per facet."""


@dataclass(frozen=True, slots=True)
class GradeEvidence:
    """Assess all evidence so far by the question as the user meant it.

    A reasoner with a model is asked for a second look only where the assessment leaves it open.
    """

    name: str
    library: Library
    reasoner: Reasoner
    policy: Policy
    judging: Judging
    last: bool = False
    """Whether no search may follow, whatever rounds are left."""

    async def __call__(self, state: AskState) -> AskState:
        """Return assessment, notes and decision; the decision is clamped to what is allowed here."""
        step = begin(self.name, state, self.policy)
        kb = await self.library.open(state["kb"])
        opened = await open_case(state, kb)
        judge = await self.judging.of(kb)

        def assessed() -> Assessment:
            weights = self.policy.weights
            return assess(case.evidence, case.facets, reading, state["threshold"], weights, judge)

        case, reading = await self._read(opened.case, step)
        assessment = assessed()
        if uncertain(case.evidence, case.language, assessment, self.policy):
            reviewed = await self.reasoner.review(case, reading, step.meter)
            reading = await only_answered(case, reviewed)
            assessment = assessed()
        left = self._round_left(state, step)
        facets = list(case.facets)
        covering = best_covering(case.evidence, facets, reading)
        table = decide(assessment, facets, left, reading.bindable, self.policy, covering)
        partial = partial_allowed(assessment, facets, self.policy, covering)
        verdict = clamp(table, reading.proposed, left, partial)
        kept = {facet: ids[:_COVERING_KEPT] for facet, ids in assessment["covered"].items()}
        assessment = Assessment(**{**assessment, "covered": kept})
        notes = take_notes(
            case.evidence,
            kept,
            {facet["id"]: facet["sub_question"] for facet in facets},
            reading.spans,
            state["rounds"],
            leading={before for sub in case.sub_questions for before in sub["depends_on"]},
        )
        record = self._record(state, case, reading, assessment, table, verdict, left)
        return step.done(
            AskState(
                facets=facets,
                sub_questions=list(case.sub_questions),
                assessment=assessment,
                conflicts=[(a, b) for a, b in reading.contradictions],
                notes=notes,
                decision=verdict.decision,
                decisions=[*state["decisions"], record],
                nearest=nearest_of(case, reading, assessment),
                reflection=Reflection(
                    **{
                        **state["reflection"],
                        "retrieve": reading.retrieve,
                        "relevance": reading.judged,
                    }
                ),
                notices=self._notices(state, case, opened.changed),
            )
        )

    async def _read(self, case: Case, step: Step) -> tuple[Case, Reading]:
        """Grade, filling each hop that what was found can fill: it is then graded with the rest."""
        reading = await self.reasoner.grade(case, step.meter)
        while (further := await next_hop(case, reading)) is not None:
            case = further
            reading = await self.reasoner.grade(case, step.meter)
        return case, await only_answered(case, reading)

    def _round_left(self, state: AskState, step: Step) -> bool:
        if time.time() >= step.meter.deadline:
            step.meter.exhausted = True
        rounds = state["rounds"] < state["max_rounds"]
        return rounds and not step.meter.exhausted and not self.last

    def _notices(self, state: AskState, case: Case, changed: bool) -> list[Notice]:
        notices = list(state["notices"])
        if changed:
            add_notice(notices, "evidence_changed")
        for item in case.evidence[: self.policy.passages_read]:
            if item.passage.orders:
                add_notice(notices, "instructions_ignored", item.passage.document_id)
        return notices

    def _record(
        self,
        state: AskState,
        case: Case,
        reading: Reading,
        assessment: Assessment,
        table: Verdict,
        verdict: Verdict,
        left: bool,
    ) -> Decision:
        proposed = reading.proposed if reading.proposed is not None else table.decision
        held, open_ = _points(case, assessment)
        return Decision(
            node=self.name,
            round=state["rounds"],
            proposed=proposed[:200],
            decision=verdict.decision,
            rule=verdict.rule,
            reason=(reading.reason or reason(verdict.rule, case.language))[:400],
            missing_info=[gap["content"] for gap in assessment["gaps"] if gap["content"]],
            supported_points=held,
            unsupported_points=open_,
            retryable=left and verdict.decision in _STRATEGY,
            rewrite_strategy=_STRATEGY.get(verdict.decision, ""),
            only_confidence=answers_if_sure(assessment, list(case.facets), self.policy),
            assessment=Assessment(**{**assessment, "covered": {}}),
        )


def _points(case: Case, assessment: Assessment) -> tuple[list[str], list[str]]:
    """Return the texts of required facets that are covered, and of those that are not."""
    required: Sequence[tuple[str, bool]] = [
        (facet["text"], bool(assessment["covered"].get(facet["id"])))
        for facet in case.facets
        if facet["required"]
    ]
    return [text for text, held in required if held], [text for text, held in required if not held]
