"""Routers: pure, they only read the state."""

from typing import Literal

from graphs.ask.records import DecisionKey
from graphs.ask.state import AskState

CheckKey = Literal["supported", "partly_supported", "unsupported"]


def by_intent(state: AskState) -> Literal["retrieve", "direct"]:
    """Route after `analyze_query`."""
    return state["intent"]


def by_decision(state: AskState) -> DecisionKey:
    """Route after a grading."""
    return state["decision"]


def by_decision_or_web(state: AskState) -> DecisionKey | Literal["web"]:
    """Route after a grading where the web may be searched: only what would be declined goes there."""
    if state["decision"] == "insufficient" and state.get("options", {}).get("web"):
        return "web"
    return state["decision"]


def by_check(state: AskState) -> CheckKey:
    """Route after a check."""
    return state["check"]
