"""Lets the steps of finished questions go when their time is over."""

import asyncio
import logging
import time

from app.adapters.checkpoint_pruning import CheckpointPruner
from graphs.errors import StoreUnavailable

logger = logging.getLogger(__name__)

_PERIOD = 600.0
_ON = 0.2
"""Seconds between two batches while there is more to do: questions come first."""


class StepKeeper:
    """Looks at the start and from time to time."""

    def __init__(self, pruner: CheckpointPruner) -> None:
        self._pruner = pruner

    async def run(self) -> None:
        """Look until cancelled."""
        while True:  # noqa: ASYNC110 # time passes by itself: there is no event to wait for
            await asyncio.sleep(_ON if await self.sweep() else _PERIOD)

    async def sweep(self) -> int:
        """Prune one batch and return its threads; a store that fails is tried again at the next look."""
        try:
            return await self._pruner.prune(time.time())
        except StoreUnavailable:
            logger.exception("checkpoints could not be pruned")
            return 0
