"""The answer as the HTTP contract has it. `Result` is what the node `finalize` fills."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from graphs.ask.records import DecisionKey, GapType, Status

Modality = Literal["certain", "possible", "required", "forbidden"]


class Part(BaseModel):
    """A part of the answer. What a producer gives beyond the contract is left out."""

    model_config = ConfigDict(extra="ignore")


class StatementOut(Part):
    """One statement; `start` and `end` count code points in `answer`."""

    text: str
    start: int
    end: int
    citations: list[int]
    """Numbers [n] of the citations that carry it."""
    modality: Modality
    facet_ids: list[str]
    sub_question: str


class CitationOut(Part):
    """A quote; `start` and `end` count code points in the document's canonical text."""

    n: int
    document_id: str
    title: str
    version: str
    section: list[str]
    page: int | None
    start: int
    end: int
    quote: str
    quote_language: str
    date: str | None
    superseded: bool
    url: str | None
    """Where the quote can be read: a path of the service, the address of a page of the web, or null."""


class SubQuestionOut(Part):
    """A part of the question with what became of it."""

    text: str
    status: Literal["answered", "partial", "missing"]


class MissingOut(Part):
    """What is missing, what would close the gap, and what was searched for it."""

    type: GapType
    content: str
    suggestion: str
    searched: list[str]


class NearestOut(Part):
    """A passage that came near, and why it falls short."""

    passage: str
    document_id: str
    title: str
    section: list[str]
    score: float
    why: str


class DimensionsOut(Part):
    """The four parts of `evidence_score`, each in [0, 1]."""

    relevance: float
    coverage: float
    consistency: float
    freshness: float


class GapOut(Part):
    """One gap with what to search for."""

    type: GapType
    content: str
    facet: str
    confidence: float
    suggestion: str


class AssessmentOut(Part):
    """What the evidence is worth; numbers in [0, 1]."""

    evidence_score: float
    confidence: float
    calibrated: bool
    threshold: float
    best: float
    """Calibrated score of the best passage."""
    dimensions: DimensionsOut
    features: dict[str, float] = {}
    """What the confidence is judged by, each in [0, 1]."""
    gaps: list[GapOut]


class DecisionOut(Part):
    """One grading: what was proposed, what was decided, and why."""

    node: str
    round: int
    proposed: str
    decision: DecisionKey
    rule: str
    reason: str
    missing_info: list[str]
    supported_points: list[str]
    unsupported_points: list[str]
    retryable: bool
    rewrite_strategy: str
    only_confidence: bool = False
    """Whether the answer stands or falls with `confidence` reaching `threshold`: all else is there."""
    assessment: AssessmentOut


class RetrievalOut(Part):
    """One retrieval."""

    node: str
    queries: list[str]
    profile: str
    hits: int
    new: int
    note: str
    """Why it stopped early or widened, else empty."""


class ReflectionOut(Part):
    """What a model said of its own work; null where none was asked."""

    retrieve: bool | None = None
    """Whether another search is worth it, by the last grading."""
    relevance: float | None = None
    """Mean relevance of the passages that it saw, 1 to 5."""
    supported: float | None = None
    """Share of the statements put to it that stand on their quotes."""
    useful: int | None = None
    """How well those statements answer the question, 1 to 5."""


class WarningOut(Part):
    """One warning with its sentence in the language of the question."""

    code: str
    message: str
    document_id: str | None


class CostOut(Part):
    """What the model calls cost."""

    amount: float
    currency: str


class NodeUsageOut(Part):
    """What one node spent."""

    calls: int
    cached: int = 0
    """Calls that were not made, since the same one had been."""
    input_tokens: int
    output_tokens: int
    elapsed_ms: float


class UsageOut(Part):
    """What the question spent; `cost` is null where no price is set."""

    llm_calls: int
    cache_hits: int = 0
    """Calls that were not made, since the same one had been."""
    input_tokens: int
    output_tokens: int
    cost: CostOut | None
    retrievals: int
    elapsed_ms: float
    nodes: dict[str, NodeUsageOut]


class ModelsOut(Part):
    """Which models took part; `calibration` names the one behind the confidence."""

    embedder: str
    reranker: str
    reasoner: str
    calibration: str


class Result(Part):
    """The answer as the graph gives it: everything but the ids of run and thread."""

    question: str
    question_resolved: str
    status: Status
    answer: str
    """Opening warning lines, headings, statements with [n] markers, the missing section."""
    statements: list[StatementOut]
    citations: list[CitationOut]
    sub_questions: list[SubQuestionOut]
    missing: list[MissingOut]
    nearest: list[NearestOut]
    assessment: AssessmentOut | None
    """Null where nothing was graded."""
    decisions: list[DecisionOut]
    retrievals: list[RetrievalOut]
    reflection: ReflectionOut = ReflectionOut()
    path: list[str]
    warnings: list[WarningOut]
    usage: UsageOut
    models: ModelsOut


class Answer(Result):
    """The answer as the caller gets it."""

    run_id: str
    thread_id: str


class ErrorBody(BaseModel):
    """What went wrong, and how to mend it."""

    code: str
    message: str
    hint: str


class ErrorOut(BaseModel):
    """The form of every error."""

    error: ErrorBody


def answer_of(result: dict[str, Any], run_id: str, thread_id: str) -> Answer:
    """Return the answer of a finished run; raises ValidationError if the graph broke the contract."""
    return Answer.model_validate(result | {"run_id": run_id, "thread_id": thread_id})
