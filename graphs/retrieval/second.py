"""The second retrieval: main and gap queries in parallel, only new passages, widened in steps."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from graphs.evidence.dedupe import collapse, near_duplicates
from graphs.evidence.passages import Evidence, Passage
from graphs.meter import Meter
from graphs.policy import Profile
from graphs.ports import KnowledgeBase
from graphs.retrieval.hybrid import Found, HybridSearch

ENOUGH_NEW = 3
_WIDER_DUPLICATES = 0.85
_LOWEST_THRESHOLD = 0.05


@dataclass(frozen=True, slots=True)
class SecondFound:
    """New evidence of a second retrieval, best first, with what was done to widen it."""

    evidence: list[Evidence]
    note: str
    dense_available: bool


@dataclass(frozen=True, slots=True)
class SecondSearch:
    """Runs a second retrieval over what an earlier round already saw."""

    search: HybridSearch

    async def find(
        self,
        kb: KnowledgeBase,
        queries: Sequence[str],
        profile: Profile,
        round_: int,
        seen: Sequence[Passage],
        exclude: Collection[str] = (),
        meter: Meter | None = None,
    ) -> SecondFound:
        """Return passages that no earlier round returned; `seen` are those passages.

        A listwise reranker reads the hits of the main query only: one call a retrieval. With fewer than three new ones: the next sections of the documents seen, then candidates
        with the duplicate limit at 0.85, then half the threshold (never below 0.05).
        """
        seen_ids = {passage.id for passage in seen}
        budgets = [meter] + [None] * len(queries[1:])
        found = await asyncio.gather(
            *(
                self.search.search(kb, text, profile, round_, exclude, seen_ids, budget)
                for text, budget in zip(queries, budgets, strict=True)
            )
        )
        fresh = self._fused(found, profile, seen)
        tried: list[str] = []
        for widen in (self._next_sections, self._more_candidates, self._lower_threshold):
            if len(fresh) >= ENOUGH_NEW:
                break
            more, name = await widen(kb, queries[0], found, profile, round_, seen)
            fresh = _merge(fresh, [item for item in more if item.passage.id not in seen_ids])
            tried.append(name)
        note = "" if fresh else "nothing new was found"
        if tried and fresh:
            note = "widened: " + ", ".join(tried)
        return SecondFound(
            fresh[: profile.top_n], note, all(part.dense_available for part in found)
        )

    def _fused(
        self, found: Sequence[Found], profile: Profile, seen: Sequence[Passage]
    ) -> list[Evidence]:
        limit = self.search.policy.near_duplicate
        fresh: list[Evidence] = []
        for index, part in enumerate(found):
            new = [item for item in part.evidence if not _repeats(item, seen, limit)]
            kept = new if index == 0 else new[: self.search.policy.gap_candidates]
            fresh = _merge(fresh, kept)
        return collapse(fresh, limit)[: profile.top_n]

    async def _next_sections(
        self,
        kb: KnowledgeBase,
        query: str,
        found: Sequence[Found],
        profile: Profile,
        round_: int,
        seen: Sequence[Passage],
    ) -> tuple[list[Evidence], str]:
        name = "next sections"
        anchors = [passage.id for passage in seen[:3]]
        anchors += [item.passage.id for part in found for item in part.evidence[:2]]
        following = await kb.following(list(dict.fromkeys(anchors)))
        if not following:
            return [], name
        parsed = await self.search.query(query)
        scored = await self.search.gatherer.score(kb, parsed, following, profile)
        ranked = await self.search.rank(kb, parsed, scored, profile, round_)
        limit = self.search.policy.near_duplicate
        chosen = self.search.select(ranked, profile)
        return [item for item in chosen if not _repeats(item, seen, limit)], name

    async def _more_candidates(
        self,
        _kb: KnowledgeBase,
        _query: str,
        found: Sequence[Found],
        profile: Profile,
        _round: int,
        seen: Sequence[Passage],
    ) -> tuple[list[Evidence], str]:
        return self._reselect(found, profile, profile.threshold, seen), "duplicate limit 0.85"

    async def _lower_threshold(
        self,
        _kb: KnowledgeBase,
        _query: str,
        found: Sequence[Found],
        profile: Profile,
        _round: int,
        seen: Sequence[Passage],
    ) -> tuple[list[Evidence], str]:
        floor = max(_LOWEST_THRESHOLD, profile.threshold / 2)
        return self._reselect(found, profile, floor, seen), f"threshold {floor:g}"

    def _reselect(
        self, found: Sequence[Found], profile: Profile, floor: float, seen: Sequence[Passage]
    ) -> list[Evidence]:
        more: list[Evidence] = []
        for part in found:
            more = _merge(
                more,
                self.search.select(part.ranked, profile, floor, _WIDER_DUPLICATES, clean=False),
            )
        return [item for item in more if not _repeats(item, seen, _WIDER_DUPLICATES)]


def _merge(left: Sequence[Evidence], right: Sequence[Evidence]) -> list[Evidence]:
    """Return both lists as one, each passage once with its best score, best first."""
    best: dict[str, Evidence] = {}
    for item in (*left, *right):
        known = best.get(item.passage.id)
        if known is None or item.score > known.score:
            best[item.passage.id] = item
    return sorted(best.values(), key=lambda item: (-item.score, item.passage.id))


def _repeats(item: Evidence, seen: Sequence[Passage], limit: float) -> bool:
    return any(near_duplicates(item.passage, passage, limit) for passage in seen)
