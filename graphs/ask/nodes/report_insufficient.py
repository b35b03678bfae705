"""Decline with a ledger: what was searched, what was nearest, what is missing."""

from dataclasses import dataclass

from graphs.ask.nodes.base import begin
from graphs.ask.state import AskState
from graphs.evidence.ledger import Ledger, missing_of, refusal_text
from graphs.evidence.messages import say
from graphs.policy import Policy
from graphs.ports import Library


@dataclass(frozen=True, slots=True)
class ReportInsufficient:
    """Write the refusal. No generator is called and no factual statement is made."""

    name: str
    library: Library
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return the ledger."""
        step = begin(self.name, state, self.policy)
        kb = await self.library.open(state["kb"])
        info = await kb.info()
        language = state["language"]
        assessment = state["assessment"]
        covered = assessment["covered"] if assessment else {}
        searched = [query for r in state["retrievals"] for query in r["queries"]]
        # Whatever was covered fell with its statements: everything required is missing now.
        missing = missing_of(
            state["facets"], {}, assessment["gaps"] if assessment else [], [], searched, language
        )
        if info.passages == 0:
            message = say("empty_kb", language, kb=state["kb"]) + "\n"
        else:
            ledger = Ledger(
                retrievals=state["retrievals"],
                nearest=state["nearest"],
                missing=missing,
                sub_questions=state["sub_questions"],
                facets=state["facets"],
                doubtful=[key for key, ids in covered.items() if ids],
                contact=info.contact,
            )
            message = refusal_text(language, ledger)
        return step.done(
            AskState(statements=[], missing=missing, status="insufficient", message=message)
        )
