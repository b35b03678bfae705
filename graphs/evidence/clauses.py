"""Clauses of a sentence that may be quoted by themselves: what reads as a statement and loses nothing.

A clause is never cut from a condition, an exception, a denial or a word of doubt: such a sentence is
quoted whole.
"""

import re
from functools import lru_cache
from itertools import pairwise

import jieba
import jieba.posseg

from graphs.evidence.script import half_width
from graphs.evidence.text import is_cjk

Span = tuple[int, int]
"""Start and end within a sentence."""

_RUN_ON = re.compile(
    r"(?<=[a-z\d)”\"])[.!?](?:\[\d+\])+\s*|(?<=[a-z])[.!?][”\"’]?(?=[A-Z“])|\s[•|·]\s|\t+|[ \u3000]{3,}"
)
"""Where text that was taken from a page runs on without a sentence's end and space."""
_BREAK = re.compile(r"[，；：。！？]+|[,;:](?=\s)|(?<=\s)[–—-](?=\s)|——")
_CLOSED = re.compile(
    r"《[^《》]*》|“[^“”]*”|「[^「」]*」|\"[^\"]*\"|（[^（）]*）|\([^()]*\)|【[^【】]*】"
)
"""What is quoted or bracketed is one piece."""
_BOUND = re.compile(
    r"如果|假如|倘若|若(?!干)|一旦|除(?![尘氧盐湿霜夕法雪草])|[以之]外|但(?!丁)|然而|不过|却|不(?!同|仅|断|久|少|足|锈|超过)|没有|[尚并从]?未(?!来|央)|无(?!锡|线|烟|人机|论)|非(?!洲|常|凡)|仅|只[有能限]|可能|或许|疑似|怀疑|据[说称传]|大概|预计|否则|禁止|前提|以内|的情况下|[时后][，,]"
    r"|\b(?:if|unless|except|only|provided|may|might|could|possibl[ey]|probabl[ey]|suspected|likely|reportedly|not|no|never|neither|nor|without|cannot|but|however|although|though|until|when|while|expected|rumou?red)\b|n't\b",
    re.IGNORECASE,
)
"""Words that bind the rest of their sentence, or are bound by it."""
_LEANS = re.compile(
    r"^(?:并|且|而|从而|也|还|则|故|因而|因此|所以|其中?|以及|或|及|和|与|又|再|就|才|使|令|导致|该|此|这|那|同时|此外|另外|即)"
)
"""A Chinese clause that leans on the one before it."""
_STARTS = re.compile(r"^(?:The|A|An|It|He|She|They|We|This|That|These|In|On|[A-Z][a-z]+)\b")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|will|would|can|did|does|do|won|became|began|made|took|said|led|held|gave|came|went|got|beat|wrote|sang|[a-z]{3,}(?:ed|s))\b"
)
_MOST_CLAUSES = 6
_LONGEST = {True: 70, False: 240}
_SHORTEST = {True: 6, False: 20}


@lru_cache(maxsize=16384)
def quotable(sentence: str) -> tuple[Span, ...]:
    """Return the spans of a sentence that may be quoted, in order of their start, short ones first.

    What stands between two run-on ends counts as a sentence. Each is among the spans as a whole.
    """
    found: list[Span] = []
    for start, end in _sentences(sentence):
        found.extend((start + a, start + b) for a, b in _within(sentence[start:end]))
    return tuple(found)


def binds(text: str) -> bool:
    """Tell whether a text holds a condition, an exception, a denial or a word of doubt."""
    return bool(_BOUND.search(text))


def _sentences(text: str) -> list[Span]:
    ends = [0, *(match.end() for match in _RUN_ON.finditer(text)), len(text)]
    trimmed = [_trimmed(text, start, end) for start, end in pairwise(ends)]
    return [(start, end) for start, end in trimmed if any(map(str.isalnum, text[start:end]))]


def _within(part: str) -> list[Span]:
    whole = (0, len(part))
    clauses = _clauses(part)
    if len(clauses) < 2 or _BOUND.search(part):
        return [whole]
    chinese = is_cjk(part)
    found: list[Span] = []
    for first in range(len(clauses)):
        start = clauses[first][0]
        if first and not _begins(part[start:], chinese, part[clauses[first - 1][1] : start]):
            continue
        for last in range(first, min(len(clauses), first + _MOST_CLAUSES)):
            end = clauses[last][1] if last + 1 < len(clauses) else len(part)
            if end - start > _LONGEST[chinese]:
                break
            if (start, end) != whole and _states(part[start:end], chinese):
                found.append((start, end))
    return [*found, whole]


def _clauses(part: str) -> list[Span]:
    plain = _CLOSED.sub(lambda match: "x" * len(match.group()), part)
    found: list[Span] = []
    start = 0
    for match in _BREAK.finditer(plain):
        found.append(_trimmed(part, start, match.start()))
        start = match.end()
    found.append(_trimmed(part, start, len(part)))
    return [(a, b) for a, b in found if any(map(str.isalnum, part[a:b]))]


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _begins(rest: str, chinese: bool, before: str) -> bool:
    """Tell whether a statement may begin here: English ones only after a semicolon or dash."""
    if chinese:
        return not _LEANS.match(rest)
    return bool(re.search(r"[;–—-]", before) and _STARTS.match(rest))


def _states(clause: str, chinese: bool) -> bool:
    """Tell whether a clause is long enough and has a verb."""
    if len(clause) < _SHORTEST[chinese]:
        return False
    if not chinese:
        return bool(_VERB.search(clause))
    tags = jieba.posseg.dt.word_tag_tab
    return any(tags.get(word, "").startswith("v") for word in jieba.cut(half_width(clause)))
