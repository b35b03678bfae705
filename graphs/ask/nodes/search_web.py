"""One search of the web, where the documents did not suffice and the caller allowed it."""

import logging
from dataclasses import dataclass

from graphs.ask.nodes.base import add_notice, begin, reference
from graphs.ask.nodes.retrieve import PER_ROUND
from graphs.ask.records import Retrieval
from graphs.ask.state import AskState
from graphs.errors import WebSearchFailed
from graphs.policy import Policy
from graphs.ports import Library
from graphs.retrieval.hybrid import HybridSearch
from graphs.retrieval.web import passages_of
from graphs.web_ports import Web

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SearchWeb:
    """Search the web with the question as the user meant it; score pages as passages are scored."""

    name: str
    library: Library
    search: HybridSearch
    web: Web
    policy: Policy

    async def __call__(self, state: AskState) -> AskState:
        """Return the evidence with the pages that are near enough; a failed search adds none."""
        step = begin(self.name, state, self.policy)
        question, notices, note = state["question_resolved"], list(state["notices"]), ""
        try:
            pages = await self.web.search.search(question, self.web.results)
        except WebSearchFailed as error:
            _log.warning("the web could not be searched: %s", error)
            add_notice(notices, "web_unavailable")
            pages, note = [], "failed"
        passages = passages_of(pages)
        known = state["evidence"]
        fresh = []
        if passages:
            await self.web.pages.keep(passages)
            kb = await self.library.open(state["kb"])
            query, profile = await self.search.query(question), self.policy.web
            scored = await self.search.gatherer.score(kb, query, passages, profile)
            ranked = await self.search.rank(kb, query, scored, profile, state["rounds"])
            found = self.search.select(ranked, profile)
            fresh = [reference(item) for item in found[:PER_ROUND]]
            add_notice(notices, "web_pages")
        record = Retrieval(
            node=self.name, queries=[question], profile=self.policy.web.name,
            hits=len(known) + len(fresh), new=len(fresh), note=note,
        )  # fmt: skip
        return step.done(
            AskState(
                evidence=[*known, *fresh],
                retrievals=[*state["retrievals"], record],
                notices=notices,
            )
        )
