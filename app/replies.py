"""How a run is answered: as JSON, as a stream of events, or with a place to look later."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import JSONResponse, Response

from app.deps import LastEventId, RunsDep, SettingsDep, WantsAsync, WantsStream
from app.error_responses import of_service
from app.errors import RunFailed, RunInterrupted
from app.resources import LinksOut, RunAccepted
from app.run_records import Run
from app.runs import RunManager
from app.schemas import Answer
from app.streaming import MEDIA_TYPE, event_stream

_LOOK_SECONDS = 0.5
"""How often a waiting client is looked for."""
RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {
        "model": Answer,
        "description": "The answer; with `Accept: text/event-stream` the events of the run.",
        "content": {MEDIA_TYPE: {"schema": {"type": "string"}}},
    },
    202: {
        "model": RunAccepted,
        "description": "Accepted, with `Prefer: respond-async`; the urls tell where to look.",
    },
}


def links(run: Run) -> LinksOut:
    """Return the addresses of a run."""
    return LinksOut(
        run=f"/runs/{run.id}", events=f"/runs/{run.id}/events", thread=f"/threads/{run.thread_id}"
    )


@dataclass(frozen=True, slots=True)
class Reply:
    """Answers an accepted run in the way that the request's headers ask for."""

    request: Request
    runs: RunManager
    heartbeat: float
    after: int
    stream: bool
    later: bool

    async def to(self, run: Run, leaving_cancels: bool = False) -> Response:
        """Return the response; every form names the run in `X-Run-Id`.

        `leaving_cancels` ends the run where the client leaves before its end; who prefers to come
        back later does not leave.
        """
        headers = {"X-Run-Id": run.id, "X-Thread-Id": run.thread_id}
        if self.later:
            return self._accepted(run, headers)
        if self.stream:
            return event_stream(
                self.runs, run.id, self.after, self.heartbeat, headers, leaving_cancels
            )
        try:
            if leaving_cancels:
                await self._present(run)
            text = await self.runs.answer(await self.runs.wait(run.id))
        except (RunFailed, RunInterrupted) as error:
            # Not left to the common handler: the caller needs the ids all the more.
            return of_service(error, headers)
        return Response(text, media_type="application/json", headers=headers)

    async def _present(self, run: Run) -> None:
        """Wait for the end of a run; a client that leaves meanwhile ends it."""
        over = asyncio.ensure_future(self.runs.wait(run.id))
        while not over.done():
            await asyncio.wait([over], timeout=_LOOK_SECONDS)
            if not over.done() and await self.request.is_disconnected():
                await self.runs.cancel(run.id)
        await asyncio.wait([over])

    def later_at(self, run: Run) -> Response:
        """Return where to look, whatever the request's headers prefer."""
        return self._accepted(run, {"X-Run-Id": run.id, "X-Thread-Id": run.thread_id})

    def _accepted(self, run: Run, headers: Mapping[str, str]) -> Response:
        urls = links(run)
        body = RunAccepted(run_id=run.id, thread_id=run.thread_id, urls=urls)
        more = {"Location": urls.run, "Preference-Applied": "respond-async"}
        return JSONResponse(body.model_dump(), status_code=202, headers={**headers, **more})


def _reply(
    request: Request,
    runs: RunsDep,
    settings: SettingsDep,
    after: LastEventId,
    stream: WantsStream,
    later: WantsAsync,
) -> Reply:
    return Reply(request, runs, settings.heartbeat_seconds, after, stream, later)


ReplyDep = Annotated[Reply, Depends(_reply)]
