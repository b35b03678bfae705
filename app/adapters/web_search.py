"""Providers of web search: Tavily through its own package, Serper and SearxNG through wrappers.

The packages come with the extra `web` and are loaded only where a provider is configured.
langchain-community tells on import that it is no longer maintained: its wrappers are needed all the same.
"""

import asyncio
import warnings
from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.tools import ToolException

from app.adapters.web_text import pages
from app.settings import Settings
from graphs.errors import WebSearchFailed
from graphs.evidence.text import language
from graphs.web_ports import WebPage

Ask = Callable[[str, int], Awaitable[list[WebPage]]]
_HINT = "web search needs packages of its own: pip install 'youju[web]'"


class Provider:
    """Implements WebSearch over one provider's client."""

    def __init__(self, name: str, ask: Ask, seconds: float) -> None:
        self._name = name
        self._ask = ask
        self._seconds = seconds

    @property
    def name(self) -> str:
        """The provider's name."""
        return self._name

    async def search(self, query: str, limit: int) -> list[WebPage]:
        """Return at most `limit` pages. Raises WebSearchFailed."""
        try:
            async with asyncio.timeout(self._seconds):
                return await self._ask(query, limit)
        except TimeoutError as error:
            raise WebSearchFailed(
                f"{self._name} did not answer within {self._seconds:g} s"
            ) from error
        except WebSearchFailed as error:
            raise WebSearchFailed(f"{self._name}: {error}") from error
        except (
            Exception
        ) as error:  # the wrappers raise bare Exception and their clients' own errors
            raise WebSearchFailed(f"{self._name} failed: {type(error).__name__}") from error


def open_web_search(settings: Settings) -> Provider | None:
    """Return the configured provider, or None. Raises WebSearchFailed where the extra is missing."""
    opening = {"tavily": _tavily, "serper": _serper, "searxng": _searxng}
    if settings.web_provider == "off":
        return None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings(
                "ignore",
                message=r"`langchain-community` is being sunset",
                category=DeprecationWarning,
            )
            ask = opening[settings.web_provider](settings)
    except ImportError as error:
        raise WebSearchFailed(_HINT) from error
    return Provider(settings.web_provider, ask, settings.web_timeout_seconds)


def _tavily(settings: Settings) -> Ask:
    from langchain_tavily import TavilySearch  # noqa: PLC0415  # an extra

    base: dict[str, Any] = {"api_base_url": settings.web_url} if settings.web_url else {}
    client = TavilySearch(tavily_api_key=_key(settings), max_results=settings.web_results, **base)

    async def ask(query: str, limit: int) -> list[WebPage]:
        try:
            reply = await client.ainvoke({"query": query})
        except ToolException:  # that is how it says that nothing was found
            return []
        if isinstance(reply, str):
            return []
        if "error" in reply:
            raise WebSearchFailed("tavily refused the search")
        return pages(_rows(reply, "results"), "url", "title", "content", "published_date", limit)

    return ask


def _serper(settings: Settings) -> Ask:
    from app.adapters.web_serper import SerperAt  # noqa: PLC0415  # an extra

    client = SerperAt(
        serper_api_key=_key(settings), k=settings.web_results, address=settings.web_url
    )

    async def ask(query: str, limit: int) -> list[WebPage]:
        reply = await client.aresults(query)
        return pages(_rows(reply, "organic"), "link", "title", "snippet", "date", limit)

    return ask


def _searxng(settings: Settings) -> Ask:
    from langchain_community.utilities.searx_search import (  # noqa: PLC0415  # an extra
        SearxSearchWrapper,
    )

    client = SearxSearchWrapper(searx_host=settings.web_url)

    async def ask(query: str, limit: int) -> list[WebPage]:
        tongue = "zh-CN" if language(query) == "zh" else "en"
        rows = await client.aresults(query, limit, language=tongue)
        return pages(rows, "link", "title", "snippet", limit=limit)

    return ask


def _rows(reply: object, name: str) -> list[object]:
    rows = reply.get(name) if isinstance(reply, dict) else None
    if not isinstance(rows, list):
        raise WebSearchFailed("the reply holds no list of results")
    return rows


def _key(settings: Settings) -> str:
    return settings.web_key.get_secret_value() if settings.web_key else ""
