"""One knowledge base as the graph reads it."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Self

from app.adapters.calibrations_sqlite import CalibrationStore
from app.adapters.catalogue_sqlite import Catalogue
from app.adapters.chunks_sqlite import ChunkStore
from app.adapters.counts import Counts
from app.adapters.crowding import Fetch, originals, uncrowded
from app.adapters.database import Database
from app.adapters.dense_chroma import DenseIndex
from app.adapters.documents_sqlite import DocumentStore
from app.adapters.keyword_sqlite import KeywordIndex
from app.adapters.learned_reading import LearnedReader
from app.adapters.old_texts import OldTexts
from app.adapters.signatures_sqlite import SignatureStore
from app.adapters.vocabulary_sqlite import VocabularyStore
from graphs.errors import DenseUnavailable
from graphs.evidence.learned import Learned
from graphs.evidence.passages import Hit, Passage
from graphs.ports import (
    Background,
    Calibration,
    Embedder,
    KeywordHits,
    KnowledgeBaseInfo,
    Matrix,
    Vector,
    Vocabulary,
)

_SKIP_LIMIT = 500
"""Hidden hits that are fetched and skipped; beyond that Chroma filters, which is slower."""


@dataclass(frozen=True)
class Stores:
    """The parts of one data folder."""

    database: Database
    catalogue: Catalogue
    documents: DocumentStore
    chunks: ChunkStore
    keywords: KeywordIndex
    dense: DenseIndex
    vocabulary: VocabularyStore
    signatures: SignatureStore
    old_texts: OldTexts
    calibrations: CalibrationStore
    embedder: Embedder


class StoredKnowledgeBase:
    """One knowledge base as the graph reads it (`graphs.ports.KnowledgeBase`)."""

    def __init__(self, name: str, stores: Stores) -> None:
        self.name = name
        self._stores = stores
        self._words: tuple[int, Vocabulary] | None = None
        self._counts = Counts(stores.database, name)
        self._taught: tuple[Learned | None] | None = None

    async def info(self) -> KnowledgeBaseInfo:
        """Return counts and the texts of `kb.yaml`."""
        describing = partial(describe, self._stores, self.name)
        return await asyncio.to_thread(self._counts.kept, "info", describing)

    async def dense(self, vector: Vector, limit: int, exclude: Collection[str] = ()) -> list[Hit]:
        """Return the nearest visible passages by cosine, best first.

        Near-copies of one document count once towards `limit`; a few of them come along.
        """
        return await asyncio.to_thread(self._nearest, vector, limit, frozenset(exclude))

    async def keyword(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[Hit]:
        """Return the best passages for any of `terms` by raw BM25, best first; copies as in `dense`."""
        return await asyncio.to_thread(self._by_words, terms, limit, frozenset(exclude))

    async def keyword_search(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> KeywordHits:
        """Return what `keyword` returns, with what its scores were made of."""
        return await asyncio.to_thread(self._searched, terms, limit, frozenset(exclude))

    async def passage_terms(self, ids: Sequence[str]) -> dict[str, Mapping[str, int]]:
        """Return each passage's index terms with how often each stands there."""
        read = self._stores.keywords.passage_terms
        return await asyncio.to_thread(read, self.name, ids)

    async def titled(
        self, texts: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[list[str]]:
        """Return for each text the ids of passages whose title or section heading it names."""
        find = self._stores.keywords.titled
        return await asyncio.to_thread(find, self.name, texts, limit, frozenset(exclude))

    async def exact(self, codes: Sequence[str], exclude: Collection[str] = ()) -> list[str]:
        """Return ids of passages with one of `codes`: in text or headings first, then by document."""
        upper = [code.upper() for code in codes]
        search = self._stores.chunks.with_codes
        return await asyncio.to_thread(search, self.name, upper, frozenset(exclude))

    async def passage_vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the stored vectors of passages."""
        return await asyncio.to_thread(self._vectors, ids)

    async def keyword_scores(self, terms: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
        """Return raw BM25 of each passage that holds a term."""
        return await asyncio.to_thread(self._stores.keywords.scores, self.name, terms, ids)

    async def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        """Return in how many passages each term stands."""
        count = self._stores.keywords.document_frequency
        return await asyncio.to_thread(count, self.name, terms)

    async def cooccurrence(self, terms: Sequence[str], others: Sequence[str]) -> Matrix:
        """Return shape (len(terms), len(others)): passages that hold both phrases."""
        count = self._stores.keywords.cooccurrence
        return await asyncio.to_thread(count, self.name, terms, others)

    async def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return the passages in the order of `ids`; ids that are gone are left out."""
        return await asyncio.to_thread(self._stores.chunks.passages, ids)

    async def following(self, ids: Sequence[str], count: int = 1) -> list[Passage]:
        """Return for each passage the next `count` of its document, without repeats."""
        return await asyncio.to_thread(self._stores.chunks.following, ids, count)

    async def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the vectors of each passage's sentences (at most 64, in order)."""
        dimension = self._stores.embedder.dimension
        return await asyncio.to_thread(self._stores.chunks.sentence_vectors, ids, dimension)

    async def vocabulary(self) -> Vocabulary:
        """Return the key phrases, cached until the index changes."""
        return await asyncio.to_thread(self._vocabulary)

    async def background(self, fingerprint: str) -> Background | None:
        """Return the measured background of a reranker, or None."""
        read = self._stores.vocabulary.background
        return await asyncio.to_thread(read, self.name, fingerprint)

    async def calibration(self, models: str) -> Calibration | None:
        """Return what labels taught with these models, or None."""
        kept = await asyncio.to_thread(self._stores.calibrations.one, self.name, models)
        return kept.calibration if kept else None

    async def learned(self) -> Learned | None:
        """Return what confirmed links taught, cached until something changes."""
        if self._taught is not None:
            return self._taught[0]
        try:
            return await asyncio.to_thread(self._counts.kept, "learned", self._learned)
        except DenseUnavailable:
            return None  # search goes by words alone, and tells so

    def taught(self, learned: Learned | None) -> Self:
        """Return the same knowledge base as if it had learned this: for trials."""
        other = copy(self)
        other._taught = (learned,)
        return other

    async def canonical_text(self, document_id: str, version: str) -> str | None:
        """Return the canonical text of one version, or None once it is gone."""
        return await asyncio.to_thread(self._stores.documents.canonical_text, document_id, version)

    def _vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        found = self._stores.chunks.passage_vectors(ids)
        # Stored by a version that kept them in the vector index alone
        if others := [id_ for id_ in ids if id_ not in found]:
            found |= self._stores.dense.vectors(self.name, others)
        return found

    def _learned(self) -> Learned | None:
        stores = self._stores
        fingerprint = stores.embedder.fingerprint
        reader = LearnedReader(stores.database, stores.chunks, stores.dense, fingerprint)
        return reader.read(self.name)

    def _nearest(self, vector: Vector, limit: int, exclude: frozenset[str]) -> list[Hit]:
        def fetch(wanted: int) -> list[Hit]:
            skip = self._counts.hidden(exclude)
            if skip <= _SKIP_LIMIT:
                hits = self._stores.dense.query(self.name, vector, wanted + skip)
            else:
                hits = self._stores.dense.query(self.name, vector, wanted + _SKIP_LIMIT, exclude)
            visible = self._stores.chunks.visible([hit.id for hit in hits], exclude)
            return [hit for hit in hits if hit.id in visible][:wanted]

        return self._uncrowded(fetch, limit)

    def _searched(self, terms: Sequence[str], limit: int, exclude: frozenset[str]) -> KeywordHits:
        hits = self._by_words(terms, limit, exclude)
        frequency = self._stores.keywords.document_frequency(self.name, terms)
        info = self._counts.kept("info", partial(describe, self._stores, self.name))
        return KeywordHits(hits, frequency, info.passages)

    def _by_words(self, terms: Sequence[str], limit: int, exclude: frozenset[str]) -> list[Hit]:
        def fetch(wanted: int) -> list[Hit]:
            skip = self._counts.hidden(exclude)
            return self._stores.keywords.search(self.name, terms, wanted, exclude, skip)

        return self._uncrowded(fetch, limit)

    def _uncrowded(self, fetch: Fetch, limit: int) -> list[Hit]:
        original = self._counts.kept("originals", self._originals)
        return uncrowded(fetch, limit, original, self._stores.chunks.documents_of)

    def _originals(self) -> dict[str, str]:
        return originals(self._stores.signatures.copies(self.name))

    def _vocabulary(self) -> Vocabulary:
        embedder = self._stores.embedder
        generation = self._stores.catalogue.generation(self.name)
        if self._words is None or self._words[0] != generation:
            read = self._stores.vocabulary.read
            words = read(self.name, embedder.fingerprint, embedder.dimension)
            self._words = (generation, words)
        return self._words[1]


def describe(stores: Stores, name: str) -> KnowledgeBaseInfo:
    """Return what a knowledge base says of itself, or raise UnknownKnowledgeBase."""
    card = stores.catalogue.card(name)
    documents, passages = stores.documents.counts(name)
    return KnowledgeBaseInfo(
        name=name,
        documents=documents,
        passages=passages,
        description=card.description,
        contact=card.contact,
        glossary=card.glossary or None,
        unrelated=card.unrelated,
        version=stores.catalogue.generation(name),
    )
