"""The state of one question. Plain types only: every field is small and survives a checkpoint.

Evidence is kept by reference (id, hash, scores); title, section and text are read from the chunk
store when they are needed. There are no reducers: every node returns whole fields, and
`analyze_query` resets everything but `turns`.
"""

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from graphs.ask.records import (
    Assessment,
    Decision,
    DecisionKey,
    EvidenceRef,
    Facet,
    Language,
    Missing,
    Nearest,
    NodeUsage,
    Note,
    Notice,
    Options,
    Reflection,
    Retrieval,
    Statement,
    Status,
    SubQuestion,
    Turn,
)


class AskInput(TypedDict):
    """What starts a question."""

    question: str
    kb: str
    options: NotRequired[Options]


class AskOutput(TypedDict):
    """What a finished question gives."""

    result: dict[str, Any]
    """The answer as the HTTP contract has it, without `run_id` and `thread_id`."""


class AskState(TypedDict, total=False):
    """Everything that travels between nodes."""

    question: str
    kb: str
    options: Options
    kb_version: int
    """Of the knowledge base when the turn began: replies of models are kept for it alone."""

    turns: list[Turn]
    """The last five finished turns of the thread; the only field that outlives a turn."""

    question_resolved: str
    """The question as the user meant it: the judge of everything. Rewritten queries never are."""
    language: Language
    intent: Literal["retrieve", "direct"]
    direct_reason: str
    """For intent `direct`: courtesy, service or unresolved_reference."""
    facets: list[Facet]
    sub_questions: list[SubQuestion]
    queries: list[str]
    """What the next retrieval searches: the main query first, then gap queries."""
    max_rounds: int
    threshold: float
    calibration: str
    """Name of the knowledge base's own calibration, empty where the shipped one is used."""
    started_at: float
    """Unix seconds: the deadline counts from here, also after a resume."""

    rounds: int
    """Second retrievals done so far."""
    evidence: list[EvidenceRef]
    """Every passage found in this turn, at most 16 per round, best first within a round."""
    notes: list[Note]
    assessment: Assessment | None
    """The last grading; None before the first."""
    conflicts: list[tuple[str, str]]
    """Pairs of passage ids that disagree, by the last grading; warned of where both are cited."""
    decision: DecisionKey
    decisions: list[Decision]
    retrievals: list[Retrieval]
    reflection: Reflection

    statements: list[Statement]
    check: Literal["supported", "partly_supported", "unsupported"]
    missing: list[Missing]
    nearest: list[Nearest]
    notices: list[Notice]
    status: Status
    message: str
    """Text of an answer that has no statements: a refusal, a courtesy, an error."""
    usage: dict[str, NodeUsage]
    path: list[str]
    result: dict[str, Any]
