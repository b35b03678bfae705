"""Numbers, dates, percentages and codes of a text in one normal form, with their places.

Normal forms: numbers as shortest decimals with a canonical unit ("5 kpa", "100 %", "6 h"), dates as
ISO prefixes ("2025-06-12", "2025-06", "2025"), codes in upper case. Places are code points.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from graphs.evidence.codes import code_spans
from graphs.evidence.numerals import (
    CN_NUMERAL,
    UNITS,
    chinese_number,
    decimal,
    scale_of,
)
from graphs.evidence.script import half_width

ClaimKind = Literal["number", "percent", "date", "code"]


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable value. `unit` is "" where the text gives none."""

    kind: ClaimKind
    value: str
    unit: str
    start: int
    end: int

    @property
    def key(self) -> tuple[str, str, str]:
        """Identity for comparison: kind, value, unit."""
        return (self.kind, self.value, self.unit)


_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sep sept", "october oct", "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    r"(?P<y>[12]\d{3})\s*年(?:\s*(?P<m>\d{1,2})\s*月(?:\s*(?P<d>\d{1,2})\s*[日号])?)?"
    r"|(?<![\w-])(?P<y2>[12]\d{3})[-/.](?P<m2>0?[1-9]|1[0-2])(?:[-/.](?P<d2>[0-3]?\d))?(?![\w-])"
    rf"|(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m3>{_MONTH})\.?,?\s+(?P<y3>[12]\d{{3}})"
    rf"|(?P<m4>{_MONTH})\.?\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y4>[12]\d{{3}})"
    rf"|(?P<m5>{_MONTH})\.?\s+(?P<y5>[12]\d{{3}})",
    re.IGNORECASE,
)
_CN_DATE = re.compile(
    r"(?P<y>[一二][零〇一二三四五六七八九]{3})年"
    r"(?:(?P<m>十[一二]?|[一二三四五六七八九])月(?:(?P<d>[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[日号])?)?"
)
_VERSION = re.compile(
    r"(?:版本|(?<![a-z0-9])(?:version|ver\.?|v))\s*(?P<a>\d+(?:\.\d+)+)"
    r"|(?<![\w.])(?P<b>\d+(?:\.\d+){2,})(?![\w.])"
    r"|(?<![\w.])(?P<c>\d+(?:\.\d+)+)(?=\s*[节章条款])",
    re.IGNORECASE,
)
"""Dotted labels: 2.10 is another version than 2.1, so they are no decimals."""
# "5 a day" is no current
_UNIT = "|".join(
    "(?-i:A)" if u == "a" else re.escape(u) for u in sorted(UNITS, key=len, reverse=True)
)
_SCALE_WORD = r"\s(?:thousand|million|billion)\b"
_NUMBER = re.compile(
    r"(?P<sign>(?:(?<![\w.])|(?<=[\u4e00-\u9fff])(?<![号期节级段层页条章点时分楼室机年月日第]))[-−])?"
    r"(?:(?P<cur>[$€¥￥]|\b(?:usd|eur|rmb|cny)\b)\s?)?"
    r"(?P<n>\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    rf"(?:\s*(?P<pct>%|‰|percent\b|per cent\b)"
    rf"|(?P<big>\s*[百千万亿]+?|{_SCALE_WORD})??\s*-?(?P<u>(?:{_UNIT})(?![a-z]))"
    rf"|(?P<big2>\s*[百千万亿]+|{_SCALE_WORD})"
    r"|(?P<raw>(?!(?:st|nd|rd|th|x)\b)[a-zµμω]{1,6}(?![a-z])))?",
    re.IGNORECASE,
)
_CN_PERCENT = re.compile(rf"(?P<of>[百千])分之(?P<n>{CN_NUMERAL}|\d+(?:\.\d+)?)")
_CN_NUMBER = re.compile(rf"(?P<n>{CN_NUMERAL})(?P<u>{_UNIT})")
_LIST_MARK = re.compile(
    r"(?m)^[ \t>]*(?:(?:[-*+•]\s+)?(?:\(?\d{1,2}[.)、．](?!\d)\s*|[（(]\d{1,2}[)）]\s*"
    r"|#+\s+(?:[\d.]+\s)?|\d+(?:\.\d+){2,}\s)|[-*+•]\s+)"
)
_MARKER = re.compile(r"\[P?\d{1,2}\]")
_RANGE = re.compile(r"\s*(?:[-–—~]|至|到|to)\s*")
_WHOLE = re.compile(r".+")
# What each pattern above cannot do without: most sentences lack it, and the patterns are slow.
_HAS_DIGIT, _HAS_NUMERAL = re.compile(r"\d"), re.compile(CN_NUMERAL)
_HAS_YEAR, _HAS_DOTTED = re.compile(r"[12]\d{3}"), re.compile(r"\d\.\d")
_CURRENCY = {
    "$": "usd", "usd": "usd", "€": "eur", "eur": "eur",
    "¥": "yuan", "￥": "yuan", "rmb": "yuan", "cny": "yuan",
}  # fmt: skip


def claims(text: str) -> list[Claim]:
    """Return the checkable values of `text` in order; list numbers and markers are none."""
    return list(_claims(text))


@lru_cache(maxsize=16384)
def _claims(text: str) -> tuple[Claim, ...]:
    plain = half_width(text)
    digits, numerals = _HAS_DIGIT.search(plain), _HAS_NUMERAL.search(plain)
    if not digits and not numerals:
        return ()
    taken = [False] * len(plain)
    for pattern in (_LIST_MARK, _MARKER) if "[" in plain else (_LIST_MARK,):
        for match in pattern.finditer(plain):
            _take(taken, match)
    found: list[Claim] = []
    for start, end, code in code_spans(plain):
        if code[0].isascii():  # the number of an article is a number
            for match in _WHOLE.finditer(plain, start, end):
                _add(found, taken, "code", code, "", match)
    if digits and _HAS_YEAR.search(plain):
        for match in _DATE.finditer(plain):
            _add(found, taken, "date", _iso(match), "", match)
    if numerals and "年" in plain:
        for match in _CN_DATE.finditer(plain):
            _add(found, taken, "date", _chinese_iso(match), "", match)
    if digits and _HAS_DOTTED.search(plain):
        for match in _VERSION.finditer(plain):
            _add(found, taken, "code", match["a"] or match["b"] or match["c"], "", match)
    for match in _CN_PERCENT.finditer(plain) if "分之" in plain else ():
        value = match["n"]
        number = decimal(value) if value[0].isdigit() else str(chinese_number(value))
        _add(found, taken, "percent", number, "%" if match["of"] == "百" else "‰", match)
    if digits:
        for match in _NUMBER.finditer(plain):
            _add_number(found, taken, match)
    if numerals:
        for match in _CN_NUMBER.finditer(plain):
            unit = UNITS[match["u"].lower()]
            _add(found, taken, "number", str(chinese_number(match["n"])), unit, match)
    return tuple(_with_range_units(sorted(found, key=lambda claim: claim.start), plain))


def _add_number(found: list[Claim], taken: list[bool], match: re.Match[str]) -> None:
    # In "5℃-8℃" the hyphen follows a value: it is a range, no sign.
    negative = bool(match["sign"]) and match.start() not in {claim.end for claim in found}
    sign = "-" if negative else ""
    if match["pct"]:
        unit = "‰" if match["pct"] == "‰" else "%"
        _add(found, taken, "percent", sign + decimal(match["n"]), unit, match)
        return
    scale = scale_of((match["big"] or match["big2"] or "").strip())
    unit = _CURRENCY.get((match["cur"] or "").lower(), "")
    if match["u"] or match["raw"]:
        name = (match["u"] or match["raw"]).lower()
        unit = UNITS.get(name, name)
    _add(found, taken, "number", sign + decimal(match["n"], scale), unit, match)


def _with_range_units(found: list[Claim], plain: str) -> list[Claim]:
    """Give the lower end of a range the unit of its upper end: 3 in "3～5 天" means days."""
    for index in range(len(found) - 1):
        low, high = found[index : index + 2]
        between = plain[low.end : high.start] or plain[high.start : high.start + 1]
        if (
            low.kind == "number"
            and not low.unit
            and high.kind in ("number", "percent")
            and _RANGE.fullmatch(between)
            and not set("万亿") & set(plain[high.start : high.end])
        ):
            found[index] = replace(low, kind=high.kind, unit=high.unit)
    return found


def _take(taken: list[bool], match: re.Match[str]) -> bool:
    free = not any(taken[match.start() : match.end()])
    if free:
        taken[match.start() : match.end()] = [True] * (match.end() - match.start())
    return free


def _add(
    found: list[Claim],
    taken: list[bool],
    kind: ClaimKind,
    value: str,
    unit: str,
    match: re.Match[str],
) -> None:
    if _take(taken, match):
        found.append(Claim(kind, value, unit, match.start(), match.end()))


def _iso(match: re.Match[str]) -> str:
    groups = match.groupdict()
    year = next(v for k in ("y", "y2", "y3", "y4", "y5") if (v := groups[k]))
    month = next((v for k in ("m", "m2", "m3", "m4", "m5") if (v := groups[k])), None)
    day = next((v for k in ("d", "d2", "d3", "d4") if (v := groups[k])), None)
    if month is None:
        return year
    number = _MONTHS[month.lower()] if month.lower() in _MONTHS else int(month)
    return f"{year}-{number:02d}" + (f"-{int(day):02d}" if day else "")


def _chinese_iso(match: re.Match[str]) -> str:
    parts = [str(chinese_number(match["y"]))]
    parts += [f"{chinese_number(part):02d}" for key in ("m", "d") if (part := match[key])]
    return "-".join(parts)


def blanked(text: str, values: Sequence[Claim]) -> str:
    """Return `text` with these values and their units blanked out; every place stays the same."""
    for claim in values:
        text = text[: claim.start] + " " * (claim.end - claim.start) + text[claim.end :]
    return text


def supports(quote: Claim, statement: Claim) -> bool:
    """Tell whether a value in a quote carries a value in a statement.

    A statement may leave out the unit or give a coarser date; it may never add precision.
    """
    if quote.kind == "date" and statement.kind == "date":
        return quote.value.startswith(statement.value)
    if quote.kind == "date" and statement.kind == "number" and not statement.unit:
        return statement.value in {part.lstrip("0") for part in quote.value.split("-")}
    if quote.value != statement.value or (quote.kind == "percent") != (statement.kind == "percent"):
        return False
    return quote.unit == statement.unit or not statement.unit
