"""What users say of answers: labels for the next calibration."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from app.deps import RunsDep, ServicesDep
from app.errors import UnknownDocument
from app.feedback import Feedback, NewFeedback, Verdict, labels_of
from app.questions import Id, Request, Text
from app.resources import moment
from app.schemas import ErrorOut
from graphs.ask.records import Status

router = APIRouter(prefix="/feedback", tags=["feedback"])

_JSON_LINES = "application/x-ndjson"
_REFUSED: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorOut, "description": "There is no such run, or no such document."},
    409: {"model": ErrorOut, "description": "The run has no answer, or none yet."},
}


class FeedbackRequest(Request):
    """What a user says of a finished run. What is said again of a run replaces what was said."""

    run_id: Id
    verdict: Verdict
    """`right`: the answer is right, or the refusal was. `wrong`: the answer is wrong, or the
    refusal was, since the documents do say it. `should_have_refused`: they do not say it."""
    document_id: Id | None = None
    """The document that holds the answer, where it is known."""
    note: Annotated[Text, Field(max_length=4000)] = ""


class FeedbackOut(BaseModel):
    """What a user said of a run."""

    run_id: str
    kb: str
    question: str
    """As it can be asked again: a follow-up with what it refers to."""
    status: Status
    """What the run had come to."""
    verdict: Verdict
    document_id: str | None
    note: str
    given_at: str


class FeedbackListOut(BaseModel):
    """Feedback, newest first; `next` is the cursor of the next page, null on the last one."""

    feedback: list[FeedbackOut]
    next: str | None


def _out(found: Feedback) -> FeedbackOut:
    return FeedbackOut(
        run_id=found.run_id,
        kb=found.kb,
        question=found.question,
        status=found.status,
        verdict=found.verdict,
        document_id=found.document_id,
        note=found.note,
        given_at=moment(found.given),
    )


@router.post("", responses=_REFUSED)
async def give_feedback(body: FeedbackRequest, runs: RunsDep, services: ServicesDep) -> FeedbackOut:
    """Say of a run whether it was right; the next calibration of its knowledge base learns from it."""
    run = await runs.store.run(body.run_id)
    if body.document_id is not None and not await services.library.document(
        run.kb, body.document_id
    ):
        raise UnknownDocument("There is no document with this id in the run's knowledge base.")
    new = NewFeedback(run.id, body.verdict, body.document_id, body.note)
    return _out(await runs.store.put_feedback(new))


Kb = Annotated[str | None, Query(max_length=100, description="Only of this knowledge base.")]


@router.get("")
async def list_feedback(
    runs: RunsDep,
    services: ServicesDep,
    kb: Kb = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[
        str | None, Query(pattern="^[0-9]{1,18}$", description="`next` of the page before.")
    ] = None,
) -> FeedbackListOut:
    """List what was said of runs, newest first."""
    before = int(cursor) if cursor is not None else None
    found = await _found(runs, services, kb, limit + 1, before)
    shown = found[:limit]
    more = str(shown[-1].number) if len(found) > limit else None
    return FeedbackListOut(feedback=[_out(each) for each in shown], next=more)


@router.get(
    "/labels",
    response_class=PlainTextResponse,
    responses={200: {"content": {_JSON_LINES: {"schema": {"type": "string"}}}}},
)
async def list_labels(runs: RunsDep, services: ServicesDep, kb: Kb = None) -> PlainTextResponse:
    """Return the labels that follow from the feedback, as the lines that `youju calibrate` reads."""
    labels = labels_of(await _found(runs, services, kb, None, None))
    lines = "".join(label.model_dump_json(exclude_defaults=True) + "\n" for label in labels)
    return PlainTextResponse(lines, media_type=_JSON_LINES)


async def _found(
    runs: RunsDep, services: ServicesDep, kb: str | None, limit: int | None, before: int | None
) -> Sequence[Feedback]:
    if kb is not None:
        await services.library.documents(kb)  # an unknown name is no empty list
    return await runs.store.feedback(kb, limit, before)
