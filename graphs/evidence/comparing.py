"""Comparisons: a question about two things is one question about each of them."""

import re
from dataclasses import dataclass

from graphs.evidence.text import codes, is_cjk, words
from graphs.evidence.values import values_in

_NAME = r"(?:the )?[\"“]?(?-i:[A-Z0-9])[^,?]*?"
_END = r"(?=,? (?:both|all|equally|have in common|share|(?:(?-i:[a-z]+) ){0,3}the same)\b)"
_ENGLISH = (
    re.compile(
        rf"^(?P<ask>(?=.*\b(?:who|whose|which|what|where|when)\b)[^,?]+),\s*(?P<a>{_NAME}),? or +(?P<b>{_NAME})(?P<rest>)\s*\?*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?P<ask>(?:are|were|is|was|do|did|does|have|has)(?: both)?|(?:what|which)\b.*?\b(?:do|did|does|are|were|have)(?: both)?) (?P<a>{_NAME}) and (?P<b>{_NAME}){_END}(?P<rest>.*?)\s*\?*$",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?P<ask>(?:are|were|do|did|have) both) (?P<a>{_NAME}) and (?P<b>{_NAME})(?P<rest> (?-i:[a-z]).*?)\s*\?*$",
        re.IGNORECASE,
    ),
)
_CHINESE = re.compile(
    r"^(?:请问)?(?P<a>[^，,。；;？?的和与跟同]{2,16})[和与跟同](?P<b>[^，,。；;？?的和与跟同]{2,16}?)(?:分别|各自?)?[由是]?(?P<ask>的[^，,。；;？?]{1,10})?(?:相比)?[，,]?"
    r"(?P<rest>哪[一个种项台者]+.*?|谁更.*?|有(?:什么|何|哪些)(?:区别|不同|差别|差异)|(?:是否|是不是)(?:相同|一样|一致|都).*?|(?:一样|相同|一致)吗|相差多少|差多少)[？?。]*$"
)
_COMPARES = re.compile(
    r"(?:是否|是不是)?(?:相同|一样|一致|都)|有?(?:什么|何|哪些)(?:区别|不同|差[别异])|相?差多少|更|\b(?:are|is|was|were|do|does|did|both|same|different|difference|equally|compared?|than|or|common)\b",
    re.IGNORECASE,
)
_COMMON = frozenset("it he she they this that these those".split())


@dataclass(frozen=True, slots=True)
class Sides:
    """The two things of a comparison, and what is asked of either, without them."""

    names: tuple[str, str]
    asked: str
    content: str
    """`asked` without the words that compare: what each side by itself is asked for."""


def sides(question: str) -> Sides | None:
    """Return what is compared; None where the question compares nothing or two coded things.

    Both things must be named: by capitals in English, by short phrases without 的 in Chinese.
    """
    text = question.strip()
    if len(codes(text)) > 1:
        return None  # each code is asked about anyway
    if is_cjk(text):
        found = _CHINESE.match(text)
        return _sides(found, "") if found else None
    for pattern in _ENGLISH:
        found = pattern.match(text)
        if found and all(_named(found[side]) for side in "ab") and not _names_another(found["ask"]):
            return _sides(found, " ")
    return None


def _named(name: str) -> bool:
    """Tell whether a phrase is a name: it begins with a capital or a digit, few words are small."""
    bare = name.strip(' "“”').removeprefix("the ")
    first = bare[:1]
    return (
        (first.isupper() or first.isdigit())
        and bare.lower() not in _COMMON
        and len(bare.split()) <= 10
    )


def _names_another(asked: str) -> bool:
    """Tell whether what is asked names a work or a person: then the two are answers to choose from."""
    return any(value.kind in ("title", "person") for value in values_in(asked))


def _sides(found: re.Match[str], gap: str) -> Sides | None:
    asked = " ".join(f"{found['ask'] or ''}{gap}{found['rest']}".strip(" ,，的").split())
    first, second = found["a"].strip(' "“”'), found["b"].strip(' "“”')
    bare = _COMPARES.sub(" ", asked)
    return Sides((first, second), asked, bare) if words(bare) or gap == "" else None
