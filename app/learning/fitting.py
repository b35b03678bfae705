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
    scale = np.concatenate([features for features, _ in useful]).std(axis=0) + 1e-6
    rows = max(len(features) for features, _ in useful)
    inputs = np.zeros((len(useful), rows, len(PRIOR)), dtype=np.float32)
    hidden = np.full((len(useful), rows), -1e9, dtype=np.float32)
    targets = np.zeros((len(useful), rows), dtype=np.float32)
    for at, (features, gains) in enumerate(useful):
        inputs[at, : len(gains)] = features / scale
        hidden[at, : len(gains)] = 0.0
        targets[at, : len(gains)] = gains / gains.sum()
    fitted = _descend(inputs, hidden, targets, np.asarray(PRIOR) * scale)
    return tuple(round(float(each), 3) for each in fitted / scale)


def _descend(
    inputs: Floats, hidden: Floats, targets: Floats, prior: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minimise by Adam with projection on weights >= 0."""
    weights, pull = prior.copy(), _PULL / len(inputs)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        scores = inputs @ weights.astype(np.float32) + hidden
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        gradient = np.tensordot(likely - targets, inputs, axes=2) / len(inputs)
        gradient = gradient + 2 * pull * (weights - prior)
        first = _BETAS[0] * first + (1 - _BETAS[0]) * gradient
        second = _BETAS[1] * second + (1 - _BETAS[1]) * gradient**2
        change = first / (1 - _BETAS[0] ** step)
        change /= np.sqrt(second / (1 - _BETAS[1] ** step)) + 1e-9
        weights = np.maximum(0.0, weights - _RATE * change)
    return np.asarray(weights, dtype=np.float64)
