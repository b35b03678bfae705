"""Fit the confidence on labels: logistic regression drawn towards the weights that are in use."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_STEPS = 2000
_BIAS_PULL = 0.05
"""The bias follows the labels more freely than the weights: base rates differ between questions."""


def fitted(
    features: Floats,
    labels: Floats,
    prior: Sequence[float],
    pull: float = 8.0,
    free: Sequence[int] = (),
    shares: Floats | None = None,
) -> tuple[float, ...]:
    """Return bias and weights of P(label) = sigmoid(bias + weights · features).

    Minimises the log loss plus `pull`/2 · |weights − prior|², so that few labels move the weights
    little, by accelerated projected gradient descent (FISTA, Beck & Teboulle 2009). `features` has
    shape (rows, columns), `prior` columns + 1 values, bias first. Weights of `free` columns may be
    negative, all others stay >= 0: more of them never lowers the confidence. `shares` says how much
    each row counts, 1 by default. Raises ValueError without a row of each label.
    """
    if not 0 < labels.sum() < len(labels):
        raise ValueError("fitting needs questions that can be answered and ones that can't")
    rows = np.c_[np.ones(len(features)), features]
    weight = np.ones(len(rows)) if shares is None else shares
    start = np.asarray(prior, dtype=np.float64)
    draw = np.full(rows.shape[1], pull)
    draw[0] *= _BIAS_PULL
    lowest = np.zeros(rows.shape[1])
    lowest[[0, *(column + 1 for column in free)]] = -np.inf
    curvature = 0.25 * np.linalg.eigvalsh((rows * weight[:, None]).T @ rows)[-1] + draw.max()
    found = ahead = np.maximum(start, lowest)
    momentum = 1.0
    for _ in range(_STEPS):
        likely = 1.0 / (1.0 + np.exp(-np.clip(rows @ ahead, -60, 60)))
        gradient = rows.T @ (weight * (likely - labels)) + draw * (ahead - start)
        stepped = np.maximum(ahead - gradient / curvature, lowest)
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = stepped + (momentum - 1) / following * (stepped - found)
        found, momentum = stepped, following
    return tuple(round(float(each), 4) for each in found)
