"""Server-sent events: a client tails the event log of a run and never owns the run."""

from collections.abc import AsyncIterator, Mapping

from starlette.responses import StreamingResponse

from app.run_records import Event
from app.runs import RunManager

MEDIA_TYPE = "text/event-stream"
_HEARTBEAT = ": heartbeat\n\n"


def wire(event: Event) -> str:
    """Return one event as it goes over the wire; JSON text holds no line end."""
    return f"id: {event.id}\nevent: {event.type}\ndata: {event.data}\n\n"


async def _body(
    runs: RunManager, run_id: str, after: int, heartbeat: float, leaving_cancels: bool
) -> AsyncIterator[str]:
    whole = False
    try:
        async for events in runs.follow(run_id, after, heartbeat):
            whole = bool(events) and events[-1].type == "done"
            yield "".join(map(wire, events)) or _HEARTBEAT
    finally:
        if leaving_cancels and not whole:
            runs.cancel_soon(run_id)  # this task is being cancelled itself: it can't wait


def event_stream(
    runs: RunManager,
    run_id: str,
    after: int,
    heartbeat: float,
    headers: Mapping[str, str],
    leaving_cancels: bool = False,
) -> StreamingResponse:
    """Return the events of a run after the id `after`, then those to come, until it is over.

    `leaving_cancels`: a client that leaves before that ends the run.
    """
    fixed = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    body = _body(runs, run_id, after, heartbeat, leaving_cancels)
    return StreamingResponse(body, media_type=MEDIA_TYPE, headers={**fixed, **headers})
