"""The last resort: what a failed node leaves behind still ends in a labelled answer."""

import logging
from dataclasses import dataclass
from typing import Literal

from langgraph.errors import NodeError
from langgraph.types import Command

from graphs.ask.nodes.base import begin
from graphs.ask.state import AskState
from graphs.ask.turn import fresh_turn
from graphs.errors import UnknownKnowledgeBase
from graphs.evidence.messages import say
from graphs.policy import Policy

NAME = "recover"
"""The handler's own node; it is no step of a path."""
FIRST = "analyze_query"
LAST: Literal["finalize"] = "finalize"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Recover:
    """Take over from a node whose retries are used up."""

    policy: Policy

    async def __call__(self, state: AskState, error: NodeError) -> Command[Literal["finalize"]]:
        """Go to `finalize`: partial with statements that were checked, else insufficient.

        The failed node stands in `path`, since it was entered. Raises the error again where no
        answer can follow: the caller named an unknown knowledge base, or `finalize` failed though
        there was nothing left to read.
        """
        if error.node == FIRST:
            _raise_callers_mistake(error)
        _report(error)
        if error.node == FIRST:
            # The state still holds the thread's last turn: none of it belongs to this question.
            state = fresh_turn(state, self.policy)
        again = error.node == LAST and state["path"][-1:] == [LAST]
        if again and not _checked(state):
            _raise(error)
        keep = _checked(state) and not again
        step = begin(error.node, state, self.policy)
        update = AskState(
            status="partial" if keep else "insufficient",
            statements=state["statements"] if keep else [],
            check=state["check"] if keep else "unsupported",
            missing=state["missing"] if keep else [],
            message=say("failed", state["language"]) + "\n",
        )
        if error.node == FIRST:
            update = AskState(**{**state, **update})
        return Command(update=step.done(update), goto=LAST)


def _checked(state: AskState) -> bool:
    """Tell whether there are statements and a check let them stand."""
    return bool(state["statements"]) and state["check"] != "unsupported"


def _report(failed: NodeError) -> None:
    # After a resume the error comes from the checkpoint and may be no exception any more.
    cause = failed.error if isinstance(failed.error, BaseException) else None
    _log.error("node %s failed: %r", failed.node, failed.error, exc_info=cause)


def _raise_callers_mistake(failed: NodeError) -> None:
    if isinstance(failed.error, UnknownKnowledgeBase):
        raise failed.error


def _raise(failed: NodeError) -> None:
    if isinstance(failed.error, BaseException):
        raise failed.error
    raise RuntimeError(f"{failed.node} failed: {failed.error!r}")
