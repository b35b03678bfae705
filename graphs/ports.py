"""What the graph needs from outside, as Protocols. Adapters in `app/adapters` implement them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.learned import Learned
from graphs.evidence.passages import Evidence, Hit, Passage
from graphs.knowledge import Background as Background
from graphs.knowledge import Calibration as Calibration
from graphs.knowledge import KeywordHits as KeywordHits
from graphs.knowledge import KnowledgeBaseInfo as KnowledgeBaseInfo
from graphs.knowledge import Vocabulary as Vocabulary
from graphs.meter import Meter

Vector = NDArray[np.float32]
"""Shape (d,), unit length."""
Matrix = NDArray[np.float32]
"""Shape (n, d), unit rows."""


class Embedder(Protocol):
    """Texts to unit vectors. Thread-safe and synchronous: callers run it in the worker pool."""

    @property
    def fingerprint(self) -> str:
        """Name and version of the model; vectors of different fingerprints never mix."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Return one unit row per text; an empty list gives shape (0, d).

        Raises EmbedderUnavailable. The embedder that questions work with gives zero rows instead:
        then no text is near any other, and search goes by words alone.
        """
        ...


class KnowledgeBase(Protocol):
    """One opened knowledge base. Every method may raise StoreUnavailable."""

    async def info(self) -> KnowledgeBaseInfo:
        """Return counts and the texts of `kb.yaml`."""
        ...

    async def dense(self, vector: Vector, limit: int, exclude: Collection[str] = ()) -> list[Hit]:
        """Return the nearest passages by cosine, best first; `exclude` holds document ids.

        Raises DenseUnavailable if the vector index can't be read.
        """
        ...

    async def keyword(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[Hit]:
        """Return the best passages for any of `terms` by BM25 (k1 = 1.2, b = 0.75), best first.

        `terms` come from `graphs.evidence.text.index_terms`; scores are raw BM25, positive.
        """
        ...

    async def keyword_search(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> KeywordHits:
        """Return `keyword`, `document_frequency` of the terms and the passages in one call."""
        ...

    async def passage_terms(self, ids: Sequence[str]) -> dict[str, Mapping[str, int]]:
        """Return each passage's index terms, headings included, with how often each stands there.

        The same terms as `index_terms` gives, ready for `document_frequency`. Ask for the
        frequency of few of them, say those of two passages or more: each is counted anew after a
        change of the index.
        """
        ...

    async def titled(
        self, texts: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[list[str]]:
        """Return for each text the ids of passages whose title or section heading it names.

        Texts are read in full (a question, a passage). At most `limit` ids a text, in the order of
        the names in it, at most 4 passages a name; names that many documents share lead nowhere.
        """
        ...

    async def exact(self, codes: Sequence[str], exclude: Collection[str] = ()) -> list[str]:
        """Return ids of passages whose text, headings or document hold one of these codes."""
        ...

    async def passage_vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the stored vectors, each of length 1; ids without one are left out.

        Raises DenseUnavailable if the vector index can't be read.
        """
        ...

    async def keyword_scores(self, terms: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
        """Return raw BM25 of each passage; passages that hold no term are left out."""
        ...

    async def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many passages each term stands (0 for unknown terms)."""
        ...

    async def cooccurrence(self, terms: Sequence[str], others: Sequence[str]) -> Matrix:
        """Return shape (len(terms), len(others)): passages that hold both phrases.

        A phrase counts as held if all its index terms stand in the passage.
        """
        ...

    async def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return the passages in the order of `ids`; ids that are gone are left out."""
        ...

    async def following(self, ids: Sequence[str], count: int = 1) -> list[Passage]:
        """Return for each passage the next `count` passages of its document, without repeats."""
        ...

    async def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors of each passage's sentences, in the order of `text.sentences`."""
        ...

    async def vocabulary(self) -> Vocabulary:
        """Return the key phrases collected at ingest (cached until the index changes)."""
        ...

    async def background(self, fingerprint: str) -> Background | None:
        """Return the measured background of a reranker, or None if it was not measured."""
        ...

    async def calibration(self, models: str) -> Calibration | None:
        """Return what labels taught with these models, None where nothing did (`Models.key`)."""
        ...

    async def learned(self) -> Learned | None:
        """Return what confirmed links taught with the embedder in use, or None (cached)."""
        ...

    async def canonical_text(self, document_id: str, version: str) -> str | None:
        """Return the canonical text of one version of a document, or None once it is gone."""
        ...


class Library(Protocol):
    """All knowledge bases."""

    async def open(self, name: str) -> KnowledgeBase:
        """Return the knowledge base, or raise UnknownKnowledgeBase."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a reranker may look at. `sentence_vectors` has shape (sentences, d), may be empty.

    `named` is 1 where the question names the passage's title or section; `linked` is 1 / rank of the
    best passage that names it, 0 for none.
    """

    passage: Passage
    dense: float
    keyword: float
    sentence_vectors: Matrix
    named: float = 0.0
    linked: float = 0.0


@dataclass(frozen=True, slots=True)
class RerankQuery:
    """The question as it is searched, with what the lexical reranker needs.

    `frequency` maps the query's words to the number of passages that hold them, out of `passages`.
    """

    text: str
    vector: Vector
    passages: int
    frequency: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """Maps a raw score to [0, 1]: 1 / (1 + exp(-(raw - midpoint) / scale))."""

    midpoint: float
    scale: float


class Reranker(Protocol):
    """Scores (query, passage) pairs. Raw scores are on the model's own scale."""

    @property
    def fingerprint(self) -> str:
        """Name and version of the model: backgrounds are kept per fingerprint."""
        ...

    @property
    def shipped(self) -> Sigmoid:
        """The calibration used where fewer than 200 background pairs were measured."""
        ...

    def calibrate(self, background: Background) -> Sigmoid:
        """Return the calibration that follows from a measured background."""
        ...

    def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
        """Return one raw score per candidate; synchronous, thread-safe, empty in, empty out."""
        ...


class ListwiseReranker(Protocol):
    """Reads a whole ranking with a model and puts it into a new order.

    Asynchronous and on the question's budget, unlike a Reranker, whose scores it starts from.
    """

    @property
    def fingerprint(self) -> str:
        """Name of the model."""
        ...

    async def rerank(
        self, question: str, ranked: Sequence[Evidence], meter: Meter
    ) -> list[Evidence]:
        """Return the same passages, best first, with calibrated scores. Raises RerankerUnavailable."""
        ...
