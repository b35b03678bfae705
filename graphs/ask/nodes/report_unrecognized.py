"""A verdict outside the enum: keep it for debugging, say nothing factual."""

from dataclasses import dataclass

from graphs.ask.nodes.base import begin
from graphs.ask.state import AskState
from graphs.evidence.messages import say
from graphs.policy import Policy


@dataclass(frozen=True, slots=True)
class ReportUnrecognized:
    """Report the raw verdict."""

    name: str
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return an error answer that names the raw verdict."""
        step = begin(self.name, state, self.policy)
        raw = state["decisions"][-1]["proposed"]
        message = say("unrecognized", state["language"], raw=raw) + "\n"
        return step.done(AskState(statements=[], status="error", message=message))
