"""Runs that were accepted: their state, their answer, their events."""

import json

from fastapi import APIRouter
from fastapi.responses import Response

from app.deps import LastEventId, RunsDep, SettingsDep
from app.errors import RUN_ERRORS
from app.replies import links
from app.resources import RunOut, moment
from app.run_records import Run
from app.runs import RunManager
from app.schemas import Answer, ErrorBody
from app.streaming import MEDIA_TYPE, event_stream

router = APIRouter(prefix="/runs", tags=["runs"])


async def _outcome(runs: RunManager, run: Run) -> tuple[Answer | None, ErrorBody | None]:
    if run.status == "done":
        return Answer.model_validate_json(await runs.answer(run)), None
    errors = (
        await runs.store.events(run.id, kind="error")
        if run.status in ("error", "cancelled")
        else []
    )
    if not errors:
        return None, None
    told = json.loads(errors[-1].data)
    return None, ErrorBody(**told, hint=RUN_ERRORS[told["code"]].hint)


@router.get("/{run_id}")
async def get_run(run_id: str, runs: RunsDep) -> RunOut:
    """Return a run with its answer, once there is one."""
    return await _shown(runs, await runs.store.run(run_id))


@router.post("/{run_id}/cancel")
async def cancel_run(run_id: str, runs: RunsDep) -> RunOut:
    """End a question that is running or was interrupted; one that is over stays as it is."""
    return await _shown(runs, await runs.cancel(run_id))


async def _shown(runs: RunManager, run: Run) -> RunOut:
    answer, error = await _outcome(runs, run)
    return RunOut(
        run_id=run.id,
        thread_id=run.thread_id,
        kb=run.kb,
        question=run.question,
        status=run.status,
        attempt=run.attempt,
        created_at=moment(run.created),
        updated_at=moment(run.updated),
        answer=answer,
        error=error,
        urls=links(run),
    )


@router.get(
    "/{run_id}/events",
    response_model=None,
    responses={
        200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}},
        204: {"description": "The run is over and every event was received: stop reconnecting."},
    },
)
async def get_events(
    run_id: str, runs: RunsDep, settings: SettingsDep, after: LastEventId
) -> Response:
    """Replay the events after `Last-Event-ID`, then follow the run to its end."""
    run = await runs.store.run(run_id)
    headers = {"X-Run-Id": run.id, "X-Thread-Id": run.thread_id}
    over = run.status in ("done", "error", "cancelled")
    if over and after and not await runs.store.events(run.id, after):
        return Response(status_code=204, headers=headers)
    return event_stream(runs, run.id, after, settings.heartbeat_seconds, headers)
