"""Decline with a ledger: what was searched, what was nearest, what is missing."""

from dataclasses import dataclass

from graphs.ask.nodes.base import begin
from graphs.ask.state import AskState
from graphs.evidence.ledger import missing_of, refusal_text
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
        searched = [query for r in state["retrievals"] for query in r["queries"]]
        # Whatever was covered fell with its statements: everything required is missing now.
        missing = missing_of(
            state["facets"], {}, assessment["gaps"] if assessment else [], [], searched, language
        )
        if info.passages == 0:
            message = say("empty_kb", language, kb=state["kb"]) + "\n"
        else:
            message = refusal_text(language, searched, state["nearest"], missing, info.contact)
        return step.done(
            AskState(statements=[], missing=missing, status="insufficient", message=message)
        )
