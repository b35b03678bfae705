"""Serper's wrapper with an address of one's own: a proxy, or a server that speaks its format."""

from typing import Any

import aiohttp
from langchain_community.utilities.google_serper import GoogleSerperAPIWrapper

_OFFICIAL = "https://google.serper.dev"


class SerperAt(GoogleSerperAPIWrapper):
    """The wrapper, which itself knows only the official address."""

    address: str | None = None
    """Base URL; None for the official one."""

    async def _async_google_serper_search_results(
        self, search_term: str, search_type: str = "search", **kwargs: Any
    ) -> dict[str, Any]:
        """Return the reply; raises aiohttp.ClientError for a refusal too."""
        headers = {"X-API-KEY": self.serper_api_key or "", "Content-Type": "application/json"}
        wanted = {"q": search_term} | {k: v for k, v in kwargs.items() if v is not None}
        url = f"{(self.address or _OFFICIAL).rstrip('/')}/{search_type}"
        async with (
            aiohttp.ClientSession() as session,
            session.post(url, json=wanted, headers=headers, raise_for_status=True) as response,
        ):
            reply: dict[str, Any] = await response.json()
            return reply
