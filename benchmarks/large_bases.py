"""Large knowledge bases for timing, made reproducibly and kept in a folder.

A base text (made of dictionary words with their frequencies, or real documents) is embedded for
real; the rest recombines its sentences. A recombined passage's vector is the mean of its
sentences' with noise. Rows go through the stores, past parsing and splitting.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jieba
import numpy as np

from app.adapters.keyword_sqlite import Indexed, searchable
from app.adapters.library import StoredLibrary
from graphs.evidence.passages import Passage
from graphs.evidence.text import language, sentences
from graphs.ports import Embedder, Matrix

_SEED = 20_263
_EMBEDDED = 4_000
"""Sentences that are embedded; others get the vector of one of them with noise."""
_CHUNKS = 8
"""Passages of one document."""
_LENGTH = {"zh": 240, "en": 420}
"""Characters of a passage, as the splitter makes them."""
_NOISE = 0.6
_ROWS = 2_000
_FORMAT = "1"


@dataclass(frozen=True, slots=True)
class Pool:
    """Sentences by language, with their index terms made once and one vector for each."""

    texts: list[str]
    languages: list[str]
    titles: list[str]
    vectors: Matrix
    terms: dict[int, str] = field(default_factory=dict)

    def indexed(self, place: int) -> str:
        """Return the encoded index terms of a sentence."""
        if place not in self.terms:
            self.terms[place] = searchable("", (), self.texts[place]).terms
        return self.terms[place]


def made_texts(count: int) -> list[tuple[str, str]]:
    """Return (title, text) of documents made of dictionary words by their frequency.

    Each document keeps to a few topic words, so that rare words come in bursts as in real text.
    """
    jieba.setLogLevel(60)
    jieba.initialize()
    words = sorted((w, n) for w, n in jieba.dt.FREQ.items() if n > 2 and 1 <= len(w) <= 4)
    weights = np.cumsum([n for _, n in words], dtype=np.float64)
    random = np.random.default_rng(_SEED)

    def draw(amount: int) -> list[str]:
        places = np.searchsorted(weights, random.random(amount) * weights[-1])
        return [words[place][0] for place in places]

    topics = [word for word, n in words if len(word) > 1 and 20 < n < 3_000]
    found = []
    for _ in range(count):
        own = [topics[place] for place in random.integers(0, len(topics), 12)]
        parts = []
        for _ in range(int(random.integers(6, 14))):
            line = draw(int(random.integers(4, 12)))
            line += [own[place] for place in random.integers(0, len(own), 3)]
            parts.append("".join(line[place] for place in random.permutation(len(line))) + "。")
        found.append(("".join(own[:3]), "".join(parts)))
    return found


def real_texts(folder: Path) -> list[tuple[str, str]]:
    """Return (title, text) of the documents in `distractors/` below a data folder."""
    found: list[tuple[str, str]] = []
    for path in sorted((folder / "distractors").iterdir()):
        if path.suffix == ".json":
            found += [(row["title"], row["text"]) for row in json.loads(path.read_text())]
        else:
            found += [(line[:24], line) for line in path.read_text().splitlines() if line.strip()]
    return found


def pool(texts: Sequence[tuple[str, str]], embedder: Embedder) -> Pool:
    """Return the sentences of the base texts with a vector each."""
    random = np.random.default_rng(_SEED)
    found: list[tuple[str, str]] = []
    for place in random.permutation(len(texts)):
        title, text = texts[place]
        found += [(title, text[a:b]) for a, b in sentences(text) if 8 <= b - a <= 400]
        if len(found) > 40_000:
            break
    embedded = [text for _, text in found[:_EMBEDDED]]
    rows = np.concatenate(
        [embedder.embed(embedded[at : at + 64]) for at in range(0, len(embedded), 64)]
    )
    more = random.integers(0, len(rows), max(0, len(found) - len(rows)))
    return Pool(
        [text for _, text in found],
        [language(text) for _, text in found],
        [title for title, _ in found],
        np.concatenate([rows, _noisy(rows[more], random)]),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    passage: Passage
    indexed: Indexed
    vector: Matrix
    sentences: Matrix


def _rows(base: Pool, size: int) -> Iterator[_Row]:
    """Yield `size` passages of recombined sentences, always the same for the same pool."""
    random = np.random.default_rng(_SEED + 1)
    by_language = {
        name: np.flatnonzero([own == name for own in base.languages]) for name in ("zh", "en")
    }
    for number in range(size):
        document, ordinal = divmod(number, _CHUNKS)
        if ordinal == 0:
            name = base.languages[int(random.integers(0, len(base.texts)))]
            title = f"{base.titles[int(random.choice(by_language[name]))]} {document}"
        chosen: list[int] = []
        while sum(len(base.texts[place]) for place in chosen) < _LENGTH[name]:
            chosen.append(int(random.choice(by_language[name])))
        text = "".join(base.texts[place] for place in chosen)
        terms = " ".join(
            (*(base.indexed(place) for place in chosen), searchable(title, (), "").terms)
        )
        names = searchable(title, (), "").names
        yield _Row(
            Passage(
                id=f"p{number:07d}", document_id=f"d{document:06d}", title=title, section=(),
                text=text, start=0, end=len(text), version="v1", ordinal=ordinal,
                content_hash=f"{number:x}", language=name,
            ),
            Indexed(terms, names),
            _noisy(base.vectors[chosen].mean(axis=0, keepdims=True), random)[0],
            base.vectors[chosen],
        )  # fmt: skip


async def build(folder: Path, kb: str, size: int, base: Pool, embedder: Embedder) -> None:
    """Make a knowledge base in `folder`, unless the same one is there."""
    mark = folder / f"{kb}.ready"
    made_of = f"{_FORMAT} {size} {len(base.texts)} {base.texts[0]} {embedder.fingerprint}"
    if mark.exists() and mark.read_text() == made_of:
        return
    library = StoredLibrary(folder, embedder)
    try:
        await library.create(kb)
        part: list[_Row] = []
        for done, row in enumerate(_rows(base, size), 1):
            part.append(row)
            if len(part) == _ROWS or done == size:
                _write(library, kb, part)
                part = []
                print(f"\r{kb}: {done} of {size} passages", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
    finally:
        library.close()
    mark.write_text(made_of)


def _write(library: StoredLibrary, kb: str, rows: Sequence[_Row]) -> None:
    stores = library.stores
    with stores.database.write() as connection:
        for row in rows:
            passage = row.passage
            if passage.ordinal == 0:
                connection.execute(
                    "INSERT INTO documents(id, kb, name, revision, version, title, updated) "
                    "VALUES (?, ?, ?, 1, 'v1', ?, 0)",
                    (passage.document_id, kb, passage.document_id, passage.title),
                )
            number = stores.chunks.insert(connection, kb, 1, passage)
            stores.keywords.add(connection, kb, number, row.indexed)
            stores.chunks.mark_indexed(connection, number, row.vector, row.sentences)
    stores.dense.upsert(
        kb,
        [row.passage.id for row in rows],
        [row.passage.document_id for row in rows],
        np.stack([row.vector for row in rows]),
    )


def _noisy(rows: Matrix, random: np.random.Generator) -> Matrix:
    """Return unit rows, each turned away from where it stood."""
    noise = random.standard_normal(rows.shape).astype(np.float32) / np.sqrt(rows.shape[1])
    turned = rows / np.linalg.norm(rows, axis=1, keepdims=True) + _NOISE * noise
    return np.asarray(turned / np.linalg.norm(turned, axis=1, keepdims=True), dtype=np.float32)
