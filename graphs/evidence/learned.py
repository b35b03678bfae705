"""What confirmed question → document links teach about the order of passages.

A passage is expanded with the questions that it is known to answer: its vector moves towards theirs
and their words count as its own. An adapter of low rank turns the vector of a question to where the
documents of earlier questions lay. Both only order candidates; gates read calibrated scores, which
come from the text alone: a link says where an answer was once found, not that today's text holds it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.fusion import K1, idf
from graphs.evidence.text import codes, words

Floats = NDArray[np.float32]
Counts = Mapping[str, int]

GAINS = (
    "meaning",  # cosine of the adapted question with the expanded passage, above the plain cosine
    "words",  # share of the highest BM25 that the expanded passage reaches, above the plain share
    "keyword",  # the plain share
    "unasked",  # 1 where no known question leads to the passage
)
SHIPPED_GAINS = (7.7, 10.7, 0.0, 0.3)
"""Weights beside the shipped ranker's, for links too few to fit any.

The first two are fitted on LeCoQA (`python -m benchmarks.fit_learning`). Most of its documents have
known questions, which gives the last one far more weight there than few links would bear.
"""
ALIKE = 0.9
"""Cosine from which two questions with the same content words and codes are one."""
_NOTHING: Counts = {}


@dataclass(frozen=True, slots=True)
class Adapter:
    """A linear map near the identity: v → v + v · left · right, at length 1.

    `left` has shape (d, r), `right` (r, d); rank 0 leaves every vector alone.
    """

    left: Floats
    right: Floats

    @staticmethod
    def none(dimension: int) -> "Adapter":
        """Return the adapter that changes nothing."""
        return Adapter(
            np.zeros((dimension, 0), dtype=np.float32), np.zeros((0, dimension), dtype=np.float32)
        )

    @property
    def rank(self) -> int:
        """Number of directions in which vectors are moved."""
        return int(self.left.shape[1])

    def apply(self, rows: Floats) -> Floats:
        """Return the rows, or the vector, adapted; what has no direction keeps none."""
        if not self.rank:
            return rows
        moved = rows + (rows @ self.left) @ self.right
        length = np.linalg.norm(moved, axis=-1, keepdims=True)
        return np.asarray(moved / np.maximum(length, 1e-9), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Known:
    """Known questions, row by row: text, vector, the passage it expands, its document."""

    texts: tuple[str, ...]
    vectors: Floats
    passages: tuple[str, ...]
    documents: tuple[str, ...]

    def same(self, text: str, vector: Floats) -> list[int]:
        """Return the rows of questions that are this one but for its wording, the nearest first."""
        if not self.texts or not vector.any():
            return []
        cosines = _cosines(self.vectors, vector)
        near = [int(i) for i in np.argsort(-cosines, kind="stable") if cosines[i] >= ALIKE]
        own = _content(text) if near else frozenset()
        return [i for i in near if own and _content(self.texts[i]) == own]


@dataclass(frozen=True, slots=True)
class Expansion:
    """Passages with known questions, row by row: id, document, expanded vector, question terms."""

    ids: tuple[str, ...]
    documents: tuple[str, ...]
    vectors: Floats
    terms: tuple[Counts, ...]
    known: Known


@dataclass(frozen=True, slots=True)
class Learned:
    """What a knowledge base has learned: `weights` are those of the ranker, then those of GAINS.

    `feedback` tells whether feedback from the best candidates still follows: fitted weights do better
    without it, shipped ones leave everything else as it was.
    """

    adapter: Adapter
    expansion: Expansion
    weights: tuple[float, ...]
    feedback: bool = True

    def nearest(self, adapted: Floats, count: int, exclude: Collection[str]) -> list[str]:
        """Return the expanded passages nearest to an adapted question, best first."""
        if not adapted.any():
            return []
        held = self.expansion
        order = np.argsort(-_cosines(held.vectors, adapted), kind="stable")
        kept = (int(i) for i in order if held.documents[int(i)] not in exclude)
        return [held.ids[i] for i, _ in zip(kept, range(count), strict=False)]

    def score(self, features: Floats, gains: Floats) -> Floats:
        """Return shape (candidates,) from the ranker's features and the gains."""
        weights = np.asarray(self.weights, dtype=np.float32)
        return np.asarray(np.concatenate((features, gains), axis=1) @ weights, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the gains read it.

    `plain` and `cosines` hold each candidate's cosine with the question and with the adapted one;
    `frequency` maps the question's index terms to how many of all `passages` hold them.
    """

    adapted: Floats
    plain: Floats
    cosines: Floats
    frequency: Mapping[str, int]
    passages: int


def gains_of(learned: Learned, asked: Asked, ids: Sequence[str], terms: Sequence[Counts]) -> Floats:
    """Return shape (candidates, len(GAINS)); `terms` are the candidates' own index terms."""
    places = {id_: at for at, id_ in enumerate(learned.expansion.ids)}
    known = {i: places[id_] for i, id_ in enumerate(ids) if id_ in places}
    meaning = asked.cosines - asked.plain
    if known and asked.adapted.any():
        vectors = learned.expansion.vectors[list(known.values())]
        meaning[list(known)] = vectors @ asked.adapted - asked.plain[list(known)]
    more = [learned.expansion.terms[known[i]] if i in known else _NOTHING for i in range(len(ids))]
    rarity = {term: idf(asked.passages, count) for term, count in asked.frequency.items()}
    mean = sum(sum(each.values()) for each in terms) / max(len(terms), 1) or 1.0
    plain = np.array([_share(own, _NOTHING, rarity, mean) for own in terms], dtype=np.float32)
    full = np.array(
        [_share(own, added, rarity, mean) if added else share
         for own, added, share in zip(terms, more, plain, strict=True)],
        dtype=np.float32,
    )  # fmt: skip
    unasked = np.array([i not in known for i in range(len(ids))], dtype=np.float32)
    return np.stack((meaning, full - plain, plain, unasked), axis=1).astype(np.float32)


def _cosines(rows: Floats, vector: Floats) -> Floats:
    """Return the product of a matrix and a vector in this thread.

    BLAS would spread it over threads, and waiting for busy cores costs twenty times the product.
    """
    return np.asarray(np.einsum("ij,j->i", rows, vector), dtype=np.float32)


def _content(question: str) -> frozenset[str]:
    return frozenset((*words(question), *codes(question)))


def _share(own: Counts, more: Counts, rarity: Mapping[str, float], mean: float) -> float:
    """Return BM25 of two fields read as one, as a share of the highest that the question can reach."""
    highest = sum(rarity.values()) * (K1 + 1)
    if not highest:
        return 0.0
    norm = K1 * (0.25 + 0.75 * (sum(own.values()) + sum(more.values())) / mean)
    reached = 0.0
    for term, weight in rarity.items():
        if count := own.get(term, 0) + more.get(term, 0):
            reached += weight * count * (K1 + 1) / (count + norm)
    return reached / highest
