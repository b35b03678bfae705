"""What the web branch needs from outside, as Protocols."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from graphs.evidence.passages import Passage


@dataclass(frozen=True, slots=True)
class WebPage:
    """One hit of a web search: plain text of the page or a part of it. `date` is an ISO prefix."""

    url: str
    title: str
    text: str
    date: str | None = None


class WebSearch(Protocol):
    """A provider of web search."""

    @property
    def name(self) -> str:
        """The provider's name."""
        ...

    async def search(self, query: str, limit: int) -> list[WebPage]:
        """Return at most `limit` pages, best first. Raises WebSearchFailed."""
        ...


class WebPages(Protocol):
    """The pages that were found, kept until the answers that cite them are long done."""

    async def keep(self, pages: Sequence[Passage]) -> None:
        """Keep pages. Raises StoreUnavailable."""
        ...

    async def read(self, ids: Sequence[str]) -> list[Passage]:
        """Return the pages in the order of `ids`; ids that are gone are left out."""
        ...


@dataclass(frozen=True, slots=True)
class Web:
    """What the web branch works with: a provider, where pages are kept, how many are asked for."""

    search: WebSearch
    pages: WebPages
    results: int = 5
