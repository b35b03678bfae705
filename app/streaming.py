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


async def _body(runs: RunManager, run_id: str, after: int, heartbeat: float) -> AsyncIterator[str]:
    async for events in runs.follow(run_id, after, heartbeat):
        yield "".join(map(wire, events)) or _HEARTBEAT


def event_stream(
    runs: RunManager,
    run_id: str,
    after: int,
    heartbeat: float,
    headers: Mapping[str, str],
) -> StreamingResponse:
    """Return the events of a run after the id `after`, then those to come, until it is over."""
    fixed = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    body = _body(runs, run_id, after, heartbeat)
    return StreamingResponse(body, media_type=MEDIA_TYPE, headers={**fixed, **headers})
