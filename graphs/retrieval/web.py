"""Pages of the web beside a knowledge base: read and scored as its passages are.

A page is no document of the knowledge base: no index holds it, and only what a search of this question
brought can be read by its id.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence.fusion import K1, idf
from graphs.evidence.instructions import instructions
from graphs.evidence.learned import Learned
from graphs.evidence.passages import Hit, Passage
from graphs.evidence.text import fold, index_terms, language, sentences
from graphs.ports import (
    Background,
    Calibration,
    Embedder,
    KeywordHits,
    KnowledgeBase,
    KnowledgeBaseInfo,
    Library,
    Matrix,
    Vector,
    Vocabulary,
)
from graphs.web_ports import WebPage, WebPages

_PREFIX = "web-"
_LONGEST = 2_000
"""Code points of a page that are read."""
_SENTENCES = 64
_B = 0.75
"""BM25's weight of length, as in the keyword index."""


def passages_of(pages: Sequence[WebPage]) -> list[Passage]:
    """Return pages as passages, each text once. Orders to the answering system in them are marked."""
    found: dict[str, Passage] = {}
    for page in pages:
        text = page.text[:_LONGEST].strip()
        if not text:
            continue
        hashed = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        key = _PREFIX + _digest(f"{page.url}\n{fold(text)}")
        passage = Passage(
            id=key, document_id=_PREFIX + _digest(page.url), title=page.title or page.url,
            section=(), text=text, start=0, end=len(text), version=hashed[:16], ordinal=0,
            content_hash=hashed, date=page.date, language=language(text),
            orders=instructions(text), url=page.url,
        )  # fmt: skip
        if all(other.content_hash != hashed for other in found.values()):
            found.setdefault(key, passage)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class WebLibrary:
    """A library whose knowledge bases also give the pages that were kept (`graphs.ports.Library`)."""

    library: Library
    pages: WebPages
    embedder: Embedder

    async def open(self, name: str) -> KnowledgeBase:
        """Return the knowledge base with pages beside it."""
        return WithPages(await self.library.open(name), self.pages, self.embedder)


class WithPages:
    """A knowledge base in which pages can be read and scored by id, and are found by no search."""

    def __init__(self, base: KnowledgeBase, pages: WebPages, embedder: Embedder) -> None:
        self._base = base
        self._pages = pages
        self._embedder = embedder

    async def passages(self, ids: Sequence[str]) -> list[Passage]:
        """Return passages and pages in the order of `ids`."""
        own, web = _apart(ids)
        read = [*await self._base.passages(own), *await self._read(web)]
        held = {passage.id: passage for passage in read}
        return [held[id_] for id_ in ids if id_ in held]

    async def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Matrix]:
        """Return the sentence vectors of both."""
        own, web = _apart(ids)
        found = await self._base.sentence_vectors(own)
        for page in await self._read(web):
            spans = sentences(page.text)[:_SENTENCES]
            texts = [page.text[start:end] for start, end in spans]
            found[page.id] = await asyncio.to_thread(self._embedder.embed, texts)
        return found

    async def passage_vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the vectors of both; a page's is the mean of its sentences'."""
        own, web = _apart(ids)
        found = dict(await self._base.passage_vectors(own)) if own else {}
        for id_, matrix in (await self.sentence_vectors(web)).items():
            mean = matrix.mean(axis=0)
            found[id_] = np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)
        return found

    async def passage_terms(self, ids: Sequence[str]) -> dict[str, Mapping[str, int]]:
        """Return the index terms of both."""
        own, web = _apart(ids)
        found = dict(await self._base.passage_terms(own)) if own else {}
        return found | {page.id: _terms(page) for page in await self._read(web)}

    async def keyword_scores(self, terms: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
        """Return the BM25 of both; a page's counts rarity in the knowledge base."""
        own, web = _apart(ids)
        found = dict(await self._base.keyword_scores(terms, own)) if own else {}
        pages = {page.id: _terms(page) for page in await self._read(web)}
        if not pages:
            return found
        frequency = await self._base.document_frequency(terms)
        total = (await self._base.info()).passages + len(pages)
        usual = sum(sum(held.values()) for held in pages.values()) / len(pages)
        for id_, held in pages.items():
            length = K1 * (1 - _B + _B * sum(held.values()) / max(1.0, usual))
            score = sum(
                idf(total, frequency.get(term, 0)) * held[term] * (K1 + 1) / (held[term] + length)
                for term in set(terms)
                if term in held
            )
            if score:
                found[id_] = score
        return found

    async def canonical_text(self, document_id: str, version: str) -> str | None:
        """Return the text of a document's version; pages have one version and need none."""
        if document_id.startswith(_PREFIX):
            return None
        return await self._base.canonical_text(document_id, version)

    async def info(self) -> KnowledgeBaseInfo:
        """Return the base's."""
        return await self._base.info()

    async def dense(self, vector: Vector, limit: int, exclude: Collection[str] = ()) -> list[Hit]:
        """Return the base's."""
        return await self._base.dense(vector, limit, exclude)

    async def keyword(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[Hit]:
        """Return the base's."""
        return await self._base.keyword(terms, limit, exclude)

    async def keyword_search(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> KeywordHits:
        """Return the base's."""
        return await self._base.keyword_search(terms, limit, exclude)

    async def titled(
        self, texts: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[list[str]]:
        """Return the base's."""
        return await self._base.titled(texts, limit, exclude)

    async def exact(self, codes: Sequence[str], exclude: Collection[str] = ()) -> list[str]:
        """Return the base's."""
        return await self._base.exact(codes, exclude)

    async def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        """Return the base's."""
        return await self._base.document_frequency(terms)

    async def cooccurrence(self, terms: Sequence[str], others: Sequence[str]) -> Matrix:
        """Return the base's."""
        return await self._base.cooccurrence(terms, others)

    async def following(self, ids: Sequence[str], count: int = 1) -> list[Passage]:
        """Return the base's; nothing follows a page."""
        return await self._base.following(_apart(ids)[0], count)

    async def vocabulary(self) -> Vocabulary:
        """Return the base's."""
        return await self._base.vocabulary()

    async def background(self, fingerprint: str) -> Background | None:
        """Return the base's."""
        return await self._base.background(fingerprint)

    async def calibration(self, models: str) -> Calibration | None:
        """Return the base's."""
        return await self._base.calibration(models)

    async def learned(self) -> Learned | None:
        """Return the base's."""
        return await self._base.learned()

    async def _read(self, ids: Sequence[str]) -> list[Passage]:
        return await self._pages.read(ids) if ids else []


def _apart(ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the ids of passages and of pages."""
    own = [id_ for id_ in ids if not id_.startswith(_PREFIX)]
    return own, [id_ for id_ in ids if id_.startswith(_PREFIX)]


def _terms(page: Passage) -> Counter[str]:
    return Counter(index_terms(f"{page.title} {page.text}"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:28]
