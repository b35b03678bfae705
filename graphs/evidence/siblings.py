"""Siblings: things of one kind that a modifier, a number or a name tells apart.

Who asks of the doctors' night shift is not answered by the nurses' one, nor is fan 2 by fan 1 or Q3 by
Q1 and Q2, however alike the sentences are. A text that holds siblings of what is asked for, and not the
thing itself, is about something else. Only what is written in the language of the question can tell.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from graphs.evidence import asks
from graphs.evidence.lines import PassageText
from graphs.evidence.names import SOURCE_WORDS, term_weight
from graphs.evidence.script import simplified
from graphs.evidence.text import STOP_WORDS, fold, is_cjk, latin_terms, tagged

_DIGITS = {numeral: str(value) for value, numeral in enumerate("零一二三四五六七八九")}
_COUNTED = re.compile(
    r"[#＃]\s?(\d{1,3})(?!\d)|(?<![\d十百第])([一二三四五六七八九])(?=[号次级期段])"
)
_NUMBERED = re.compile(r"(?<![\d.])(\d{1,3})\s?([号次级期段])([\u4e00-\u9fff])")
_MODIFYING = ("n", "v", "a", "b", "j", "s")
_THING = ("n", "vn", "j", "l")
_BEARER = frozenset("科部处室组班局所厂站机泵炉罐阀楼票证卡车线")
"""Characters that, alone, make one thing of a kind out of what stands before them: 财务科, 给水泵."""
_LINKING = frozenset("的和与及或在对由是为将把被从向每各该此其本这那有无不之等以到至按经给于并且而")
"""Characters before a thing that tell nothing of it."""
_NAME = ("nr", "ns", "nt", "nz")
_CAPITAL = re.compile(r"(?<=[^.!?:;\n\"'“‘(]\s)(?:[A-Z][\w&-]*)(?:\s+[A-Z][\w&-]*)*")
_SERIES = re.compile(r"\b([A-Z]{1,4})(\d{1,3})\b")
_ABSTRACT = frozenset(
    "事项 情况 问题 方式 工作 信息 资料 数据 参数 指标 能力 状态 过程 活动 项目 材料 功能 原理 作用 关系".split()
)
"""Nouns that name no thing of a kind: what stands before them is often said otherwise."""
_ROLES = frozenset("工员师生人长者")
"""Ends of what people are called; 职工 and 员工 are the same ones."""


def foreign(question: str, text: PassageText) -> bool:
    """Tell whether a passage holds siblings of a thing that the question names, and not the thing."""
    if text.language == "zh" and is_cjk(question):
        if _numbers(question) and _other_number(_numbers(question), _counted(_body(text))):
            return True
        if any(_told(_body(text), thing, modifier) for modifier, thing in _lacking(question, text)):
            return True
    return _other_of_series(question, text) or _other_row(question, text)


def sibling_lines(question: str, text: PassageText) -> frozenset[int]:
    """Return the lines that hold a sibling of a thing that the question and no line names."""
    if text.language != "zh" or not is_cjk(question):
        return frozenset()
    pairs = _lacking(question, text)
    return frozenset(
        index
        for index, line in enumerate(text.lines if pairs else ())
        if any(_told(line.folded, thing, modifier) for modifier, thing in pairs)
    )


@lru_cache(maxsize=2048)
def _body(text: PassageText) -> str:
    return " ".join((text.heading.folded, *(line.folded for line in text.lines)))


@lru_cache(maxsize=2048)
def _whole(text: PassageText) -> str:
    lead = text.lead.text if text.lead else ""
    return " ".join((text.heading.text, lead, *(line.text for line in text.lines)))


def _counted(folded: str) -> str:
    """Return the text with its numbered things in one form: 三号机, #3机 as 3号机."""
    return _COUNTED.sub(lambda m: f"{m[1]}号" if m[1] else _DIGITS[m[2]], folded)


@lru_cache(maxsize=512)
def _numbers(question: str) -> tuple[tuple[str, str, str], ...]:
    """Return (number, unit, first character of the thing) of what a question numbers: (3, 号, 机)."""
    return tuple(_NUMBERED.findall(_counted(fold(question))))


def _other_number(numbers: tuple[tuple[str, str, str], ...], body: str) -> bool:
    """Tell whether the body numbers things as the question does, and never with its number."""
    for number, unit, kind in numbers:
        others = {m[1] for m in _NUMBERED.finditer(body) if (m[2], m[3]) == (unit, kind)}
        if others and number not in others and not re.search(rf"(?<!\d){number}\s?{unit}", body):
            return True
    return False


@lru_cache(maxsize=2048)
def _lacking(question: str, text: PassageText) -> tuple[tuple[str, str], ...]:
    """Return the pairs of a question whose thing stands in a passage without its modifier."""
    body = _body(text)
    return tuple(
        (modifier, thing)
        for modifier, thing in _pairs(question)
        if thing in body and (modifier if len(modifier) > 1 else modifier + thing) not in body
    )


@lru_cache(maxsize=512)
def _pairs(question: str) -> tuple[tuple[str, str], ...]:
    """Return (modifier, thing) of a Chinese question: (医生, 夜班), (信息, 科), (引, 风机)."""
    return tuple(dict.fromkeys(_pairs_in(tagged(simplified(question)))))


def _pairs_in(tokens: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    for (word, flag), (thing, kind) in pairwise(tokens):
        if _modifies(word, flag) and _is_thing(thing, kind):
            yield word, thing
    for word, flag in tokens:
        if len(word) == 3 and flag.startswith((*_THING, "l")) and is_cjk(word):
            yield (word[:2], word[2]) if word[2] in _BEARER else (word[0], word[1:])


def _modifies(word: str, flag: str) -> bool:
    return (
        is_cjk(word)
        and len(word) > 1
        and flag.startswith(_MODIFYING)
        and word not in STOP_WORDS
        and word not in SOURCE_WORDS
        and term_weight(word) == 1.0
        and not asks.CUE_PHRASES.search(word)
    )


def _is_thing(word: str, flag: str) -> bool:
    if len(word) == 1:
        return word in _BEARER
    return (
        flag.startswith(_THING)
        and is_cjk(word)
        and term_weight(word) == 1.0
        and word not in _ABSTRACT
        and not asks.LABEL_HEAD.search(word)
    )


def _told(body: str, thing: str, modifier: str) -> bool:
    """Tell whether a text names such a thing, each time with a modifier before it."""
    called = modifier[-1] if modifier[-1] in _ROLES else ""
    place, found = body.find(thing), False
    while place >= 0:
        before = body[max(0, place - 1) : place]
        if not is_cjk(before) or before in _LINKING or before == called:
            return False
        found, place = True, body.find(thing, place + 1)
    return found


def _other_of_series(question: str, text: PassageText) -> bool:
    """Tell whether the text has others of a series, and not the one that is asked for: Q1, Q2 for Q3."""
    for letters, number in _SERIES.findall(question):
        held = {m[1] for m in re.finditer(rf"\b{letters}\s?-?(\d{{1,3}})\b", _whole(text))}
        if held and number not in held:
            return True
    return False


def _other_row(question: str, text: PassageText) -> bool:
    """Tell whether a table in the question's language lacks a name that the question asks for."""
    if not any(line.kind == "row" for line in text.lines):
        return False
    if text.language == "zh" and is_cjk(question):
        named = [w for w, flag in tagged(simplified(question)) if flag in _NAME and len(w) > 1]
        return any(fold(name) not in _body(text) for name in named)
    if text.language == "en" and not is_cjk(question):
        whole = _whole(text)
        held = frozenset(latin_terms(whole))
        initials = "".join(re.findall(r"\b[A-Za-z]", whole)).lower()
        return any(
            not set(latin_terms(name)) & held and name.lower() not in initials
            for name in _CAPITAL.findall(question)
        )
    return False
