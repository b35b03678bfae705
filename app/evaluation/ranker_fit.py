"""Fit the small ranker on labelled questions: listwise, non-negative, every set with equal weight."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.evaluation.crossfit import Labelled
from graphs.evidence.ranker import FEATURES, Features, Ranker, features_of
from graphs.retrieval.hybrid import HybridSearch
from graphs.retrieval.reranking import request_of

Floats = NDArray[np.float64]

_RIDGE = 1e-3
_STEPS = 300
_RATE = 0.03
_BETAS = (0.9, 0.999)


class RankerFitter:
    """Fits `graphs.evidence.ranker.Ranker`; reads every question once, however often it is fitted.

    The loss is the cross-entropy between the gains of the candidates and the softmax of their scores
    (ListNet, Cao et al. 2007), minimised by Adam with projection on weights >= 0.
    """

    def __init__(self, step: Callable[[int, int], None] | None = None) -> None:
        self._known: dict[tuple[str, str], tuple[Features, Floats]] = {}
        self._step = step

    async def fit(self, search: HybridSearch, training: Sequence[Labelled]) -> HybridSearch:
        """Return `search` with a ranker whose parameters come from `training` alone."""
        return replace(search, ranker=await self.ranker(search, training))

    async def ranker(self, search: HybridSearch, training: Sequence[Labelled]) -> Ranker:
        """Return a ranker fitted on `training`."""
        if search.ranker is None:
            raise ValueError("only a search with a ranker collects the features of one")
        sizes = Counter(one.set_name for one in training)
        examples, shares = [], []
        for at, one in enumerate(training, start=1):
            features, gains = await self._example(search, one)
            if gains.sum() > 0:
                examples.append((features, gains))
                shares.append(1 / sizes[one.set_name])
            if self._step is not None:
                self._step(at, len(training))
        return Ranker(await asyncio.to_thread(fitted, examples, shares))

    async def _example(self, search: HybridSearch, one: Labelled) -> tuple[Features, Floats]:
        key = (one.set_name, one.question.id)
        if key not in self._known:
            profile = search.policy.initial
            pool = await search.gather(one.kb, one.question.text, profile)
            candidates = await search.read(one.kb, pool.scored)
            request = await request_of(one.kb, pool.query.text, pool.query.vector)
            features = await asyncio.to_thread(features_of, request, candidates)
            gains = [float(one.golds.get(each.passage.id, 0)) for each in candidates]
            self._known[key] = features, np.array(gains)
        return self._known[key]


def fitted(
    examples: Sequence[tuple[Features, Floats]], shares: Sequence[float]
) -> tuple[float, ...]:
    """Return weights for raw features; `shares` says how much each example counts."""
    scale = np.concatenate([features for features, _ in examples]).std(axis=0) + 1e-6
    rows = max(len(features) for features, _ in examples)
    inputs = np.zeros((len(examples), rows, len(FEATURES)))
    hidden = np.full((len(examples), rows), -1e9)
    targets = np.zeros((len(examples), rows))
    for at, (features, gains) in enumerate(examples):
        inputs[at, : len(gains)] = features / scale
        hidden[at, : len(gains)] = 0.0
        targets[at, : len(gains)] = gains / gains.sum()
    counts = np.array(shares) / np.sum(shares)
    weights = np.full(len(FEATURES), 0.1)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, _STEPS + 1):
        scores = inputs @ weights + hidden
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        pull = (likely - targets) * counts[:, None]
        gradient = np.tensordot(pull, inputs, axes=2) + 2 * _RIDGE * weights
        first = _BETAS[0] * first + (1 - _BETAS[0]) * gradient
        second = _BETAS[1] * second + (1 - _BETAS[1]) * gradient**2
        change = first / (1 - _BETAS[0] ** step)
        change /= np.sqrt(second / (1 - _BETAS[1] ** step)) + 1e-9
        weights = np.maximum(0.0, weights - _RATE * change)
    return tuple(round(float(each), 3) for each in weights / scale)
