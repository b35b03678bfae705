"""Values that a text names, alone or as the ends of a range."""

import itertools
import re
from functools import lru_cache

from graphs.evidence.numbers import claims

_RANGE = re.compile(r"^[^\d]{0,8}(?:～|~|-|–|—|至|到|to|\band\b)[^\d]{0,8}$", re.IGNORECASE)


@lru_cache(maxsize=8192)
def _values(text: str) -> tuple[frozenset[str], tuple[tuple[float, float], ...]]:
    """Return the values of a text without their units, and its ranges as (low, high)."""
    found = [claim for claim in claims(text) if claim.kind in ("number", "percent")]
    spans = tuple(
        (min(a, b), max(a, b))
        for left, right in itertools.pairwise(found)
        if _RANGE.match(text[left.end : right.start]) and left.unit in ("", right.unit)
        for a, b in [(float(left.value), float(right.value))]
    )
    return frozenset(claim.value for claim in claims(text)), spans


def holds_value(value: str, text: str) -> bool:
    """Tell whether a text names a value, or a range that it lies in."""
    values, spans = _values(text)
    if value in values:
        return True
    return any(low < float(value) < high for low, high in spans)
