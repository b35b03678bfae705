"""One question, through whichever door is open."""

from typing import Any

from app.commands.client import Reply
from app.commands.door import connect
from app.commands.screen import err
from app.settings import Settings


async def ask(
    settings: Settings, question: str, kb: str | None, thread_id: str | None, options: Reply
) -> Reply:
    """Return the whole answer; raises CommandFailed."""
    given: dict[str, Any] = {"kb": kb, "thread_id": thread_id}
    body = {name: value for name, value in given.items() if value is not None}
    body |= {"question": question, "options": {k: v for k, v in options.items() if v is not None}}
    with err.status("…"):
        async with connect(settings) as client:
            return await client.ask(body)
