"""A knowledge base in memory for tests of the graph: same port, no disk."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from graphs.errors import DenseUnavailable, UnknownKnowledgeBase
from graphs.evidence.fusion import K1, idf
from graphs.evidence.learned import Learned
from graphs.evidence.passages import Hit, Passage
from graphs.evidence.text import (
    STOP_WORDS,
    codes,
    fold,
    index_terms,
    is_cjk,
    language,
    sentences,
    tagged,
)
from graphs.evidence.titles import head, named, names
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


def passage(
    text: str,
    title: str = "Doc",
    section: tuple[str, ...] = ("Doc",),
    document_id: str = "d1",
    ordinal: int = 0,
    **more: object,
) -> Passage:
    """Return a passage as ingest would make it."""
    key = hashlib.sha256(f"{document_id}|{section}|{fold(text)}".encode()).hexdigest()
    values = {
        "id": key[:32], "document_id": document_id, "title": title, "section": section,
        "text": text, "start": 0, "end": len(text), "version": "v1", "ordinal": ordinal,
        "content_hash": hashlib.sha256(text.encode()).hexdigest(), "language": language(text),
        "codes": tuple(codes(" ".join((title, *section)))),
    }  # fmt: skip
    return Passage(**(values | more))  # type: ignore[arg-type]


@dataclass
class MemoryKnowledgeBase:
    """All passages in lists."""

    embedder: Embedder
    items: list[Passage]
    name: str = "kb"
    contact: str = ""
    dense_broken: bool = False
    calibrations: dict[str, Calibration] = field(default_factory=dict)
    taught: Learned | None = None
    _vectors: dict[str, Vector] = field(default_factory=dict)
    _sentences: dict[str, Matrix] = field(default_factory=dict)
    _terms: dict[str, list[str]] = field(default_factory=dict)
    _vocabulary: Vocabulary | None = None

    def __post_init__(self) -> None:
        for item in self.items:
            heading = " ".join(item.section)
            self._vectors[item.id] = self.embedder.embed([f"{heading} {item.text}"[:400]])[0]
            spans = sentences(item.text)
            self._sentences[item.id] = self.embedder.embed([item.text[s:e] for s, e in spans])
            self._terms[item.id] = index_terms(f"{heading} {item.text}")

    async def info(self) -> KnowledgeBaseInfo:
        documents = {item.document_id for item in self.items}
        return KnowledgeBaseInfo(self.name, len(documents), len(self.items), contact=self.contact)

    def _allowed(self, exclude: Collection[str]) -> Iterable[Passage]:
        return (item for item in self.items if item.document_id not in exclude)

    async def dense(self, vector: Vector, limit: int, exclude: Collection[str] = ()) -> list[Hit]:
        self._need_dense()
        hits = [Hit(i.id, float(self._vectors[i.id] @ vector)) for i in self._allowed(exclude)]
        return sorted(hits, key=lambda hit: -hit.score)[:limit]

    async def keyword(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[Hit]:
        scores = await self.keyword_scores(terms, [i.id for i in self._allowed(exclude)])
        return sorted((Hit(k, v) for k, v in scores.items()), key=lambda hit: -hit.score)[:limit]

    async def keyword_search(
        self, terms: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> KeywordHits:
        hits = await self.keyword(terms, limit, exclude)
        return KeywordHits(hits, await self.document_frequency(terms), len(self.items))

    async def learned(self) -> Learned | None:
        return self.taught

    async def passage_terms(self, ids: Sequence[str]) -> dict[str, Mapping[str, int]]:
        return {i: Counter(self._terms[i]) for i in ids if i in self._terms}

    async def titled(
        self, texts: Sequence[str], limit: int, exclude: Collection[str] = ()
    ) -> list[list[str]]:
        carriers: dict[str, list[str]] = {}
        for item in self._allowed(exclude):
            for name in {n for h in (item.title, *item.section) for n in names(h)}:
                carriers.setdefault(name, []).append(item.id)
        lengths: dict[str, set[int]] = {}
        for name in carriers:
            lengths.setdefault(head(name), set()).add(name.count(" ") + 1)
        return [
            list(dict.fromkeys(i for n in named(t, lengths, carriers) for i in carriers[n][:4]))[
                :limit
            ]
            for t in texts
        ]

    async def exact(self, wanted: Sequence[str], exclude: Collection[str] = ()) -> list[str]:
        return [i.id for i in self._allowed(exclude) if {*i.codes, *codes(i.text)} & set(wanted)]

    def _need_dense(self) -> None:
        if self.dense_broken:
            raise DenseUnavailable("the vector index can't be read")

    async def passage_vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        self._need_dense()
        return {i: self._vectors[i] for i in ids if i in self._vectors}

    async def keyword_scores(self, terms: Sequence[str], ids: Sequence[str]) -> dict[str, float]:
        frequency = await self.document_frequency(terms)
        mean = sum(len(t) for t in self._terms.values()) / max(1, len(self._terms))
        found = {}
        for i in ids:
            held = self._terms[i]
            score = 0.0
            for term in terms:
                tf = held.count(term)
                if tf:
                    norm = K1 * (0.25 + 0.75 * len(held) / mean)
                    score += idf(len(self.items), frequency[term]) * tf * (K1 + 1) / (tf + norm)
            if score > 0:
                found[i] = score
        return found

    async def document_frequency(self, terms: Sequence[str]) -> dict[str, int]:
        sets = [set(t) for t in self._terms.values()]
        return {term: sum(term in s for s in sets) for term in terms}

    async def cooccurrence(self, terms: Sequence[str], others: Sequence[str]) -> Matrix:
        bodies = [fold(" ".join((*i.section, i.text))) for i in self.items]

        def held(phrase: str) -> np.ndarray:
            return np.array([fold(phrase) in body for body in bodies], dtype=np.float32)

        if not len(terms) or not len(others):
            return np.zeros((len(terms), len(others)), dtype=np.float32)
        left = np.array([held(t) for t in terms], dtype=np.float32).reshape(len(terms), -1)
        right = np.array([held(o) for o in others], dtype=np.float32).reshape(len(others), -1)
        return left @ right.T

    async def passages(self, ids: Sequence[str]) -> list[Passage]:
        known = {item.id: item for item in self.items}
        return [known[i] for i in ids if i in known]

    async def following(self, ids: Sequence[str], count: int = 1) -> list[Passage]:
        found: dict[str, Passage] = {}
        for anchor in await self.passages(ids):
            for item in self.items:
                gap = item.ordinal - anchor.ordinal
                if item.document_id == anchor.document_id and 0 < gap <= count:
                    found[item.id] = item
        return list(found.values())

    async def sentence_vectors(self, ids: Sequence[str]) -> dict[str, Matrix]:
        return {i: self._sentences[i] for i in ids if i in self._sentences}

    async def vocabulary(self) -> Vocabulary:
        if self._vocabulary is None:
            counts: dict[str, int] = {}
            for item in self.items:
                for word in _phrases(" ".join((*item.section, item.text))):
                    counts[word] = counts.get(word, 0) + 1
            phrases = tuple(sorted(counts, key=lambda w: (-counts[w], w)))
            vectors = self.embedder.embed(phrases)
            sample = vectors @ vectors.T if len(phrases) else np.zeros((1, 1))
            self._vocabulary = Vocabulary(
                phrases, vectors, tuple(counts[p] for p in phrases),
                float(np.mean(sample)), float(np.std(sample)),
            )  # fmt: skip
        return self._vocabulary

    async def background(self, fingerprint: str) -> Background | None:
        return None

    async def calibration(self, models: str) -> Calibration | None:
        return self.calibrations.get(models)

    async def canonical_text(self, document_id: str, version: str) -> str | None:
        parts = [i.text for i in self.items if i.document_id == document_id]
        return "\n".join(parts) if parts else None


def _phrases(text: str) -> set[str]:
    """Return nouns and runs of two or three nouns; English words."""
    found: set[str] = set()
    run: list[str] = []
    for word, flag in (*tagged(text), ("", "x")):
        if flag.startswith(("n", "vn", "j", "l", "s", "f")) and is_cjk(word):
            run.append(word)
            found.update("".join(run[-n:]) for n in (1, 2, 3) if len("".join(run[-n:])) > 1)
        else:
            run = []
            if flag == "eng" and word not in STOP_WORDS and len(word) > 2:
                found.add(word)
    return found


@dataclass
class MemoryLibrary:
    """Knowledge bases by name."""

    bases: dict[str, MemoryKnowledgeBase]

    async def open(self, name: str) -> MemoryKnowledgeBase:
        if name not in self.bases:
            raise UnknownKnowledgeBase(name)
        return self.bases[name]


def split_markdown(text: str, name: str) -> list[Passage]:
    """Return one passage per heading: enough for tests that need a realistic base."""
    path: list[str] = []
    found: list[Passage] = []
    place = 0
    for block in re.split(r"(?m)^(?=#{1,4} )", text):
        head = re.match(r"(#+) (.+)", block)
        if head:
            path = [*path[: len(head[1]) - 1], head[2].strip()]
        if block.strip():
            start = place + len(block) - len(block.lstrip())
            body = block.strip()
            found.append(
                passage(
                    body, title=path[0] if path else name, section=tuple(path), document_id=name,
                    ordinal=len(found), start=start, end=start + len(body),
                )
            )  # fmt: skip
        place += len(block)
    return found
