"""A knowledge base that holds a few passages of a stored one, as a question with given passages needs."""

from collections.abc import Collection, Mapping, Sequence

from graphs.evidence.fusion import cosines
from graphs.evidence.learned import Learned
from graphs.evidence.passages import Hit, Passage
from graphs.knowledge import Background, Calibration, KeywordHits, KnowledgeBaseInfo, Vocabulary
from graphs.ports import KnowledgeBase, Library, Matrix, Vector

_ALL = 10_000
"""Ids that a title may lead to in the whole base before the view leaves the others out."""


class GivenPassages:
    """A reading view of a stored base (`graphs.ports.KnowledgeBase`).

    It ranks nothing by itself: scores, word statistics, vocabulary and background are those of the
    base; passages outside the view do not exist.
    """

    def __init__(self, base: KnowledgeBase, given: Sequence[Passage]) -> None:
        self._base = base
        self._documents = {passage.id: passage.document_id for passage in given}

    def _ids(self, exclude: Collection[str]) -> list[str]:
        return [id_ for id_, document in self._documents.items() if document not in exclude]

    def _own(self, ids: Sequence[str]) -> list[str]:
        return [id_ for id_ in ids if id_ in self._documents]

    async def info(self) -> KnowledgeBaseInfo:
        """Return the counts of the base: words weigh what they weigh there."""
        return await self._base.info()

    async def dense(self, vector: Vector, limit: int, exclude: Collection[str] = ()) -> list[Hit]:
        """Return the given passages by the cosine of their stored vectors."""
        vectors = await self._base.passage_vectors(self._ids(exclude))
        return _best(cosines(vectors, vector), limit)

    async def keyword(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[Hit]:
        """Return the given passages by the base's BM25."""
        return _best(await self._base.keyword_scores(terms, self._ids(exclude)), limit)

    async def keyword_search(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> KeywordHits:
        """Return `keyword` with the base's statistics."""
        hits = await self.keyword(terms, limit, exclude)
        frequency = await self._base.document_frequency(terms)
        return KeywordHits(hits, frequency, (await self._base.info()).passages)

    async def learned(self) -> Learned | None:
        """Return nothing: given passages are judged without what links taught."""
        return None

    async def passage_terms(self, ids: Sequence[str]) -> dict[str, Mapping[str, int]]:
        """Return the index terms of given passages."""
        return await self._base.passage_terms(self._own(ids))

    async def titled(
        self, texts: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[list[str]]:
        """Return for each text the given passages whose title or section heading it names."""
        named = await self._base.titled(texts, _ALL, exclude)
        return [self._own(ids)[:limit] for ids in named]

    async def exact(self, codes: Sequence[str], exclude: Collection[str] = ()) -> list[str]:
        """Return the given passages that hold one of the codes."""
        return self._own(await self._base.exact(codes, exclude))

    async def passage_vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of given passages."""
        return await self._base.passage_vectors(self._own(ids))

    async def keyword_scores(self, terms: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
        """Return the BM25 of given passages."""
        return await self._base.keyword_scores(terms, self._own(ids))

    async def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        """Return the base's frequencies."""
        return await self._base.document_frequency(terms)

    async def cooccurrence(self, terms: Sequence[str], others: Sequence[str]) -> Matrix:
        """Return the base's counts."""
        return await self._base.cooccurrence(terms, others)

    async def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return given passages in the order of `ids`."""
        return await self._base.passages(self._own(ids))

    async def following(self, ids: Sequence[str], count: int = 1) -> list[Passage]:
        """Return what follows in the same documents, where it is given too."""
        found = await self._base.following(self._own(ids), count)
        return [passage for passage in found if passage.id in self._documents]

    async def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the sentence vectors of given passages."""
        return await self._base.sentence_vectors(self._own(ids))

    async def vocabulary(self) -> Vocabulary:
        """Return the base's key phrases."""
        return await self._base.vocabulary()

    async def calibration(self, models: str) -> Calibration | None:
        """Return the base's own calibration."""
        return await self._base.calibration(models)

    async def background(self, fingerprint: str) -> Background | None:
        """Return the base's background."""
        return await self._base.background(fingerprint)

    async def canonical_text(self, document_id: str, version: str) -> str | None:
        """Return the text of a given passage's document."""
        if document_id not in self._documents.values():
            return None
        return await self._base.canonical_text(document_id, version)


def _best(scores: Mapping[str, float], limit: int) -> list[Hit]:
    ranked = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
    return [Hit(id_, score) for id_, score in ranked[:limit]]


class Views:
    """A library with views beside its knowledge bases (`graphs.ports.Library`)."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._views: dict[str, GivenPassages] = {}

    async def open(self, name: str) -> KnowledgeBase:
        """Return the view of this name, else the knowledge base."""
        return self._views.get(name) or await self._library.open(name)

    async def give(self, kb: str, ids: Sequence[str], name: str) -> None:
        """Show the passages of `ids` alone, out of `kb`, under a new name."""
        base = await self._library.open(kb)
        self._views[name] = GivenPassages(base, await base.passages(ids))

    def take_back(self, name: str) -> None:
        """Forget a view."""
        self._views.pop(name, None)
