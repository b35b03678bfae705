"""A heartbeat of the event loop: what blocks it shows as lag."""

import asyncio
from collections import deque

import numpy as np

from app.resources import PulseOut

_PERIOD = 0.005
_KEPT = 12_000
"""One minute of ticks."""


class Pulse:
    """Ticks every 5 ms and keeps how late each tick came."""

    def __init__(self) -> None:
        self._lags: deque[float] = deque(maxlen=_KEPT)

    async def run(self) -> None:
        """Tick until cancelled."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + _PERIOD, loop.time())
            await asyncio.sleep(due - loop.time())
            self._lags.append(max(0.0, loop.time() - due) * 1000)

    def reset(self) -> None:
        """Forget the ticks so far: a measurement starts."""
        self._lags.clear()

    def report(self) -> PulseOut:
        """Return the quantiles of the kept ticks."""
        lags = np.array(self._lags or [0.0])
        p50, p99 = np.percentile(lags, (50, 99))
        return PulseOut(
            ticks=len(self._lags),
            p50_ms=round(float(p50), 2),
            p99_ms=round(float(p99), 2),
            max_ms=round(float(lags.max()), 2),
        )
