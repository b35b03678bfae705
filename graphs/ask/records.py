"""The records that the state is made of. Plain types only: each is small and survives a checkpoint."""

from typing import Literal

from typing_extensions import NotRequired, TypedDict

Status = Literal["answered", "partial", "insufficient", "direct", "error"]
Language = Literal["zh", "en"]
DecisionKey = Literal[
    "answer", "rewrite", "retry_broaden", "partial_answer", "insufficient", "unrecognized"
]
GapType = Literal[
    "missing_entity", "missing_field", "timeline_gap", "conflict", "incomplete_answer"
]
FacetKind = Literal["entity", "code", "number", "time", "field"]


class Options(TypedDict, total=False):
    """What a caller may set for one question."""

    max_rounds: int
    """Second retrievals allowed, 0-3."""
    preset: str
    threshold: float
    exclude_documents: list[str]
    web: bool


class Facet(TypedDict):
    """One thing that the evidence must hold for the question to be answered."""

    id: str
    kind: FacetKind
    text: str
    """As the user said it."""
    terms: list[str]
    """Normalised search terms of `text`."""
    required: bool
    sub_question: str
    field: str
    """For kind `field`: amount, count, person, cause, effect, procedure, time, place, list,
    definition, yes_no or label (a heading or label that the corpus itself uses); else empty."""


class SubQuestion(TypedDict):
    """A part of the question that can be answered by itself, once what it depends on is found."""

    id: str
    text: str
    depends_on: list[str]
    slot: NotRequired[str]
    """Words of `text` that stand for what the part it depends on finds; none once they are filled."""


class EvidenceRef(TypedDict):
    """A passage by reference. Scores are rounded to three decimals."""

    id: str
    hash: str
    """First 16 hex digits of the passage's content hash."""
    score: float
    dense: float
    keyword: float
    round: int
    variants: list[str]


class Note(TypedDict):
    """What one passage contributes: the memory that survives across rounds."""

    id: str
    start: int
    end: int
    kind: Literal["direct", "bridge", "disambiguation"]
    round: int
    weight: float
    facets: list[str]
    sub_question: str


class Gap(TypedDict):
    """One thing that is missing, with what to search for."""

    type: GapType
    content: str
    facet: str
    confidence: float
    suggestion: str


class Dimensions(TypedDict):
    """The four parts of `evidence_score`, each in [0, 1]."""

    relevance: float
    coverage: float
    consistency: float
    freshness: float


class Assessment(TypedDict):
    """What the evidence is worth. All numbers in [0, 1]."""

    evidence_score: float
    confidence: float
    confidence_covered: float
    calibrated: bool
    threshold: float
    best: float
    """Calibrated score of the best passage."""
    holds_subject: bool
    dimensions: Dimensions
    features: dict[str, float]
    """What the confidence is judged by (`graphs.evidence.assessment.features_of`)."""
    covered: dict[str, list[str]]
    """Facet id to the ids of the passages that cover it, best first."""
    gaps: list[Gap]


class Decision(TypedDict):
    """One grading, as it is reported."""

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
    only_confidence: bool
    """Whether the table answers as soon as the confidence reaches θ: all else is there."""
    assessment: Assessment


class Reflection(TypedDict):
    """The four judgements of a model about its own work; None where none was asked for."""

    retrieve: bool | None
    """Whether another search is worth it, by the last grading."""
    relevance: float | None
    """Mean relevance of the passages that it saw, 1 to 5; 3 equals a calibrated score of 0.5."""
    supported: float | None
    """Share of the statements that it was asked about which stand on their quotes."""
    useful: int | None
    """How well those statements answer the question, 1 to 5."""


class Retrieval(TypedDict):
    """One retrieval, as it is reported."""

    node: str
    queries: list[str]
    profile: str
    hits: int
    new: int
    note: str
    """Why it stopped early or widened, else empty."""


class Citation(TypedDict):
    """A quote by reference: `start` and `end` count code points in the canonical text."""

    passage: str
    document_id: str
    version: str
    start: int
    end: int


class Statement(TypedDict):
    """One statement of a draft with the quotes that carry it."""

    text: str
    citations: list[Citation]
    modality: Literal["certain", "possible", "required", "forbidden"]
    facets: list[str]
    sub_question: str
    heading: str
    """The heading under which it stands, else empty."""


class Missing(TypedDict):
    """One entry of the ledger."""

    type: GapType
    content: str
    suggestion: str
    searched: list[str]


class Nearest(TypedDict):
    """A passage that came near, and why it falls short."""

    passage: str
    document_id: str
    title: str
    section: list[str]
    score: float
    why: str


class Notice(TypedDict):
    """A warning by code; its sentence is written when the answer is assembled."""

    code: str
    document_id: str


class NodeUsage(TypedDict):
    """What one node spent."""

    calls: int
    cached: int
    """Calls that were not made, since the same one had been."""
    input_tokens: int
    output_tokens: int
    elapsed_ms: float


class Turn(TypedDict):
    """A finished turn of the thread, for follow-up questions."""

    question: str
    question_resolved: str
    status: Status
    entities: list[str]
    documents: list[str]
