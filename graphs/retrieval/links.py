"""Title links: passages whose title or section the question names, or one of the best passages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from graphs.evidence.passages import Passage
from graphs.ports import KnowledgeBase

_READ = 4
"""Passages whose text is looked through for titles."""
_NAMED = 8
"""Passages that one text may lead to."""


@dataclass(frozen=True, slots=True)
class Links:
    """Ids of passages that something names. `linked` maps an id to 1 / rank of what names it."""

    named: frozenset[str] = frozenset()
    linked: Mapping[str, float] = field(default_factory=dict)

    @property
    def ids(self) -> list[str]:
        """Every id once, those that the question names first."""
        return list(dict.fromkeys((*sorted(self.named), *self.linked)))


async def links_of(
    kb: KnowledgeBase, question: str, best: Sequence[Passage], exclude: Collection[str] = ()
) -> Links:
    """Return what the question names and what the first few of `best` name beside themselves."""
    texts = best[:_READ]
    by_question, *by_texts = await kb.titled(
        [question, *(passage.text for passage in texts)], _NAMED, exclude
    )
    linked: dict[str, float] = {}
    for rank, (passage, ids) in enumerate(zip(texts, by_texts, strict=True), start=1):
        for id_ in ids:
            if id_ != passage.id:
                linked.setdefault(id_, 1 / rank)
    return Links(frozenset(by_question), linked)
