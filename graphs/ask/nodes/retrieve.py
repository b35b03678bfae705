"""The first retrieval and the second ones."""

from dataclasses import dataclass

from graphs.ask.nodes.base import add_notice, begin, reference
from graphs.ask.records import Retrieval
from graphs.ask.state import AskState
from graphs.policy import Policy, Profile
from graphs.ports import Library
from graphs.retrieval.hybrid import HybridSearch
from graphs.retrieval.second import SecondSearch

PER_ROUND = 16
"""References that the state keeps of one round."""


@dataclass(frozen=True, slots=True)
class RetrieveInitial:
    """Hybrid search for the first query."""

    name: str
    library: Library
    search: HybridSearch
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return the first evidence."""
        step = begin(self.name, state, self.policy)
        kb = await self.library.open(state["kb"])
        excluded = state.get("options", {}).get("exclude_documents", [])
        found = await self.search.search(
            kb, state["queries"][0], self.policy.initial, 0, excluded, meter=step.meter
        )
        evidence = [reference(item) for item in found.evidence[:PER_ROUND]]
        notices = list(state["notices"])
        if not found.dense_available:
            add_notice(notices, "dense_unavailable")
        record = Retrieval(
            node=self.name, queries=state["queries"][:1], profile=self.policy.initial.name,
            hits=len(evidence), new=len(evidence), note="",
        )  # fmt: skip
        return step.done(AskState(evidence=evidence, retrievals=[record], notices=notices))


@dataclass(frozen=True, slots=True)
class RetrieveAgain:
    """A second retrieval: new passages only, widened where it finds too few."""

    name: str
    library: Library
    search: SecondSearch
    profile: Profile
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return the evidence of all rounds."""
        step = begin(self.name, state, self.policy)
        kb = await self.library.open(state["kb"])
        known = state["evidence"]
        ids = [i for ref in known for i in (ref["id"], *ref["variants"])]
        seen = await kb.passages(ids)
        excluded = state.get("options", {}).get("exclude_documents", [])
        found = await self.search.find(
            kb, state["queries"], self.profile, state["rounds"], seen, excluded, step.meter
        )
        new = [item for item in found.evidence if item.passage.id not in ids]
        fresh = [reference(item) for item in new[:PER_ROUND]]
        notices = list(state["notices"])
        if not found.dense_available:
            add_notice(notices, "dense_unavailable")
        record = Retrieval(
            node=self.name, queries=state["queries"], profile=self.profile.name,
            hits=len(known) + len(fresh), new=len(fresh), note=found.note,
        )  # fmt: skip
        return step.done(
            AskState(
                evidence=[*known, *fresh],
                retrievals=[*state["retrievals"], record],
                notices=notices,
            )
        )
