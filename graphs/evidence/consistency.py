"""Consistency: do passages of current versions contradict each other about the same subject?"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from graphs.evidence.numbers import Claim, claims
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import jaccard, sentences, words

_SAME_SUBJECT = 0.6
"""Two sentences speak of the same when this share of their content words is common."""
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
        content = frozenset(word for word in words(text) if not any(c.isdigit() for c in word))
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
    for kind in ("number", "percent", "date"):
        for unit in {claim.unit for claim in left if claim.kind == kind}:
            a = {c.value for c in left if c.kind == kind and c.unit == unit}
            b = {c.value for c in right if c.kind == kind and c.unit == unit}
            if a and b and not a & b:
                return True
    return False


def _states_differ(left: str, right: str) -> bool:
    return any(
        (first in left) != (first in right) and (not second or second in left + right)
        for first, second in _OPPOSITES
        if abs(len(left) - len(right)) <= 6
    )
