"""Drops the canonical texts that a newer version replaced and no kept answer points to."""

import asyncio
import logging

from app.adapters.old_texts import OldTexts
from app.run_store import RunStore
from graphs.errors import StoreUnavailable

logger = logging.getLogger(__name__)

_PERIOD = 600.0
"""Seconds between two looks. Texts that an ingest replaced and nobody cites wait for the next."""


class TextKeeper:
    """Looks at the start, from time to time, and when a thread was deleted."""

    def __init__(self, texts: OldTexts, runs: RunStore) -> None:
        self._texts = texts
        self._runs = runs

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            await self.sweep()
            await asyncio.sleep(_PERIOD)

    async def sweep(self) -> None:
        """Drop what nothing points to; a store that fails is tried again at the next look."""
        try:
            retired = await asyncio.to_thread(self._texts.retired)
            if not retired:
                return
            pinned = await self._runs.pinned()
            useless = [
                text
                for text in retired
                if (text.document_id, text.version) not in pinned.cited
                and (pinned.since is None or text.retired < pinned.since)
            ]
            if useless:
                await asyncio.to_thread(self._texts.drop, useless)
        except StoreUnavailable:
            logger.exception("replaced texts could not be looked through")
