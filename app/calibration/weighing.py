"""From observed questions to the confidence's weights: which of them fit, and what they give."""

import random
from collections.abc import Mapping, Sequence

import numpy as np

from app.calibration.fit import fitted
from app.calibration.replay import Observed

FIT_FROM = 80
"""With fewer labels the shipped weights stay, and all labels choose the threshold."""
_FIT_SHARE = 0.4
_FEWEST_OF_A_KIND = 8
_SEED = 20260101


def parts(observed: Sequence[Observed]) -> tuple[list[Observed], list[Observed]]:
    """Return the part that fits and the part that chooses; they share no question.

    The draw is always the same for the same labels. Too few labels, or too few of one kind, fit
    nothing.
    """
    mixed = sorted(observed, key=lambda each: each.label.question)
    random.Random(_SEED).shuffle(mixed)
    cut = round(_FIT_SHARE * len(mixed)) if len(mixed) >= FIT_FROM else 0
    fit_on = mixed[:cut]
    for wanted in (True, False):
        rows = [g for each in fit_on for g in each.gradings if g.error is not wanted]
        if len(rows) < _FEWEST_OF_A_KIND:
            return [], mixed
    return fit_on, mixed[cut:]


def weights_of(fit_on: Sequence[Observed], shipped: Mapping[str, float]) -> dict[str, float]:
    """Return weights fitted on a part, drawn towards the shipped ones; those where it is empty."""
    if not fit_on:
        return dict(shipped)
    names = [name for name in shipped if name != "bias"]
    rows = [(g, 1 / len(each.gradings)) for each in fit_on for g in each.gradings]
    features = np.array([[g.features.get(name, 0.0) for name in names] for g, _ in rows])
    labels = np.array([float(not g.error) for g, _ in rows])
    prior = [shipped["bias"], *(shipped[name] for name in names)]
    free = [at for at, name in enumerate(names) if shipped[name] < 0]
    found = fitted(
        features, labels, prior, free=free, shares=np.array([share for _, share in rows])
    )
    return dict(zip(["bias", *names], found, strict=True))
