"""What the routes of searching and of its explanation take and give."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from app.questions import Id, Named, Question, Request
from graphs.retrieval.trace import Gate

Fate = Literal["found", "excluded", "empty", "not_candidate"] | Gate
"""What became of an expected document: among the evidence, excluded by the caller, without a
passage, not among the candidates of either index, or dropped by a gate."""


class SearchRequest(Request):
    """A search without an answer."""

    query: Question
    top_k: Annotated[int, Field(ge=1, le=50)] = 10
    exclude_documents: list[Id] = Field(default_factory=list, max_length=1000)
    include_duplicates: bool = False
    """Also list near-duplicates, which are attached to a passage above them as its variants."""


class PlaceOut(BaseModel):
    """Where a passage stands in one stage, 1 for the best, and its score on that stage's scale."""

    position: int
    score: float


class StagesOut(BaseModel):
    """Each stage of a search; null where it did not list the passage.

    `dense` scores are cosines, `keyword` raw BM25, `fused` the weighted sum, `reranked` calibrated.
    """

    dense: PlaceOut | None
    keyword: PlaceOut | None
    fused: PlaceOut | None
    reranked: PlaceOut | None


class AnsweringOut(BaseModel):
    """The sentence that most likely answers; `start` and `end` count within the hit's `text`."""

    start: int
    end: int
    probability: float


class SearchHitOut(BaseModel):
    """One passage; `score` is calibrated and in [0, 1]."""

    passage: str
    document_id: str
    title: str
    section: list[str]
    text: str
    start: int
    end: int
    version: str
    page: int | None
    date: str | None
    superseded: bool
    score: float
    dense: float
    keyword: float
    variants: list[str]
    stages: StagesOut
    dropped_by: Gate | None
    """Why this passage would be no evidence of a question; null where it would be."""
    duplicate_of: str | None
    """The passage that it repeats, where that is the reason."""
    answering: AnsweringOut | None


class SearchWarningOut(BaseModel):
    """What a search did without, with its sentence in the language of the query."""

    code: Literal["dense_unavailable", "reranker_fallback"]
    message: str


class SearchOut(BaseModel):
    """The hits, best first; `warnings` is empty where every part worked as it is configured."""

    query: str
    hits: list[SearchHitOut]
    warnings: list[SearchWarningOut]


class WhyNotRequest(Request):
    """A question and the document that was expected to answer it."""

    question: Question
    document: Annotated[Named, Field(max_length=400)]
    """Its id, name, title or code; a part is enough where only one document has it."""
    exclude_documents: list[Id] = Field(default_factory=list, max_length=1000)


class RankOut(BaseModel):
    """Where a passage stands among all passages of the knowledge base.

    Without a position it stands beyond `beyond`; without a score as well, it has nothing in common
    with the question there.
    """

    position: int | None
    score: float | None
    beyond: int


class RanksOut(BaseModel):
    """A passage's way: the two indexes over everything, then the stages that only candidates reach."""

    dense: RankOut
    keyword: RankOut
    fused: PlaceOut | None
    reranked: PlaceOut | None


class ExpectedPassageOut(BaseModel):
    """One of the best passages of the expected document."""

    passage: str
    section: list[str]
    text: str
    start: int
    end: int
    stages: RanksOut
    fate: Fate
    duplicate_of: str | None
    holds: list[str]
    """Words of the question that stand in the passage or its headings."""
    lacks: list[str]


class WordOut(BaseModel):
    """A word of the question: whether the document uses it, and how many passages of all do."""

    word: str
    in_document: bool
    passages: int


class ExpectedDocumentOut(BaseModel):
    """The document that was meant."""

    id: str
    name: str
    title: str
    passages: int
    superseded_by: str | None


class WhyNotOut(BaseModel):
    """What became of a document that was expected. `reason` and `advice` speak the question's language."""

    question: str
    document: ExpectedDocumentOut
    fate: Fate
    position: int | None
    """Its place among the evidence, where it is there."""
    reason: str
    advice: list[str]
    words: list[WordOut]
    passages: list[ExpectedPassageOut]
    """The document's best passages, the one that came furthest first."""
