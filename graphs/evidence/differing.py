"""Whether two sentences differ in what is asked: what a careful reader of both would see.

They are the same but for one thing. A value of another subject or unit is no difference, and neither is
one of several true names, a spelling or who wrote or photographed it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from graphs.evidence import asks
from graphs.evidence.candidates import Wanted, places_of
from graphs.evidence.lines import Lexicon
from graphs.evidence.text import is_cjk, tagged, words
from graphs.evidence.twins import Difference, Span, difference
from graphs.evidence.values import NAMED_KINDS, Value, agree
from graphs.ports import RerankQuery

_FITS = 0.45
_HEAVY = 0.15
"""Share of the question from which on a word that only one passage holds keeps them apart."""
_SPELLING = 0.8
"""Names whose characters are alike to this degree are one name, spelt in two ways."""
_BYLINE = re.compile(
    r"记者|通讯员|摄影|编辑|图源|作者|\b(?:photo\w*|reporter|edited|written)\b|/AP\b", re.I
)
_BEFORE = 8
_PARTICLE = 3
"""Characters of the longest word within a name that needs no capital."""
_LATIN = re.compile(r"[A-Za-z][\w'’.-]*")
_TYPED = ("time", "number", "percent")
_NOUNS = "njxe"
"""First letters of the tags of nouns, short forms, codes and Latin words."""
_MANY = ("哪些", "哪几", "分别", "列出", "which of", "list ", "what are", "who are", "examples")


@dataclass(frozen=True, slots=True)
class Question:
    """A question taken apart: what it asks for, its words with their rarity."""

    wanted: Wanted
    weights: Mapping[str, float]
    many: bool
    """It asks for several things."""

    @staticmethod
    def of(query: RerankQuery, asked: str) -> "Question":
        """Take a question apart; `asked` is the part of it whose value counts."""
        lexicon = Lexicon(query.passages, query.frequency)
        content = words(asks.strip_cues(query.text)) or words(query.text)
        many = any(word in query.text.lower() for word in _MANY)
        return Question(Wanted.of(asked), {word: lexicon.weight(word) for word in content}, many)

    @property
    def typed(self) -> bool:
        """Whether a time or number answers."""
        return self.wanted.name in _TYPED

    @property
    def heavy(self) -> NDArray[np.bool_]:
        """Shape (words,): which words make up much of the question."""
        weights = np.array(list(self.weights.values()), dtype=np.float32)
        return np.asarray(weights >= _HEAVY * weights.sum())


@dataclass(frozen=True, slots=True)
class Said:
    """Whether two comparable sentences differ, and where each says what the other does not."""

    differ: bool
    at: tuple[Span, Span]
    denied: bool = False


def twins_differ(left: str, right: str, question: Question) -> Said | None:
    """Compare two sentences that share most of their words; None where they differ in something else."""
    found = difference(left, right)
    if found is None:
        return None
    if found.denied:
        return Said(True, found.at, denied=True)
    byline = any(
        _BYLINE.search(text[max(0, start - _BEFORE) : start])
        for text, (start, _) in ((left, found.at[0]), (right, found.at[1]))
    )
    if byline and not _BYLINE.search(question.wanted.question):
        return None
    differ = _asked_differs(
        found,
        question,
        [
            not text[:start].strip()
            for text, (start, _) in ((left, found.at[0]), (right, found.at[1]))
        ],
    )
    return None if differ is None else Said(differ, found.at)


def _asked_differs(found: Difference, question: Question, opens: Sequence[bool]) -> bool | None:
    said = (found.left, found.right)
    if any(places_of(word, text) for word in question.weights for text in said):
        return None
    wanted = question.wanted
    left, right = found.left_values, found.right_values
    mine, theirs = _fitting(left, wanted), _fitting(right, wanted)
    if mine and theirs and not (question.many and not question.typed):
        apart = _apart(mine, theirs)
        named = all(v.kind in NAMED_KINDS for v in (*mine, *theirs))
        return apart if not (apart and named) or _names_differ(found, opens) else None
    if _measured(left) and _measured(right):
        # What no kind of value answers may still be told with one.
        return None if wanted.asks_value else _apart(left, right)
    if question.many or question.typed:
        return None
    return True if _names_differ(found, opens) else None


def _measured(values: Sequence[Value]) -> bool:
    return bool(values) and all(v.kind not in (*NAMED_KINDS, "code") for v in values)


def _fitting(values: Sequence[Value], wanted: Wanted) -> list[Value]:
    return [v for v in values if wanted.fit(v) >= _FITS and wanted.new(v)]


def _apart(left: Sequence[Value], right: Sequence[Value]) -> bool | None:
    """Tell whether no value of one side agrees with one of the other; None where units differ."""
    if any(agree(a, b) for a in left for b in right):
        return False
    pairs = [(a, b) for a in left for b in right if _same_kind(a, b)]
    return True if pairs else None


def _same_kind(a: Value, b: Value) -> bool:
    if a.kind in NAMED_KINDS and b.kind in NAMED_KINDS:
        return True
    if a.kind != b.kind or a.kind == "code":
        return False
    if a.kind == "date":
        years = a.value[:4], b.value[:4]
        dated = all(year.isdigit() for year in years)
        return len(a.value) == len(b.value) or (dated and years[0] != years[1])
    return a.unit == b.unit or not (a.unit and b.unit)


def _names_differ(found: Difference, opens: Sequence[bool]) -> bool:
    """Tell whether both sides name a thing; `opens`: whether each opens its sentence."""
    left, right = found.left, found.right
    if not left or not right or left in right or right in left:
        return False
    if any(v.kind not in NAMED_KINDS for v in (*found.left_values, *found.right_values)):
        return False
    if not is_cjk(left + right) and SequenceMatcher(None, left, right).ratio() >= _SPELLING:
        return False
    if is_cjk(left + right) and found.left_values and found.right_values:
        return True
    return all(_names(text, first) for text, first in zip((left, right), opens, strict=True))


def _names(text: str, opens: bool) -> bool:
    """Tell whether a text is a name: nouns alone in Chinese, capitals elsewhere."""
    if is_cjk(text):
        return all(flag[0] in _NOUNS for _, flag in tagged(text))
    found = [word for word in _LATIN.findall(text) if len(word) > _PARTICLE]
    return len(found) > int(opens) and all(word[0].isupper() for word in found)
