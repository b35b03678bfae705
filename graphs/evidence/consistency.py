"""Consistency: do passages of current versions contradict each other about the same subject?"""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import combinations

from graphs.evidence.numbers import Claim, blanked, claims
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import jaccard, sentences, words

_SAME_SUBJECT = 0.6
"""Two sentences speak of the same when this share of their content words is common."""
_SAME_DIMENSION: dict[str, tuple[str, Decimal]] = {
    "pa": ("pa", Decimal(1)), "kpa": ("pa", Decimal(1000)), "mpa": ("pa", Decimal(1_000_000)),
    "mm": ("mm", Decimal(1)), "cm": ("mm", Decimal(10)), "m": ("mm", Decimal(1000)),
    "km": ("mm", Decimal(1_000_000)), "kw": ("kw", Decimal(1)), "mw": ("kw", Decimal(1000)),
    "kg": ("kg", Decimal(1)), "t": ("kg", Decimal(1000)), "v": ("v", Decimal(1)),
    "kv": ("v", Decimal(1000)), "s": ("s", Decimal(1)), "min": ("s", Decimal(60)),
    "h": ("s", Decimal(3600)),
}  # fmt: skip
"""Units that can be compared, each with its factor."""
_OPPOSITES = (("不得", "可以"), ("禁止", "允许"), ("不", ""), ("未", "已"), ("not ", ""))


def contradictions(evidence: Sequence[Evidence]) -> tuple[list[tuple[str, str]], int]:
    """Return pairs of passage ids that disagree, and how many claims could be compared.

    Superseded versions are left out when their successor is among the passages: a newer version
    replaces an older one, it does not contradict it. Records of different codes are different
    subjects.
    """
    documents = {item.passage.document_id for item in evidence}
    current = [item for item in evidence if item.passage.superseded_by not in documents]
    facts = [(item, _facts(item.passage)) for item in current]
    pairs: list[tuple[str, str]] = []
    compared = 0
    for (left, left_facts), (right, right_facts) in combinations(facts, 2):
        if set(left.passage.codes) != set(right.passage.codes):
            continue
        clash, seen = _clash(left_facts, right_facts)
        compared += seen
        if clash:
            pairs.append((left.passage.id, right.passage.id))
    return pairs, compared


def consistency(contradicting: int, compared: int) -> float:
    """Return 1 − contradicting claims / claims; 1.0 where nothing could be compared."""
    return 1.0 if compared == 0 else max(0.0, 1.0 - contradicting / compared)


Fact = tuple[frozenset[str], tuple[Claim, ...], str]


@lru_cache(maxsize=2048)
def _facts(passage: Passage) -> tuple[Fact, ...]:
    """Return each sentence as (content words without values, values, text)."""
    found: list[Fact] = []
    for start, end in sentences(passage.text):
        text = passage.text[start:end]
        values = tuple(claims(text))
        # How a date is written says nothing of the subject.
        content = frozenset(words(blanked(text, values)))
        if len(content) >= 3:
            found.append((content, values, text))
    return tuple(found)


def _clash(left: Sequence[Fact], right: Sequence[Fact]) -> tuple[bool, int]:
    clash, compared = False, 0
    for words_a, values_a, text_a in left:
        for words_b, values_b, text_b in right:
            if jaccard(words_a, words_b) < _SAME_SUBJECT:
                continue
            compared += 1
            clash = clash or _values_differ(values_a, values_b) or _states_differ(text_a, text_b)
    return clash, compared


def _values_differ(left: Sequence[Claim], right: Sequence[Claim]) -> bool:
    """Tell whether both give values of one kind and dimension, and none in common."""
    a, b = _by_dimension(left), _by_dimension(right)
    return any(not a[key] & b[key] for key in a.keys() & b.keys())


def _by_dimension(values: Sequence[Claim]) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for claim in values:
        if claim.kind == "code":
            continue
        unit, factor = _SAME_DIMENSION.get(claim.unit, (claim.unit, None))
        value = format((Decimal(claim.value) * factor).normalize(), "f") if factor else claim.value
        found.setdefault((claim.kind, unit), set()).add(value)
    return found


def _states_differ(left: str, right: str) -> bool:
    return any(
        (first in left) != (first in right) and (not second or second in left + right)
        for first, second in _OPPOSITES
        if abs(len(left) - len(right)) <= 6
    )
