"""The reasoner port: what both brains do, and the messages they exchange with the nodes."""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from graphs.ask.records import Facet, Gap, Language, Note, Statement, SubQuestion, Turn
from graphs.evidence.passages import Evidence
from graphs.evidence.sufficiency import Signals
from graphs.meter import Meter as Meter
from graphs.ports import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Analysis:
    """What `analyze_query` finds. `first_query` holds only what the user said."""

    question_resolved: str
    language: Language
    intent: Literal["retrieve", "direct"]
    direct_reason: str
    first_query: str
    facets: list[Facet]
    sub_questions: list[SubQuestion]


@dataclass(frozen=True, slots=True)
class Reading:
    """How a reasoner read the evidence. The decision table decides, not the reasoner.

    `covered`: facet id to passage ids, best first. `relevance`: passage id to [0, 1]; it replaces
    the retrieval score where given. `contradictions`: pairs of passage ids that disagree.
    `proposed`: the reasoner's own verdict or None; a word outside the enum leads to
    `unrecognized`. `holds_subject`: whether a passage holds the question's subject. `bindable`:
    whether a content term of the question lies nearer to the knowledge base's vocabulary than its
    background. `strengths`: facet id to how well its best passage holds it, in [0, 1]. `subject`:
    how far the covering passages hold the subject, in [0, 1]. `spans`: passage id to its best
    sentence, in places of the canonical text.
    """

    covered: Mapping[str, Sequence[str]]
    relevance: Mapping[str, float]
    contradictions: Sequence[tuple[str, str]]
    claims: int
    """Comparable claims among the passages (numbers, dates, negations, states)."""
    holds_subject: bool
    bindable: bool
    proposed: str | None = None
    reason: str = ""
    retrieve: bool | None = None
    """Whether a model finds another search worth it; None where none judged."""
    judged: float | None = None
    """Mean relevance that a model gave the passages it saw, 1 to 5; None where none judged."""
    strengths: Mapping[str, float] = field(default_factory=dict)
    subject: float = 1.0
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    signals: Signals = field(default_factory=Signals)
    """What the whole set of passages says; empty where a reasoner does not read it."""


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the evidence so far: what grading, rewriting, answering and checking see."""

    question: str
    """`question_resolved`: the judge."""
    language: Language
    facets: Sequence[Facet]
    sub_questions: Sequence[SubQuestion]
    evidence: Sequence[Evidence]
    """Best first; the passages behind the notes when answering (at most five)."""
    kb: KnowledgeBase
    notes: Sequence[Note] = ()
    gaps: Sequence[Gap] = ()
    covered: Mapping[str, Sequence[str]] = field(default_factory=dict)
    searched: Sequence[str] = ()
    """Queries of earlier rounds."""
    broadened: bool = False
    """Whether a broadening round was made: the user's words may then stand for corpus words."""


@dataclass(frozen=True, slots=True)
class Check:
    """What the checker leaves. `kept` are statements that stand; `lost` are facet ids that fell."""

    kept: list[Statement]
    dropped: list[str]
    """Text of each dropped statement with the reason."""
    lost: list[str]
    supported: float | None = None
    """Share of the statements put to a model that it found supported; None where none was asked."""
    useful: int | None = None
    """How well they answer the question by that model, 1 to 5."""


class Reasoner(Protocol):
    """One brain. Every method is pure with respect to the stores: it reads, never writes."""

    @property
    def name(self) -> str:
        """ "embedded", or the model's name."""
        ...

    async def analyze(
        self, question: str, turns: Sequence[Turn], kb: KnowledgeBase, meter: Meter
    ) -> Analysis:
        """Read the question as the user meant it."""
        ...

    async def grade(self, case: Case, meter: Meter) -> Reading:
        """Say which passage covers which facet."""
        ...

    async def review(self, case: Case, reading: Reading, meter: Meter) -> Reading:
        """Look a second time where the first reading leaves it open whether the evidence suffices."""
        ...

    async def rewrite_precise(self, case: Case, meter: Meter) -> list[str]:
        """Return one main query about what is missing, then at most two gap queries."""
        ...

    async def rewrite_broaden(self, case: Case, meter: Meter) -> list[str]:
        """Return one main query in the knowledge base's own words, then at most two more."""
        ...

    def generate(self, case: Case, partial: bool, meter: Meter) -> AsyncIterator[Statement]:
        """Yield statements in reading order, each with the quotes that carry it."""
        ...

    async def check(self, case: Case, statements: Sequence[Statement], meter: Meter) -> Check:
        """Drop what its quotes do not carry; never add text."""
        ...
