"""The errors that callers see, each with its HTTP status and a way to mend it."""

from typing import ClassVar

from app.store_troubles import FULL, READ_ONLY, trouble_of
from graphs.errors import YoujuError


class ServiceError(YoujuError):
    """An error with its HTTP status, its code and a way to mend it."""

    status: ClassVar[int] = 500
    code: ClassVar[str] = "internal"
    hint: str = ""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        if hint is not None:
            self.hint = hint


class InvalidRequest(ServiceError):
    """The request can't be understood as it is."""

    status, code = 400, "invalid_request"
    hint = "Compare the request with /docs."


class WebUnavailable(ServiceError):
    """Web search was asked for, and no provider is set up."""

    status, code = 400, "web_unavailable"
    hint = "Leave options.web out, or set up a provider with YOUJU_WEB_PROVIDER."


class UnknownRun(ServiceError):
    """No run has this id."""

    status, code = 404, "unknown_run"
    hint = "Take the id from the X-Run-Id header or from GET /threads/{id}."


class UnknownThread(ServiceError):
    """No thread has this id."""

    status, code = 404, "unknown_thread"
    hint = "Leave thread_id out to start a new thread."


class UnknownCheckpoint(ServiceError):
    """The thread has no such checkpoint, or no longer."""

    status, code = 404, "unknown_checkpoint"
    hint = "GET /threads/{id}/history lists those that are kept, and says pruned_before."


class UnknownDocument(ServiceError):
    """The knowledge base holds no such document."""

    status, code = 404, "unknown_document"
    hint = "GET /kb/{kb}/documents lists them."


class OtherModels(ServiceError):
    """A calibration was worked out with other models than those in use."""

    status, code = 409, "other_models"
    hint = "Calibrate again with the models in use; GET /kb/{kb}/calibration names their key."

    def __init__(self, message: str = "The calibration was made with other models.") -> None:
        super().__init__(message)


class ThreadBusy(ServiceError):
    """Another run works on this thread."""

    status, code = 409, "thread_busy"
    hint = "Wait for the running question, or ask on another thread."


class OtherKnowledgeBase(ServiceError):
    """The thread belongs to another knowledge base."""

    status, code = 409, "other_kb"
    hint = "Leave kb out, or start a new thread."


class KeyReused(ServiceError):
    """The idempotency key was used with another body."""

    status, code = 409, "idempotency_key_reused"
    hint = "Send a new Idempotency-Key with a new question."


class RunWithoutAnswer(ServiceError):
    """The run is not finished, or ended in an error."""

    status, code = 409, "run_without_answer"
    hint = "GET /runs/{id} shows its state; judge it once it is done."


class NothingToResume(ServiceError):
    """The thread's last run was not interrupted."""

    status, code = 409, "nothing_to_resume"
    hint = "GET /threads/{id} shows the state of its runs."


class TooLarge(ServiceError):
    """The body is above the limit."""

    status, code = 413, "too_large"
    hint = "Send smaller or fewer files; YOUJU_MAX_UPLOAD_MB sets the limit."


class UnsupportedContent(ServiceError):
    """The content is of a kind that can't be read."""

    status, code = 415, "unsupported_content"
    hint = "GET /docs names the kinds that can be read."


class RunFailed(ServiceError):
    """The question ran into an error of the service."""

    status, code = 500, "run_failed"
    hint = "Ask again; the log of the service holds the cause under the run's id."


class KnowledgeBaseGone(RunFailed):
    """The knowledge base was deleted between the question and its analysis."""

    status, code = 404, "unknown_kb"
    hint = "GET /kb lists them; the first upload to POST /kb/{kb}/documents creates one."


class DiskFull(RunFailed):
    """The disk took no more while the question was answered."""

    status, code, hint = FULL.status, FULL.code, FULL.hint


class DataReadOnly(RunFailed):
    """The data folder could not be written while the question was answered."""

    status, code, hint = READ_ONLY.status, READ_ONLY.code, READ_ONLY.hint


class RunCancelled(RunFailed):
    """The caller cancelled the question."""

    status, code = 409, "run_cancelled"
    hint = "Ask again on the same thread or on another one."

    def __init__(self, message: str = "The question was cancelled.") -> None:
        super().__init__(message)


RUN_ERRORS: dict[str, type[RunFailed]] = {
    kind.code: kind for kind in (RunFailed, KnowledgeBaseGone, DiskFull, DataReadOnly, RunCancelled)
}
"""What the code of a run's `error` event stands for."""


def run_failure(error: BaseException | None) -> RunFailed:
    """Return what is told of an error that ended a run: the disk's trouble, or nothing of the cause."""
    trouble = trouble_of(error) if error is not None else None
    if trouble is None:
        return RunFailed("The question ran into an error and was not answered.")
    return RUN_ERRORS[trouble.code](trouble.message)


class RunInterrupted(ServiceError):
    """The service stopped before the question was finished."""

    status, code = 503, "run_interrupted"
    hint = "POST /threads/{id}/resume finishes it."


class RequestInterrupted(ServiceError):
    """The service stopped before a request was finished."""

    status, code = 503, "interrupted"
    hint = "Send it again once the service runs."


class UploadInterrupted(RequestInterrupted):
    """The service stopped in the middle of an upload; its threads may have gone on for a while."""

    hint = (
        "Send the same files again once the service runs: what was taken already is left as it is. "
        "Some of them may show up by themselves before that."
    )
