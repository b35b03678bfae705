"""What the language model may return. Every string and list is bounded.

A grammar-bound reply can still be cut by the token limit, so each schema fits its node's limit.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from graphs.ask.records import FacetKind, Language

Short = Annotated[str, Field(max_length=200)]
Number = Annotated[int, Field(ge=0, le=99)]


class _Bounded(BaseModel):
    """Tolerates extra keys, refuses wrong types."""

    model_config = ConfigDict(strict=True, extra="ignore")


class FacetOut(_Bounded):
    """One facet as the model read it; `sub_question` counts from 1, 0 is the whole question."""

    kind: FacetKind
    text: Annotated[str, Field(max_length=80)]
    required: bool
    field: Literal[
        "", "amount", "count", "person", "cause", "effect", "procedure", "time", "place", "list",
        "definition", "yes_no", "label", "fact",
    ]  # fmt: skip
    sub_question: Annotated[int, Field(ge=0, le=4)]


class SubQuestionOut(_Bounded):
    """One sub-question; `depends_on` holds numbers that count from 1."""

    text: Short
    depends_on: Annotated[list[Annotated[int, Field(ge=1, le=4)]], Field(max_length=3)]


class AnalysisOut(_Bounded):
    """Reply to analyze_query.md."""

    language: Language
    intent: Literal["retrieve", "direct"]
    direct_reason: Literal["", "courtesy", "service", "unresolved_reference"]
    question_resolved: Annotated[str, Field(max_length=4000)]
    first_query: Annotated[str, Field(max_length=400)]
    facets: Annotated[list[FacetOut], Field(max_length=12)]
    sub_questions: Annotated[list[SubQuestionOut], Field(max_length=4)]


class CoverageOut(_Bounded):
    """The passages that cover one facet, best first."""

    facet: Annotated[str, Field(max_length=16)]
    passages: Annotated[list[Number], Field(max_length=8)]


class ContradictionOut(_Bounded):
    """Two passages that disagree."""

    a: Number
    b: Number


class GradeOut(_Bounded):
    """Reply to grade_evidence.md. `verdict` is any one word: the graph deals with unknown ones.

    Holds two of the four self-reflections: `relevance`, 1 to 5 for each passage in the order shown,
    and `retrieve`, whether another search is worth it.
    """

    facets: Annotated[list[CoverageOut], Field(max_length=16)]
    relevance: Annotated[list[Annotated[int, Field(ge=1, le=5)]], Field(max_length=16)]
    contradictions: Annotated[list[ContradictionOut], Field(max_length=8)]
    subject_found: bool
    retrieve: bool
    verdict: Annotated[
        str,
        Field(
            min_length=1,
            max_length=40,
            json_schema_extra={
                "enum": ["answer", "rewrite", "retry_broaden", "partial_answer", "insufficient"]
            },
        ),
    ]


class QueriesOut(_Bounded):
    """Reply to rewrite_precise.md and rewrite_broaden.md."""

    main: Annotated[str, Field(min_length=1, max_length=200)]
    more: Annotated[list[Short], Field(max_length=2)]


class VerdictOut(_Bounded):
    """Whether one statement stands on its quotes."""

    index: Number
    supported: bool
    modality_kept: bool


class CheckOut(_Bounded):
    """Reply to check_answer.md.

    Holds the other two self-reflections: `supported` for each statement, and `useful`, how well all of
    them together answer the question, 1 to 5.
    """

    verdicts: Annotated[list[VerdictOut], Field(max_length=40)]
    useful: Annotated[int, Field(ge=1, le=5)]


class RankedOut(_Bounded):
    """One passage of a ranking and how relevant it is, 1 to 5."""

    passage: Number
    relevance: Annotated[int, Field(ge=1, le=5)]


class RerankOut(_Bounded):
    """Reply to rerank.md, best first."""

    ranking: Annotated[list[RankedOut], Field(max_length=40)]
