"""Read the question as the user meant it, and reset the turn."""

from dataclasses import dataclass

from graphs.ask.nodes.base import add_notice, begin
from graphs.ask.records import Notice
from graphs.ask.state import AskState
from graphs.ask.turn import fresh_turn
from graphs.policy import Policy
from graphs.ports import Library
from graphs.reasoners.base import Reasoner
from graphs.reasoners.hops import first_queries


@dataclass(frozen=True, slots=True)
class AnalyzeQuery:
    """Resolve a follow-up, write one conservative query, list the facets and the hops."""

    name: str
    library: Library
    reasoner: Reasoner
    policy: Policy
    models_key: str
    """What the knowledge base's calibration must have been made with (`Models.key`)."""

    async def __call__(self, state: AskState) -> AskState:
        """Return a whole fresh turn; only `turns` lives on."""
        kb = await self.library.open(state["kb"])
        fresh = fresh_turn(state, self.policy, await kb.calibration(self.models_key))
        fresh["kb_version"] = (await kb.info()).version
        step = begin(self.name, fresh, self.policy)
        found = await self.reasoner.analyze(state["question"], fresh["turns"], kb, step.meter)
        notices: list[Notice] = []
        if found.direct_reason == "unresolved_reference":
            add_notice(notices, "unresolved_reference")
        read = AskState(
            question_resolved=found.question_resolved,
            language=found.language,
            intent=found.intent,
            direct_reason=found.direct_reason,
            facets=found.facets,
            sub_questions=found.sub_questions,
            queries=first_queries(found.first_query, found.sub_questions, found.facets)
            if found.first_query
            else [],
            notices=notices,
        )
        return step.done(AskState(**{**fresh, **read}))
