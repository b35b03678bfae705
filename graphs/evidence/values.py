"""Typed values of a text: dates, times, numbers, codes, titles and names, each with its place.

What a text names is read once, without a question. Places are code points of the text as given.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from graphs.evidence import value_names
from graphs.evidence.numbers import Claim, claims
from graphs.evidence.numerals import CN_NUMERAL, chinese_number
from graphs.evidence.script import half_width
from graphs.evidence.text import fold, is_cjk

ValueKind = Literal[
    "date", "clock", "number", "percent", "code", "title", "person", "place", "organisation", "name"
]


@dataclass(frozen=True, slots=True)
class Value:
    """One value. `value` is its normal form: dates "2022-12-16", "12-16" or "2022"; "3.5" numbers;
    names folded. `unit` is the unit or what is counted ("" for none)."""

    kind: ValueKind
    value: str
    unit: str
    start: int
    end: int


_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_PARTIAL = re.compile(
    r"(?<!\d)(?P<m>\d{1,2})\s*月\s*(?:(?P<d>\d{1,2})\s*[日号])?(?!份?起?租)"
    rf"|\b(?P<m2>{_MONTH})\.?\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)"
    rf"|\b(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m3>{_MONTH})\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,$€¥-])(?P<y>1[0-9]\d\d|20\d\d)(?:s\b|(?![\d.,]*\d|\s*[%万亿元]))")
_AGE = re.compile(r"\d{1,2}\s*世纪(?:\d0\s*年代)?|(?:公元前?)\s*\d+\s*年|(?<!\d)\d0\s*年代")
_CLOCK = re.compile(
    r"(?<!\d)\d{1,2}[:：]\d{2}(?!\d)|(?:[上下]午|晚上?|凌晨|中午)\s*\d{1,2}\s*[点时](?:\d{1,2}分|半)?"
    r"|\b\d{1,2}(?::\d{2})?\s*(?:a\.?m\b|p\.?m\b)\.?",
    re.IGNORECASE,
)
_ENGLISH_NUMERALS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen twenty".split()
    )
} | {word: 10 * n for n, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)}  # fmt: skip
_ENGLISH_NUMBER = re.compile(
    rf"\b(?P<n>{'|'.join(w for w in _ENGLISH_NUMERALS if w not in ('zero', 'one'))})\b[\s-](?P<of>[a-z]+)",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"(?P<n>{CN_NUMERAL})(?P<of>[余多]?(?:[个座名位条项家部届次支人倍岁艘架辆只件本章节种类级张届枚场排层口所对段株篇首幅]))"
)
_ORDINAL = re.compile(rf"第\s*(?:\d+|{CN_NUMERAL})\s*[\u4e00-\u9fff]?|\b(?:first|second|third|\d+(?:st|nd|rd|th))\b", re.IGNORECASE)  # fmt: skip
_AFTER = re.compile(r"\s*(?:余|多)?\s*([\u4e00-\u9fff]{1,2}|[a-z]+)", re.IGNORECASE)
_TITLE = re.compile(r"《([^《》\n]{1,40})》|[“\"]([^“”\"\n]{2,40})[”\"]|「([^「」\n]{1,40})」")


@lru_cache(maxsize=16384)
def values_in(text: str) -> tuple[Value, ...]:
    """Return the values of `text` in order; they do not overlap."""
    plain = half_width(text)
    found: list[Value] = []
    for value in (*_times(plain), *_numbers(plain)):
        if not any(value.start < other.end and other.start < value.end for other in found):
            found.append(value)
    free = plain
    for value in found:
        free = free[: value.start] + " " * (value.end - value.start) + free[value.end :]
    for value in _titles(plain):
        found.append(value)
        free = free[: value.start] + " " * (value.end - value.start) + free[value.end :]
    found += (
        Value(kind, fold(text[start:end]), "", start, end)
        for kind, start, end in value_names.names_in(free)
    )
    return tuple(sorted(found, key=lambda value: (value.start, -value.end)))


def _times(plain: str) -> Iterator[Value]:
    for claim in claims(plain):
        if claim.kind == "date":
            yield Value("date", claim.value, "", claim.start, claim.end)
    for match in _PARTIAL.finditer(plain):
        month, day = match["m"] or match["m2"] or match["m3"], match["d"] or match["d2"] or match["d3"]  # fmt: skip
        number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
        if number <= 12 and (day is None or int(day) <= 31):
            value = f"{number:02d}" + (f"-{int(day):02d}" if day else "")
            yield Value("date", value, "", match.start(), match.end())
    for match in _AGE.finditer(plain):
        yield Value("date", fold(match.group()), "", match.start(), match.end())
    for match in _CLOCK.finditer(plain):
        yield Value("clock", fold(match.group()), "", match.start(), match.end())
    for match in _YEAR.finditer(plain):
        if _stands_alone(plain, match):
            yield Value("date", match["y"], "", match.start(), match.end())


def _stands_alone(plain: str, year: re.Match[str]) -> bool:
    """Tell whether four digits are a year: what they would count does not follow them."""
    after = _AFTER.match(plain, year.end())
    counted = next((c for c in claims(plain) if c.start == year.start()), None)
    if counted is not None and counted.kind == "code":
        return False
    if after and is_cjk(after[1]):
        return after[1].startswith(("财年", "年", "赛季", "届", "版"))
    return counted is None or not counted.unit


def _numbers(plain: str) -> Iterator[Value]:
    for claim in claims(plain):
        if claim.kind in ("number", "percent", "code"):
            yield _counted(plain, claim)
    for match in _COUNTED.finditer(plain):
        value = str(chinese_number(match["n"]))
        yield Value("number", value, match["of"].lstrip("余多"), match.start(), match.end())
    for match in _ENGLISH_NUMBER.finditer(plain):
        value = str(_ENGLISH_NUMERALS[match["n"].lower()])
        yield Value("number", value, match["of"].lower(), match.start(), match.end("n"))
    for match in _ORDINAL.finditer(plain):
        yield Value("number", fold(match.group()), "th", match.start(), match.end())


def _counted(plain: str, claim: Claim) -> Value:
    """Return a claim as a value; what follows a bare number is what it counts."""
    unit = claim.unit
    if claim.kind == "number" and not unit and (after := _AFTER.match(plain, claim.end)):
        unit = after[1].lower()
    kind: ValueKind = claim.kind if claim.kind in ("percent", "code") else "number"
    return Value(kind, claim.value, unit, claim.start, claim.end)


def _titles(plain: str) -> Iterator[Value]:
    for match in _TITLE.finditer(plain):
        name = match[1] or match[2] or match[3]
        if match[1] or not re.search(r"[,，。:：;；!?！？]", name):
            yield Value("title", fold(name), "", match.start(), match.end())


def agree(left: Value, right: Value) -> bool:
    """Tell whether two values say the same: a day agrees with the same day of a named year, a
    number with the same number of the same unit or of none, a name with a longer form of it."""
    a, b = left.value, right.value
    if left.kind == "date" and right.kind == "date":
        return a == b or (min(len(a), len(b)) >= 4 and (_within(a, b) or _within(b, a)))
    if left.kind in NAMED_KINDS and right.kind in NAMED_KINDS:
        return a == b or (min(len(a), len(b)) >= (2 if is_cjk(a) else 4) and (a in b or b in a))
    return left.kind == right.kind and a == b and (left.unit == right.unit or not (left.unit and right.unit))  # fmt: skip


NAMED_KINDS = ("title", "person", "place", "organisation", "name")


def _within(part: str, whole: str) -> bool:
    return whole.startswith(f"{part}-") or whole.endswith(f"-{part}")
