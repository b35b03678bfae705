"""Check the draft: what its quotes don't carry is dropped, nothing is added."""

from dataclasses import dataclass
from typing import Literal

from graphs.ask.nodes.base import add_notice, begin, open_case
from graphs.ask.records import Reflection, Statement
from graphs.ask.settling import follow
from graphs.ask.state import AskState
from graphs.evidence.ledger import missing_of
from graphs.policy import Policy
from graphs.ports import Library
from graphs.reasoners.base import Case, Check, Reasoner

Outcome = Literal["supported", "partly_supported", "unsupported"]


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """Verify quotes, values and modality, and that each required facet is addressed."""

    name: str
    partial: bool
    library: Library
    reasoner: Reasoner
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return the statements that stand, and what was lost with the others."""
        step = begin(self.name, state, self.policy)
        kb = await self.library.open(state["kb"])
        opened = await open_case(state, kb, _read(state))
        case = opened.case
        passages = {item.passage.id: item.passage for item in case.evidence}
        draft = await follow(state["statements"], passages, kb)
        check = await self.reasoner.check(case, draft, step.meter)
        lost = _lost(case, check)
        outcome = _outcome(case, check.kept, lost)
        notices = list(state["notices"])
        if opened.changed:
            add_notice(notices, "evidence_changed")
        missing = missing_of(
            case.facets, case.covered, case.gaps, lost, case.searched, case.language
        )
        partly = self.partial or outcome == "partly_supported"
        return step.done(
            AskState(
                statements=check.kept,
                check=outcome,
                missing=missing if outcome != "supported" or self.partial else [],
                status="partial" if partly else "answered",
                notices=notices,
                reflection=Reflection(
                    **{
                        **state["reflection"],
                        "supported": check.supported,
                        "useful": check.useful,
                    }
                ),
            )
        )


def _read(state: AskState) -> list[str]:
    """Return the ids of the passages that the draft cites or that cover something."""
    cited = {c["passage"] for s in state["statements"] for c in s["citations"]}
    assessment = state["assessment"]
    covering = assessment["covered"].values() if assessment else ()
    return sorted(cited.union(*covering))


def _lost(case: Case, check: Check) -> list[str]:
    """Return what the checker lost, and every covered facet that no kept statement addresses."""
    addressed = {facet for statement in check.kept for facet in statement["facets"]}
    covered = [f["id"] for f in case.facets if f["required"] and case.covered.get(f["id"])]
    silent = [facet for facet in covered if facet not in addressed]
    return list(dict.fromkeys([*check.lost, *silent]))


def _outcome(case: Case, kept: list[Statement], lost: list[str]) -> Outcome:
    addressed = {facet for statement in kept for facet in statement["facets"]}
    required = [facet["id"] for facet in case.facets if facet["required"]]
    if not kept or (required and not addressed & set(required)):
        return "unsupported"
    return "partly_supported" if lost else "supported"
