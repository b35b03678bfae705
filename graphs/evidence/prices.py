"""Prices: what a question of cost must be answered with."""

import re

from graphs.evidence.asks import requested_fields
from graphs.evidence.numbers import claims

_ASKED = re.compile(
    r"多少钱|花费|(?:费用?|价格?|单价|成本|花).{0,4}多少|\bcosts?\b|\bprices?\b|\bfees?\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"[价费]|\b(?:costs?|prices?|fees?|free|charged?)\b", re.IGNORECASE)
_CURRENCIES = frozenset({"yuan", "usd", "eur"})


def lacks_price(clause: str, near: str) -> bool:
    """Tell whether a clause asks what something costs, and a text names neither money nor a price.

    A share (30 %) may be a price as well.
    """
    if not _ASKED.search(clause) or requested_fields(clause)[:1] != ["amount"]:
        return False
    if _NAMED.search(near):
        return False
    return not any(claim.unit in _CURRENCIES or claim.kind == "percent" for claim in claims(near))
