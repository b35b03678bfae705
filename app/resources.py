"""What the routes beside `/ask` take and give."""

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel

from app.run_records import RunStatus
from app.schemas import Answer, ErrorBody
from graphs.ask.records import Status


def moment(seconds: float) -> str:
    """Return Unix seconds as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat()


class LinksOut(BaseModel):
    """Where a run can be followed."""

    run: str
    events: str
    thread: str


class RunAccepted(BaseModel):
    """A question that was accepted and is being worked on."""

    run_id: str
    thread_id: str
    urls: LinksOut


class RunOut(BaseModel):
    """One run; `answer` once it is done, `error` if it failed."""

    run_id: str
    thread_id: str
    kb: str
    question: str
    status: RunStatus
    attempt: int
    """1, and one more for every time it was resumed."""
    created_at: str
    updated_at: str
    answer: Answer | None
    error: ErrorBody | None
    urls: LinksOut


class ThreadRunOut(BaseModel):
    """One question of a thread, in short."""

    run_id: str
    question: str
    status: RunStatus
    answer_status: Status | None
    answer: str | None
    created_at: str


class ThreadSummaryOut(BaseModel):
    """A thread in short: its first question, and how its last one stands."""

    thread_id: str
    kb: str
    question: str
    runs: int
    status: RunStatus
    created_at: str
    updated_at: str


class ThreadListOut(BaseModel):
    """Threads, newest first; `next` is the cursor of the next page, null on the last one."""

    threads: list[ThreadSummaryOut]
    next: str | None


class ThreadOut(BaseModel):
    """A conversation, oldest question first."""

    thread_id: str
    kb: str
    created_at: str
    runs: list[ThreadRunOut]


class HistoryEntry(BaseModel):
    """One checkpoint: the state after `node`."""

    checkpoint_id: str
    node: str
    run_id: str
    created_at: str
    next: list[str]
    summary: dict[str, Any]


class HistoryOut(BaseModel):
    """The checkpoints of a thread, newest last: one for each entry of each run's `path`."""

    thread_id: str
    checkpoints: list[HistoryEntry]
    pruned_before: str | None
    """The oldest checkpoint that is kept, where older steps are gone; else null."""


class KbOut(BaseModel):
    """One knowledge base."""

    name: str
    documents: int
    passages: int
    description: str
    contact: str


class KbListOut(BaseModel):
    """All knowledge bases."""

    knowledge_bases: list[KbOut]
    default: str
    """The one that is asked where a question names none."""


class DocumentOut(BaseModel):
    """One document as its newest finished ingest found it."""

    id: str
    kb: str
    name: str
    title: str
    version: str
    date: str | None
    language: str
    codes: list[str]
    passages: int
    superseded_by: str | None
    near_duplicate_of: str | None
    """Id of an earlier document, not a version of this one, that says nearly the same."""
    updated_at: str


class DocumentListOut(BaseModel):
    """The documents of one knowledge base."""

    kb: str
    documents: list[DocumentOut]


class FileOut(BaseModel):
    """What became of one uploaded file; `settings` is the outcome of a `kb.yaml`."""

    name: str
    outcome: Literal["added", "changed", "unchanged", "failed", "settings"]
    document_id: str | None
    passages: int
    error: ErrorBody | None
    near_duplicate_of: str | None
    """Name of an earlier document that says nearly the same; None while `more` files are to come."""


class ProgressOut(BaseModel):
    """How far an upload is. `bytes_done` moves inside large files, too."""

    files_done: int
    files: int
    bytes_done: int
    bytes: int
    passages: int
    file: str


class IngestOut(BaseModel):
    """What became of an upload."""

    kb: str
    files: list[FileOut]
    seconds: float


class GraphNodeOut(BaseModel):
    """One node of the graph."""

    id: str


class GraphEdgeOut(BaseModel):
    """One edge; `label` is the key of the path map that leads along it."""

    source: str
    target: str
    conditional: bool
    label: str | None


class GraphOut(BaseModel):
    """The graph that answers questions."""

    nodes: list[GraphNodeOut]
    edges: list[GraphEdgeOut]
    mermaid: str


class HealthOut(BaseModel):
    """The process is alive."""

    status: str
    version: str


class PulseOut(BaseModel):
    """How late the event loop was, in milliseconds, over the last ticks."""

    ticks: int
    p50_ms: float
    p99_ms: float
    max_ms: float


class StandinOut(BaseModel):
    """A part that does not run as it is configured, what runs instead, and how to mend it."""

    part: str
    configured: str
    used: str
    reason: str


class ReadyOut(BaseModel):
    """The service can answer: models are loaded and stores are open."""

    status: str
    brain: str
    """"embedded", or the name of the language model."""
    models: dict[str, str]
    degraded: list[StandinOut]
    """Empty where everything runs as configured; the service answers all the same."""
    stores: dict[str, str]
    knowledge_bases: int
    pulse: PulseOut | None = None
