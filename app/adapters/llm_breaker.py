"""A circuit breaker: a model server that fails again and again is left alone for a while."""

import time
from collections.abc import Callable

from graphs.errors import ModelUnavailable


class Breaker:
    """Opens after `failures` failed calls in a row; after `seconds` one call may try again.

    Without it every question would wait for the timeouts of a server that is down. `clock` returns
    seconds that never go back.
    """

    def __init__(
        self, failures: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._limit = failures
        self._seconds = seconds
        self._clock = clock
        self._failed = 0
        self._closed_until = 0.0
        self._reason = ""

    @property
    def silent_because(self) -> str:
        """Why no call is made at the moment, else empty."""
        return self._reason if self._open() else ""

    def admit(self) -> None:
        """Let a call through, or raise ModelUnavailable. The first one after the pause is a trial."""
        if self._open():
            raise ModelUnavailable(self._reason)
        if self._failed >= self._limit:  # others wait until the trial has ended
            self._closed_until = self._clock() + self._seconds

    def worked(self) -> None:
        """Note a call that the server answered."""
        self._failed, self._closed_until, self._reason = 0, 0.0, ""

    def failed(self, error: Exception) -> None:
        """Note a call that the server did not answer, its own repeats counted as one."""
        self._failed += 1
        if self._failed >= self._limit:
            self._closed_until = self._clock() + self._seconds
            self._reason = (
                f"the model server failed {self._failed} times in a row and is left alone for "
                f"{self._seconds:g} s ({error})"
            )

    def _open(self) -> bool:
        return self._clock() < self._closed_until
