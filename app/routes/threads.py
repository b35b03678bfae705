"""Threads: conversations, their checkpoints, and what a stopped process left unfinished."""

import hashlib
import math
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from app.deps import KeeperDep, RunsDep, ServicesDep
from app.errors import InvalidRequest
from app.forking import fork
from app.history import history
from app.questions import ForkRequest
from app.replies import RESPONSES, ReplyDep
from app.resources import (
    HistoryOut,
    RunAccepted,
    ThreadListOut,
    ThreadOut,
    ThreadRunOut,
    ThreadSummaryOut,
    moment,
)
from app.run_records import Run
from app.runs import RunManager
from app.schemas import Answer

router = APIRouter(prefix="/threads", tags=["threads"])


async def _in_short(runs: RunManager, run: Run) -> ThreadRunOut:
    answer = None
    if run.status == "done":
        answer = Answer.model_validate_json(await runs.answer(run))
    return ThreadRunOut(
        run_id=run.id,
        question=run.question,
        status=run.status,
        answer_status=answer.status if answer else None,
        answer=answer.answer if answer else None,
        created_at=moment(run.created),
    )


@router.get("")
async def list_threads(
    runs: RunsDep,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
) -> ThreadListOut:
    """Return the threads, newest first, a page at a time."""
    found = await runs.store.threads(limit + 1, _place(cursor) if cursor else None)
    page, more = found[:limit], len(found) > limit
    return ThreadListOut(
        threads=[
            ThreadSummaryOut(
                thread_id=each.id,
                kb=each.kb,
                question=each.question,
                runs=each.runs,
                status=each.status,
                created_at=moment(each.created),
                updated_at=moment(each.updated),
            )
            for each in page
        ],
        next=f"{page[-1].created!r}_{page[-1].id}" if more else None,
    )


def _place(cursor: str) -> tuple[float, str]:
    created, _, id_ = cursor.partition("_")
    try:
        place = float(created)
    except ValueError:
        place = math.nan
    if not math.isfinite(place) or not id_:
        raise InvalidRequest("cursor must be the `next` of an earlier page.")
    return place, id_


@router.get("/{thread_id}")
async def get_thread(thread_id: str, runs: RunsDep) -> ThreadOut:
    """Return a thread with its questions and answers."""
    thread, all_runs = await runs.thread(thread_id)
    return ThreadOut(
        thread_id=thread.id,
        kb=thread.kb,
        created_at=moment(thread.created),
        runs=[await _in_short(runs, run) for run in all_runs],
    )


@router.get("/{thread_id}/history")
async def get_history(thread_id: str, runs: RunsDep, services: ServicesDep) -> HistoryOut:
    """Return one checkpoint for each entry of each run's `path`, newest last."""
    thread = await runs.store.thread(thread_id)
    return HistoryOut(
        thread_id=thread.id,
        checkpoints=await history(services.graph, thread.id),
        pruned_before=await runs.store.pruned_before(thread.id),
    )


@router.post("/{thread_id}/resume", response_model=None, responses=RESPONSES)
async def resume(thread_id: str, runs: RunsDep, reply: ReplyDep) -> Response:
    """Finish the interrupted question of a thread, from its last checkpoint on."""
    return await reply.to(await runs.resume(thread_id))


@router.post("/{thread_id}/fork", status_code=202, response_model=RunAccepted)
async def fork_thread(
    thread_id: str, body: ForkRequest, runs: RunsDep, services: ServicesDep, reply: ReplyDep
) -> Response:
    """Replay a question from one of its checkpoints on a new thread, with values changed."""
    key = hashlib.sha256(body.model_dump_json().encode()).hexdigest()
    run = await fork(runs, services.graph, services.policy, thread_id, body, key)
    return reply.later_at(run)


@router.delete("/{thread_id}", status_code=204)
async def delete_thread(thread_id: str, runs: RunsDep, keeper: KeeperDep) -> None:
    """Delete a thread with its checkpoints, runs and events, and texts kept for it alone."""
    await runs.delete(thread_id)
    await keeper.sweep()
