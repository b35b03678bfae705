"""Read the question as the user meant it, and reset the turn."""

import time
from dataclasses import dataclass
from typing import TypeVar

from graphs.ask.nodes.base import add_notice, begin
from graphs.ask.state import AskState, Notice
from graphs.policy import Policy
from graphs.ports import Library
from graphs.reasoners.base import Reasoner

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class AnalyzeQuery:
    """Resolve a follow-up, write one conservative query, list the facets."""

    name: str
    library: Library
    reasoner: Reasoner
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return a whole fresh turn; only `turns` lives on."""
        turns = state.get("turns", [])
        fresh = AskState(question=state["question"], kb=state["kb"], started_at=time.time())
        step = begin(self.name, fresh, self.policy)
        kb = await self.library.open(state["kb"])
        found = await self.reasoner.analyze(state["question"], turns, kb, step.meter)
        options = state.get("options", {})
        notices: list[Notice] = []
        if found.direct_reason == "unresolved_reference":
            add_notice(notices, "unresolved_reference")
        preset = options.get("preset") or self.policy.preset
        return step.done(
            AskState(
                question_resolved=found.question_resolved,
                language=found.language,
                intent=found.intent,
                direct_reason=found.direct_reason,
                facets=found.facets,
                sub_questions=found.sub_questions,
                queries=[found.first_query] if found.first_query else [],
                max_rounds=_or(options.get("max_rounds"), self.policy.max_rounds),
                threshold=_or(options.get("threshold"), self.policy.presets[preset]),
                started_at=fresh["started_at"],
                turns=turns,
                rounds=0,
                evidence=[],
                notes=[],
                assessment=None,
                decision="insufficient",
                decisions=[],
                retrievals=[],
                statements=[],
                check="unsupported",
                missing=[],
                nearest=[],
                notices=notices,
                status="insufficient",
                message="",
                usage={},
                path=[],
                result={},
            )
        )


def _or(given: Number | None, default: Number) -> Number:
    return default if given is None else given
