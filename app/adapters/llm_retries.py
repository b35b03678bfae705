"""Whether a failed model call is worth another try, when, and in which words."""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TypeVar

import openai

from app.adapters.llm_dialect import Dialect, refused, too_long
from graphs.errors import ModelOutputInvalid, ModelUnavailable
from graphs.reasoners.base import Meter
from graphs.reasoners.chat import BudgetExhausted, ContextTooLong

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")

NOT_A_COMPLETION = (TypeError, AttributeError, LookupError, ValueError)
"""What the vendor's client raises over a 200 whose body is no chat completion."""
_FIRST_PAUSE = 0.5
"""Seconds; doubles with every failure, times a jitter of 0.5 to 1.5."""
_SHORTEST_REPLY = 64
"""Tokens below which a reply is not worth asking for."""


@dataclass(frozen=True, slots=True)
class Job:
    """One call as the retry loop sees it."""

    prompt_tokens: int
    max_tokens: int
    meter: Meter
    structured: bool = False
    streaming: bool = False

    def failed(self, error: Exception, failures: int, retries: int) -> float:
        """Book a failed call and return the seconds until the next; raises if there is none."""
        if isinstance(error, openai.LengthFinishReasonError):
            usage = error.completion.usage
            known = (usage.prompt_tokens, usage.completion_tokens) if usage else None
            self.meter.record(*(known or (self.prompt_tokens, self.max_tokens)))
            raise ModelOutputInvalid("the reply was cut by the token limit") from error
        # a request that reached the model and ran out of time has cost its prompt
        reached = isinstance(
            error,
            (
                openai.APITimeoutError,
                TimeoutError,
                openai.ContentFilterFinishReasonError,
                *NOT_A_COMPLETION,
            ),
        )
        self.meter.record(self.prompt_tokens if reached else 0, 0)
        if isinstance(error, (openai.ContentFilterFinishReasonError, *NOT_A_COMPLETION)):
            raise ModelOutputInvalid("the reply is no chat completion") from error
        if failures > retries or not worth_retrying(error):
            raise ModelUnavailable(f"the model can't be used: {type(error).__name__}") from error
        return pause(error, failures, self.meter.deadline)


async def persist(
    send: Callable[[Dialect, int], Awaitable[_Result]], job: Job, dialect: Dialect, retries: int
) -> tuple[_Result, Dialect]:
    """Send until it works: simpler after a refusal, later after a passing failure.

    Returns the result and the dialect in which it was got. Raises ModelUnavailable and
    ModelOutputInvalid.
    """
    failures = 0
    cause: Exception | None = None
    while True:
        limit = admit(job.meter, job.prompt_tokens, job.max_tokens, cause)
        try:
            async with asyncio.timeout(job.meter.deadline - time.time()):
                result = await send(dialect, limit)
        except (openai.OpenAIError, TimeoutError, *NOT_A_COMPLETION) as error:
            if isinstance(error, openai.APIStatusError) and refused(error):
                job.meter.record(0, 0)
                dialect, cause = _simpler(error, dialect, job), error
                continue
            job.meter.exhausted = job.meter.exhausted or time.time() >= job.meter.deadline
            failures, cause = failures + 1, error
            wait = job.failed(error, failures, retries)
            _log.info("model call failed (%s), next try in %.1f s", type(error).__name__, wait)
            await asyncio.sleep(wait)
        else:
            return result, dialect


def _simpler(error: openai.APIStatusError, dialect: Dialect, job: Job) -> Dialect:
    """Return what to try after a refusal. Raises ContextTooLong, and ModelUnavailable for no idea."""
    if too_long(error.status_code, error.message):
        raise ContextTooLong("the prompt does not fit into the model's context") from error
    simpler = dialect.simpler(error.message, job.structured, job.streaming)
    if simpler is None:
        raise ModelUnavailable("the model server refuses the request") from error
    return simpler


def admit(meter: Meter, prompt_tokens: int, max_tokens: int, cause: Exception | None) -> int:
    """Return how many tokens the reply may have.

    Raises BudgetExhausted where nothing was tried, ModelUnavailable where a failure used it up.
    """
    limit = min(max_tokens, meter.tokens_left - prompt_tokens)
    if meter.may_call() and limit >= min(_SHORTEST_REPLY, max_tokens):
        return limit
    meter.exhausted = True
    if cause is None:
        raise BudgetExhausted("no model call fits into what is left for this question")
    raise ModelUnavailable("the model failed and no further call is left") from cause


def worth_retrying(error: Exception) -> bool:
    """Tell whether the same request may succeed a moment later."""
    if isinstance(error, openai.APIStatusError):
        return error.status_code in (408, 429) or error.status_code >= 500
    return isinstance(error, openai.APIConnectionError)


def pause(error: Exception, failures: int, deadline: float) -> float:
    """Return the seconds to wait; raises ModelUnavailable where that lies behind the deadline."""
    seconds = patience_for(error, failures)
    if time.time() + seconds >= deadline:
        raise ModelUnavailable("the model server asks for more patience than is left") from error
    return seconds


def patience_for(error: Exception, failures: int) -> float:
    """Return the seconds that a server needs after its `failures`-th failure, as it asks or doubled."""
    asked = _retry_after(error)
    if asked is not None:
        return asked + random.uniform(0.0, 0.25)
    return _FIRST_PAUSE * 2.0 ** (failures - 1) * random.uniform(0.5, 1.5)


def _retry_after(error: Exception) -> float | None:
    """Return the seconds that `Retry-After` asks for, written as seconds or as a date."""
    if not isinstance(error, openai.APIStatusError):
        return None
    value = error.response.headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return None
    return max(seconds, 0.0)
