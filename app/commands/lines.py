"""Progress in plain lines, for logs and pipes where a bar can't be drawn."""

import time
from collections.abc import Callable

from app.commands.screen import note

SECONDS = 10.0
"""Time between two lines: what is done sooner says nothing."""


class ProgressLines:
    """Tells how far a command is, a line every `SECONDS`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = self._last = clock()

    def tell(self, what: str) -> None:
        """Write a line unless the last one is too recent."""
        now = self._clock()
        if now - self._last >= SECONDS:
            self._last = now
            note(f"{what} after {now - self._began:.0f} s")
