"""Which statements so plainly repeat a quote that no model need judge them."""

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher

from graphs.ask.records import Statement
from graphs.evidence.citations import quote_text
from graphs.evidence.clauses import binds
from graphs.evidence.contrast import opposed
from graphs.evidence.numbers import claims, supports
from graphs.evidence.passages import Passage
from graphs.evidence.standing import Line, nouns, quoted_lines
from graphs.evidence.text import fold, sentences, words

SELF_EVIDENT = 0.8
"""Share of content words that must stand in a quoted sentence, in its order, to need no model."""
_WHOLE = 0.9
"""A sentence that binds what it says to a condition must be repeated up to this share of its words."""
_GLUE = frozenset(
    words(
        "进行 需要 应当 应该 可以 能够 包括 属于 规定 要求 其中 以及 对于 根据 按照 来说 称为 分为 "
        "include state say accord follow follows require need apply use give make take call name set also"
    )
)
"""Words that may be added: they join what is said and say nothing of it."""
_OPPOSITE = tuple(
    (re.compile(one, re.IGNORECASE), re.compile(other, re.IGNORECASE))
    for one, other in (
        (r"[打联开]?开(?!始|展|机)|\bopen\w*", r"关(?!于|系|键)|闭(?!环)|\bclos\w+|\bshut\w*"),
        (r"启动|开机|投入|\bstart\w*|\bswitch\w* on\b", r"停[止运机]|退出|\bstop\w*|\bswitch\w* off\b"),
        (r"报警|\balarm\w*", r"跳闸|\btrip\w*"),
        (r"允许|准许|批准|\b(?:allow|permit|approv)\w*", r"禁止|拒绝|驳回|\b(?:forbid|refus|reject|prohibit)\w*"),
        (r"至少|最低|最小|最短|\bminimum\b|\bat least\b", r"至多|最高|最大|最长|\bmaximum\b|\bat most\b"),
        (r"每周|\bweekly\b", r"每月|\bmonthly\b"),
        (r"每日|每天|每班|\bdaily\b", r"每[周月年季]|\b(?:week|month|year)ly\b"),
        (r"每年|\b(?:yearly|annual\w*)\b", r"每[日天周月季]|\b(?:dai|week|month|quarter)ly\b"),
    )
)  # fmt: skip


def self_evident(statement: Statement, passages: Mapping[str, Passage]) -> bool:
    """Tell whether every sentence of a statement plainly repeats a quoted one.

    It holds its words in its order, adds none that says anything, drops no condition, and says nothing
    from the other side.
    """
    text = statement["text"]
    if not words(text):
        return False
    quoted: list[Line] = []
    for citation in statement["citations"]:
        passage = passages.get(citation["passage"])
        if passage is None or quote_text(citation, passage) is None:
            continue
        start, end = citation["start"] - passage.start, citation["end"] - passage.start
        quoted += quoted_lines(passage, start, end, ())
    said = [text[start:end] for start, end in sentences(text)]
    return all(not words(part) or _repeated(part, quoted) for part in said)


def _repeated(said: str, quoted: Sequence[Line]) -> bool:
    own = words(said)
    every = " ".join(f"{line.above} {line.text}" for line in quoted)
    known, folded = set(words(every)), fold(every)
    lacking = {word for word in own if word not in known and word not in folded}
    if lacking - _GLUE or lacking & nouns(said):
        return False
    lines = [line for line in quoted if not line.header]
    return any(_repeats(said, own, line) for line in lines) or _joined(said, own, lines)


def _repeats(said: str, own: Sequence[str], line: Line) -> bool:
    told = words(f"{line.above} {line.text}")
    if _turned(said, line.text) or opposed(said, line.text):
        return False
    if line.above:  # a row is told cell by cell, each with the name of its column
        held = sum(word in told for word in own)
        return held >= SELF_EVIDENT * len(own)
    matched = _in_order(own, told)
    if matched < SELF_EVIDENT * len(own):
        return False
    narrower = binds(line.text) or _drops_a_value(said, line)
    return not narrower or matched >= _WHOLE * len(told)


def _drops_a_value(said: str, line: Line) -> bool:
    """Tell whether a statement repeats a clause without its value, which may be a condition."""
    own, known = claims(said), set(words(said))
    return any(
        known & set(words(clause))
        and any(not any(supports(value, other) for other in own) for value in claims(clause))
        for clause in line.clauses
    )


def _joined(said: str, own: Sequence[str], lines: Sequence[Line]) -> bool:
    """Tell whether a statement repeats several quoted sentences, one after the other, whole."""
    text = " ".join(line.text for line in lines)
    told = words(text)
    if len(lines) < 2 or _turned(said, text):
        return False
    matched = _in_order(own, told)
    return matched >= SELF_EVIDENT * len(own) and matched >= _WHOLE * len(told)


def _in_order(own: Sequence[str], told: Sequence[str]) -> int:
    """Return how many words stand in both in the same order."""
    blocks = SequenceMatcher(None, own, told, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks)


def _turned(said: str, quoted: str) -> bool:
    """Tell whether a statement uses one of two opposite words where its quote uses the other."""
    return any(
        (one.search(said) and other.search(quoted) and not one.search(quoted))
        or (other.search(said) and one.search(quoted) and not other.search(quoted))
        for one, other in _OPPOSITE
    )
