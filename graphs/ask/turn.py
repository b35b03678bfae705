"""A turn before anything is known of it: every field but `turns`, at its start."""

import time
from typing import TypeVar

from graphs.ask.records import Reflection
from graphs.ask.state import AskState
from graphs.evidence.text import language
from graphs.policy import Policy
from graphs.ports import Calibration

Number = TypeVar("Number", int, float)


def fresh_turn(state: AskState, policy: Policy, calibration: Calibration | None = None) -> AskState:
    """Return the turn that a question opens; nothing of the turn before it is kept but `turns`.

    θ is the caller's number, else the caller's preset, else the calibrated one of the knowledge
    base, else that of the preset in the settings.
    """
    question, options = state["question"], state.get("options", {})
    preset = options.get("preset")
    if preset is None and calibration is not None:
        usual = calibration.threshold
    else:
        usual = policy.presets[preset or policy.preset]
    return AskState(
        question=question,
        kb=state["kb"],
        kb_version=0,
        turns=state.get("turns", []),
        question_resolved=question,
        language="zh" if language(question) == "zh" else "en",
        intent="retrieve",
        direct_reason="",
        facets=[],
        sub_questions=[],
        queries=[],
        max_rounds=_or(options.get("max_rounds"), policy.max_rounds),
        threshold=_or(options.get("threshold"), usual),
        calibration=calibration.name if calibration else "",
        started_at=time.time(),
        rounds=0,
        evidence=[],
        notes=[],
        assessment=None,
        conflicts=[],
        decision="insufficient",
        decisions=[],
        retrievals=[],
        reflection=Reflection(retrieve=None, relevance=None, supported=None, useful=None),
        statements=[],
        check="unsupported",
        missing=[],
        nearest=[],
        notices=[],
        status="insufficient",
        message="",
        usage={},
        path=[],
        result={},
    )


def _or(given: Number | None, default: Number) -> Number:
    return default if given is None else given
