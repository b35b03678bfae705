"""Consistency: do passages of current versions contradict each other about the same subject?"""

from collections.abc import Sequence
from decimal import Decimal
from itertools import combinations, product

from graphs.evidence.matters import Matter, divided, matters, near, same_matter
from graphs.evidence.numbers import Claim
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import jaccard

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
_Grouped = dict[tuple[object, ...], list[Matter]]
"""Matters of a passage by kind, key and section or not: those of one group may speak of the same."""
_OPPOSITES = (("不得", "可以"), ("禁止", "允许"), ("不", ""), ("未", "已"), ("not ", ""))


def contradictions(evidence: Sequence[Evidence]) -> tuple[list[tuple[str, str]], int]:
    """Return pairs of passage ids that disagree, and how many claims could be compared.

    Superseded versions are left out when their successor is among the passages: a newer version
    replaces an older one, it does not contradict it. Records of different codes are different
    subjects, and so are rows of different keys (see `same_matter`).
    """
    documents = {item.passage.document_id for item in evidence}
    current = [item for item in evidence if item.passage.superseded_by not in documents]
    grouped: dict[tuple[str, bool], _Grouped] = {}
    pairs: list[tuple[str, str]] = []
    compared = 0
    for left, right in combinations([item.passage for item in current], 2):
        if set(left.codes) != set(right.codes):
            continue
        # within one document only sentences of one section can speak of the same (see `divided`)
        within = left.document_id == right.document_id
        for each in (left, right):
            if (each.id, within) not in grouped:
                grouped[each.id, within] = _grouped(each, by_section=within)
        clash, seen = _clash(left, grouped[left.id, within], right, grouped[right.id, within])
        compared += seen
        if clash:
            pairs.append((left.id, right.id))
    return pairs, compared


def consistency(contradicting: int, compared: int) -> float:
    """Return 1 − contradicting claims / claims; 1.0 where nothing could be compared."""
    return 1.0 if compared == 0 else max(0.0, 1.0 - contradicting / compared)


def _grouped(passage: Passage, by_section: bool) -> _Grouped:
    found: _Grouped = {}
    for matter in matters(passage):
        group = (matter.kind, matter.key, by_section and matter.section)
        found.setdefault(group, []).append(matter)
    return found


def _clash(left: Passage, mine: _Grouped, right: Passage, others: _Grouped) -> tuple[bool, int]:
    """Tell whether two passages disagree, and how many of their matters could be compared."""
    clash, compared = False, 0
    for group in mine.keys() & others.keys():
        for a, b in product(mine[group], others[group]):
            if not _same_subject(left, a, right, b) or not same_matter(left, a, right, b):
                continue
            compared += 1
            clash = clash or _values_differ(a.values, b.values) or _states_differ(a.text, b.text)
    return clash, compared


def _same_subject(left: Passage, a: Matter, right: Passage, b: Matter) -> bool:
    # what is cheap to see comes first: only the rest is split into words
    if not near(a, b) or divided(left, a, right, b):
        return False
    return jaccard(a.content, b.content) >= _SAME_SUBJECT


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
