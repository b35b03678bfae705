"""How far an error rate that was seen on few questions may lie from the true one."""

import math

_HALVINGS = 60


def upper_bound(errors: int, answered: int, delta: float) -> float:
    """Return the one-sided Clopper-Pearson upper bound of a rate with confidence 1 - `delta`.

    It is the rate at which so few errors as `errors` among `answered` draws have probability
    `delta` (Clopper & Pearson 1934); 1.0 where nothing was answered. Raises ValueError for counts
    that can't be and for a `delta` outside (0, 1).
    """
    if not 0 <= errors <= answered:
        raise ValueError(f"{errors} errors among {answered} answered questions can't be")
    if not 0.0 < delta < 1.0:
        raise ValueError("delta lies between 0 and 1")
    if errors == answered:
        return 1.0
    low, high = errors / answered, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if at_most(errors, answered, middle) > delta:
            low = middle
        else:
            high = middle
    return high


def at_most(errors: int, answered: int, rate: float) -> float:
    """Return the probability of at most `errors` errors in `answered` draws at a rate in (0, 1)."""
    log_rate, log_rest = math.log(rate), math.log1p(-rate) if rate < 1.0 else -math.inf
    ways = math.lgamma(answered + 1)
    terms = [
        ways - math.lgamma(k + 1) - math.lgamma(answered - k + 1) + k * log_rate
        + ((answered - k) * log_rest if answered > k else 0.0)
        for k in range(errors + 1)
    ]  # fmt: skip
    return min(1.0, math.fsum(math.exp(term) for term in terms))


def least_answered(alpha: float, delta: float) -> int:
    """Return how many questions must be answered, all of them rightly, to promise `alpha` at all.

    That is ceil(ln delta / ln(1 - alpha)): 45 for alpha 0.05 and delta 0.10.
    """
    if not (0.0 < alpha < 1.0 and 0.0 < delta < 1.0):
        raise ValueError("alpha and delta lie between 0 and 1")
    return math.ceil(math.log(delta) / math.log1p(-alpha))
