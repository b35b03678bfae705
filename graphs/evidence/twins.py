"""Twin sentences: the same words but for one thing, which each puts differently."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import combinations

from graphs.evidence.script import aligned
from graphs.evidence.text import is_cjk, words
from graphs.evidence.values import Value, values_in

Span = tuple[int, int]

_TOKEN = re.compile(r"[a-z]+(?:['’][a-z]+)?|\d+(?:[.,:]\d+)*%?|[^\W\d_a-z]|[><≤≥]", re.IGNORECASE)
_ALIKE = 0.6
"""Share of the shorter sentence's tokens that twins have in common."""
_COMMON = {True: 8, False: 5}
"""Fewest tokens in common: characters in Chinese, words in other languages."""
_DENIAL = frozenset("不 未 没 无 非 not never no cannot".split())
_DENIAL_WORDS = 3
_VERB = re.compile(
    r"\b(?:did|does|do|is|are|was|were|will|can|has|have|had)n['’]t\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What one sentence says where its twin says another thing; `values` are what stands there.

    `at`: its place in each sentence. `denied`: one of both denies what the other says, with the words
    that stand there.
    """

    left: str
    right: str
    at: tuple[Span, Span]
    left_values: tuple[Value, ...] = ()
    right_values: tuple[Value, ...] = ()
    denied: bool = False


@lru_cache(maxsize=8192)
def tokens(text: str) -> tuple[tuple[str, ...], tuple[Span, ...]]:
    """Return the folded tokens of a sentence and their places; punctuation is none."""
    plain = aligned(text).lower()
    if len(plain) != len(text):
        plain = text
    found = [(m.group(), m.span()) for m in _TOKEN.finditer(plain)]
    return tuple(word for word, _ in found), tuple(span for _, span in found)


@lru_cache(maxsize=8192)
def token_set(text: str) -> frozenset[str]:
    """Return the different tokens of a sentence."""
    return frozenset(tokens(text)[0])


def alike(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs of lines that share enough tokens to be twins."""
    places: dict[str, int] = {}
    held = [
        sum(1 << places.setdefault(token, len(places)) for token in token_set(line))
        for line in lines
    ]
    sizes = [bits.bit_count() for bits in held]
    return [
        (i, j)
        for i, j in combinations(range(len(lines)), 2)
        if (held[i] & held[j]).bit_count() >= _ALIKE * min(sizes[i], sizes[j])
    ]


@lru_cache(maxsize=4096)
def difference(left: str, right: str) -> Difference | None:
    """Return the one thing in which twins differ, or None where they are none or differ in more.

    What only one of them says before or after the common part does not count: texts are cut off
    at different places. What one puts in between must hold no value.
    """
    (a, a_places), (b, b_places) = tokens(left), tokens(right)
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    codes = matcher.get_opcodes()
    common = sum(end - start for tag, start, end, _, _ in codes if tag == "equal")
    if common < max(_COMMON[is_cjk(left)], _ALIKE * min(len(a), len(b))):
        return None
    raw: set[tuple[str, str]] = set()
    found: dict[tuple[str, str], Difference] = {}
    for number, (tag, i, j, k, m) in enumerate(codes):
        outside = number in (0, len(codes) - 1) and tag != "replace"
        if tag == "equal" or outside:
            continue
        a_span, b_span = _span(a_places, i, j), _span(b_places, k, m)
        one = _difference(left, right, a_span, b_span)
        if one is not None:
            raw.add((left[slice(*a_span)], right[slice(*b_span)]))
            found.setdefault((one.left, one.right), one)
    # The same names may be read longer at one place, and one date may differ at several.
    return next(iter(found.values())) if found and min(len(raw), len(found)) == 1 else None


def _span(places: tuple[Span, ...], first: int, last: int) -> Span:
    if first == last:
        at = places[first - 1][1] if first else 0
        return at, at
    return places[first][0], places[last - 1][1]


def _difference(left: str, right: str, a: Span, b: Span) -> Difference | None:
    """Return the things that stand at two places, or None where neither says anything of weight."""
    longest = max(len(tokens(left[slice(*a)])[0]), len(tokens(right[slice(*b)])[0]))
    denied = longest <= _DENIAL_WORDS and _denies(left[slice(*a)]) != _denies(right[slice(*b)])
    mine_values, other_values = _values_at(left, a), _values_at(right, b)
    if mine_values:
        a = mine_values[0].start, mine_values[-1].end
    if other_values:
        b = other_values[0].start, other_values[-1].end
    mine, other = _trimmed(left[slice(*a)], right[slice(*b)])
    if denied and not (mine_values or other_values):
        return Difference(mine, other, (a, b), denied=True)
    if not (mine_values or other_values or words(mine) or words(other)):
        return None
    return Difference(mine, other, (a, b), mine_values, other_values)


def _trimmed(left: str, right: str) -> tuple[str, str]:
    """Return two texts without the tokens that both begin or end with: a name may be read too long."""
    (a, a_places), (b, b_places) = tokens(left), tokens(right)
    most = min(len(a), len(b))
    first = next((i for i in range(most) if a[i] != b[i]), most)
    last = next((i for i in range(most - first) if a[-1 - i] != b[-1 - i]), most - first)
    mine, other = _span(a_places, first, len(a) - last), _span(b_places, first, len(b) - last)
    return left[slice(*mine)], right[slice(*other)]


def _values_at(text: str, span: Span) -> tuple[Value, ...]:
    start, end = span
    return tuple(
        v
        for v in values_in(text)
        if v.start < max(end, start + 1) and start < v.end and v.end > start
    )


def _denies(text: str) -> bool:
    return bool(token_set(text) & _DENIAL) or bool(_VERB.search(text))
