"""Write the queries of a second retrieval."""

from dataclasses import dataclass
from typing import Literal

from graphs.ask.nodes.base import begin, open_case
from graphs.ask.state import AskState
from graphs.policy import Policy
from graphs.ports import Library
from graphs.reasoners.base import Reasoner


@dataclass(frozen=True, slots=True)
class RewriteQuery:
    """Precise: same topic, what is missing. Broaden: the knowledge base's own words."""

    name: str
    strategy: Literal["precise", "broaden"]
    library: Library
    reasoner: Reasoner
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return one main query and at most two more; a round is used up."""
        step = begin(self.name, state, self.policy)
        kb = await self.library.open(state["kb"])
        case = (await open_case(state, kb)).case
        if self.strategy == "precise":
            queries = await self.reasoner.rewrite_precise(case, step.meter)
        else:
            queries = await self.reasoner.rewrite_broaden(case, step.meter)
        return step.done(AskState(queries=queries[:3], rounds=state["rounds"] + 1))
