"""Courtesies, talk about the service, references that can't be resolved: no retrieval."""

from dataclasses import dataclass

from graphs.ask.nodes.base import begin
from graphs.ask.state import AskState
from graphs.evidence.follow_up import is_thanks
from graphs.evidence.messages import say
from graphs.policy import Policy
from graphs.ports import Library

_MESSAGES = {
    "courtesy": "greeting", "service": "service", "unresolved_reference": "unresolved",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnswerDirectly:
    """Answer what needs no document; never a factual statement."""

    name: str
    library: Library
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return a fixed sentence in the question's language."""
        step = begin(self.name, state, self.policy)
        info = await (await self.library.open(state["kb"])).info()
        key = _MESSAGES[state["direct_reason"]]
        if key == "greeting" and is_thanks(state["question"]):
            key = "thanks"
        message = say(
            key, state["language"],
            kb=info.name, documents=info.documents, question=state["question"],
        )  # fmt: skip
        return step.done(AskState(status="direct", message=message + "\n"))
