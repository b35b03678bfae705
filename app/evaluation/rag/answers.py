"""Is an answer right: containment in a cut text, and exact match and F1 as HotpotQA scores them."""

import re
import string
from collections import Counter
from collections.abc import Sequence

LIMIT_ZH, LIMIT_EN = 100, 50
"""Characters of a Chinese answer and words of an English one that are read."""
Answer = Sequence[Sequence[str]]
"""Every outer item is required; an inner list holds its aliases."""
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = frozenset(string.punctuation)
_CLOSED = ("yes", "no", "noanswer")


def cut(text: str, language: str) -> str:
    """Return what is read of an answer: its first 100 characters (zh) or 50 words (en)."""
    if language == "zh":
        return text[:LIMIT_ZH]
    return " ".join(text.split()[:LIMIT_EN])


def contained(text: str, answer: Answer, language: str) -> bool:
    """Tell whether every item of a non-empty answer stands in the text, case aside (zh: spaces too)."""
    read = _plain(text, language)
    return bool(answer) and all(
        any(wanted in read for alias in item if (wanted := _plain(alias, language)))
        for item in answer
    )


def exact_match(text: str, gold: str) -> bool:
    """Tell whether both are equal after HotpotQA's normalisation."""
    return _normal(text) == _normal(gold)


def f1(text: str, gold: str) -> float:
    """Return the F1 of the words as HotpotQA scores it: yes, no and noanswer match whole or not."""
    said, wanted = _normal(text), _normal(gold)
    if said != wanted and (said in _CLOSED or wanted in _CLOSED):
        return 0.0
    common = sum((Counter(said.split()) & Counter(wanted.split())).values())
    if not common:
        return 0.0
    precision, recall = common / len(said.split()), common / len(wanted.split())
    return 2 * precision * recall / (precision + recall)


def holds(text: str, gold: str) -> bool:
    """Tell whether the normalised answer stands in the normalised text as whole words."""
    return f" {_normal(gold)} " in f" {_normal(text)} "


def _plain(text: str, language: str) -> str:
    return ("" if language == "zh" else " ").join(text.lower().split())


def _normal(text: str) -> str:
    bare = "".join(char for char in text.lower() if char not in _PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())
