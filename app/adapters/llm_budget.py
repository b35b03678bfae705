"""What all questions of a server together may spend on the model, by the day."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from app.adapters.database import Database
from graphs.meter import Meter
from graphs.reasoners.chat import BudgetExhausted


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls, tokens and seconds of waiting for the model."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The most that a day (UTC) may cost; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def reached(self, spent: Spending) -> str:
        """Return what is used up, empty if nothing is."""
        if self.calls is not None and spent.calls >= self.calls:
            return f"{self.calls} model calls"
        if self.tokens is not None and spent.tokens >= self.tokens:
            return f"{self.tokens} model tokens"
        if self.seconds is not None and spent.seconds >= self.seconds:
            return f"{self.seconds:g} seconds of the model"
        return ""


class ServerBudget:
    """Counts what is spent in `kb.sqlite`, so that a restart gives nothing back."""

    def __init__(
        self, database: Database, limits: Limits, clock: Callable[[], float] = time.time
    ) -> None:
        self._database = database
        self._limits = limits
        self._clock = clock
        self._lock = threading.Lock()
        self._open = 0
        """Calls that were let through and not booked yet."""

    def spent(self) -> Spending:
        """Return what today has cost so far."""
        with self._database.read() as connection:
            row = connection.execute(
                "SELECT calls, tokens, seconds FROM model_spending WHERE day = ?", (self._day(),)
            ).fetchone()
        return Spending(*row) if row else Spending()

    def admit(self, meter: Meter) -> None:
        """Let one call through; `book` ends it.

        Raises BudgetExhausted, and says so in the meter, where the day's budget is used up: calls that
        are under way count as one each.
        """
        with self._lock:
            spent = self.spent()
            spent = replace(spent, calls=spent.calls + self._open)
            if used_up := self._limits.reached(spent):
                meter.exhausted = True
                raise BudgetExhausted(f"the budget of this day is used up: {used_up}")
            self._open += 1

    def book(self, calls: int, tokens: int, seconds: float) -> None:
        """End what `admit` let through, and add what it has cost, repeats included."""
        with self._lock:
            self._open -= 1
        if not calls:
            return
        with self._database.write() as connection:
            connection.execute(
                "INSERT INTO model_spending(day, calls, tokens, seconds) VALUES (?, ?, ?, ?) "
                "ON CONFLICT(day) DO UPDATE SET calls = calls + excluded.calls, "
                "tokens = tokens + excluded.tokens, seconds = seconds + excluded.seconds",
                (self._day(), calls, tokens, seconds),
            )

    def _day(self) -> str:
        return time.strftime("%Y-%m-%d", time.gmtime(self._clock()))
