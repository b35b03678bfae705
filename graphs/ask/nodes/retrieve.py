"""The first retrieval and the second ones."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from graphs.ask.nodes.base import add_notice, begin, reference
from graphs.ask.records import Retrieval
from graphs.ask.state import AskState
from graphs.evidence.dedupe import collapse
from graphs.evidence.passages import Evidence
from graphs.policy import Policy, Profile
from graphs.ports import Library
from graphs.retrieval.hybrid import HybridSearch
from graphs.retrieval.second import SecondSearch

PER_ROUND = 16
"""References that the state keeps of one round."""


@dataclass(frozen=True, slots=True)
class RetrieveInitial:
    """Hybrid search for the first query and, beside it, for each part that stands alone."""

    name: str
    library: Library
    search: HybridSearch
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return the first evidence."""
        step = begin(self.name, state, self.policy)
        kb = await self.library.open(state["kb"])
        excluded = state.get("options", {}).get("exclude_documents", [])
        # a listwise reranker reads the hits of the whole question only: one call a retrieval
        found = await asyncio.gather(
            *(
                self.search.search(
                    kb, text, self.policy.initial, 0, excluded, meter=None if place else step.meter
                )
                for place, text in enumerate(state["queries"])
            )
        )
        merged = side_by_side(
            [part.evidence for part in found],
            self.policy.gap_candidates,
            self.policy.near_duplicate,
        )
        evidence = [reference(item) for item in merged[:PER_ROUND]]
        notices = list(state["notices"])
        if not all(part.dense_available for part in found):
            add_notice(notices, "dense_unavailable")
        record = Retrieval(
            node=self.name, queries=state["queries"], profile=self.policy.initial.name,
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


def side_by_side(
    found: Sequence[Sequence[Evidence]], most: int, duplicate_limit: float
) -> list[Evidence]:
    """Return the hits of the whole question with the best `most` of each part, each passage once.

    The order is the question's own; what only a part found stands behind its best half.
    """
    whole, *parts = found
    if not parts:
        return list(whole)
    known = {item.passage.id for item in whole}
    more: dict[str, Evidence] = {}
    for rank in range(most):
        for part in parts:
            if rank < len(part) and part[rank].passage.id not in known:
                more.setdefault(part[rank].passage.id, part[rank])
    half = (len(whole) + 1) // 2
    return collapse([*whole[:half], *more.values(), *whole[half:]], duplicate_limit)
