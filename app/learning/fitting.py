"""What is fitted to confirmed links: the adapter, and the weights of the learned features."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.adapters.learned_sqlite import KnownLink
from graphs.evidence.learned import SHIPPED_GAINS, Adapter, Floats
from graphs.evidence.ranker import SHIPPED
from graphs.ports import Vector

RIDGE = 30.0
RANK = 24
PRIOR = (*SHIPPED.weights, *SHIPPED_GAINS)
"""Weights before anything is fitted."""
_PULL = 3.0
"""How hard the weights are pulled to PRIOR, in examples."""
_STEPS = 300
_RATE = 0.03
_BETAS = (0.9, 0.999)


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its candidates: features (candidates, features), and what each gains.

    `plain` holds the features that there would be without an adapter.
    """

    features: Floats
    plain: Floats
    gains: Floats
    documents: tuple[str, ...]


def adapter_of(links: Sequence[tuple[KnownLink, Vector]]) -> Adapter:
    """Return the ridge regression from questions to their passages, near the identity, of low rank.

    Solves min |Q A − P|² + λ |A − I|² and keeps the strongest directions of A − I.
    """
    questions = np.stack([link.vector for link, _ in links]).astype(np.float64)
    passages = np.stack([vector for _, vector in links]).astype(np.float64)
    gram = questions.T @ questions + RIDGE * np.eye(questions.shape[1])
    change = np.linalg.solve(gram, questions.T @ (passages - questions))
    left, strength, right = np.linalg.svd(change)
    return Adapter(
        np.asarray(left[:, :RANK] * strength[:RANK], dtype=np.float32),
        np.asarray(right[:RANK], dtype=np.float32),
    )


def weights_of(examples: Sequence[tuple[Floats, Floats]]) -> tuple[float, ...]:
    """Return weights for (features, gains), pulled to PRIOR, none below zero.

    The loss is ListNet's, as in `app.evaluation.ranker_fit`; the fewer the examples, the nearer the
    weights stay to PRIOR. Questions whose documents are no candidates teach nothing.
    """
    useful = [(features, gains) for features, gains in examples if gains.sum() > 0]
    if not useful:
        return PRIOR
    inputs = np.concatenate([features for features, _ in useful]).astype(np.float32)
    scale = inputs.std(axis=0) + 1e-6
    targets = np.concatenate([gains / gains.sum() for _, gains in useful]).astype(np.float32)
    sizes = np.array([len(gains) for _, gains in useful])
    fitted = _descend(inputs / scale, targets, sizes, np.asarray(PRIOR) * scale)
    return tuple(round(float(each), 3) for each in fitted / scale)


def _descend(
    inputs: Floats, targets: Floats, sizes: NDArray[np.int64], prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minimise by Adam with projection on weights >= 0; `sizes` are the candidates of each question."""
    weights, pull = prior.copy(), _PULL / len(sizes)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        scores = inputs @ weights.astype(np.float32)
        likely = np.exp(scores - np.repeat(np.maximum.reduceat(scores, starts), sizes))
        likely /= np.repeat(np.add.reduceat(likely, starts), sizes)
        gradient = inputs.T @ (likely - targets) / len(sizes) + 2 * pull * (weights - prior)
        first = _BETAS[0] * first + (1 - _BETAS[0]) * gradient
        second = _BETAS[1] * second + (1 - _BETAS[1]) * gradient**2
        change = first / (1 - _BETAS[0] ** step)
        change /= np.sqrt(second / (1 - _BETAS[1] ** step)) + 1e-9
        weights = np.maximum(0.0, weights - _RATE * change)
    return np.asarray(weights, dtype=np.float64)
