"""Which model calls are made at all: not to a server that is down, not beyond the server's budget."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from app.adapters.llm_breaker import Breaker
from app.adapters.llm_budget import ServerBudget
from graphs.errors import ModelOutputInvalid, ModelUnavailable
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import BudgetExhausted, ContextTooLong

_FAILURES, _PAUSE = 5, 30.0
"""Calls that fail in a row, and the seconds for which the server is then left alone."""


@dataclass(frozen=True, slots=True)
class CallGuard:
    """A breaker and, where one is set, a budget of all questions together."""

    breaker: Breaker = field(default_factory=lambda: Breaker(_FAILURES, _PAUSE))
    budget: ServerBudget | None = None

    @asynccontextmanager
    async def around(self, meter: Meter) -> AsyncIterator[None]:
        """Ask both before a call, tell them afterwards how it went and what it cost.

        Raises ModelUnavailable or BudgetExhausted where the call must not be made.
        """
        self.breaker.admit()
        if self.budget is not None:
            await asyncio.to_thread(self.budget.admit, meter)
        calls, tokens, began = meter.calls, meter.tokens, time.monotonic()
        try:
            yield
        except BudgetExhausted:
            raise
        except (ContextTooLong, ModelOutputInvalid):
            self.breaker.worked()
            raise
        except ModelUnavailable as error:
            self.breaker.failed(error)
            raise
        else:
            self.breaker.worked()
        finally:
            if self.budget is not None:
                spent = (meter.calls - calls, meter.tokens - tokens, time.monotonic() - began)
                await asyncio.to_thread(self.budget.book, *spent)
