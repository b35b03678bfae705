"""Numbers, dates, percentages and codes of a text in one normal form, with their places.

Normal forms: numbers as shortest decimals with a canonical unit ("5 kpa", "100 %", "6 h"), dates as
ISO prefixes ("2025-06-12", "2025-06", "2025"), codes in upper case. Places are code points.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Literal

from graphs.evidence.text import codes as find_codes

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
_UNITS: dict[str, str] = {
    alias: unit
    for unit, aliases in {
        "kpa": "kpa 千帕", "mpa": "mpa 兆帕", "pa": "pa 帕", "℃": "℃ °c 摄氏度 度", "mm": "mm 毫米",
        "cm": "cm 厘米", "km": "km 公里 千米", "m": "m 米", "t/h": "t/h 吨/小时", "m3/h": "m3/h m³/h",
        "mw": "mw 兆瓦", "kw": "kw 千瓦", "kv": "kv 千伏", "rpm": "r/min rpm 转/分", "a": "a 安",
        "v": "v 伏", "h": "h 小时 个小时 hour hours hrs", "min": "min 分钟 minute minutes",
        "s": "s 秒 second seconds", "d": "d 天 日 个工作日 工作日 day days", "week": "周 星期 week weeks",
        "month": "个月 月 month months", "year": "年 year years", "yuan": "元 人民币 rmb cny yuan",
        "usd": "usd 美元 dollar dollars", "eur": "eur 欧元 euro euros", "kg": "kg 公斤 千克",
        "t": "t 吨", "ppm": "ppm", "mg/l": "mg/l", "次": "次 times", "台": "台", "人": "人 people persons",
        "min/m": "kpa/min pa/min",
    }.items()
    for alias in aliases.split()
}  # fmt: skip
_UNIT = "|".join(re.escape(u) for u in sorted(_UNITS, key=len, reverse=True))
_CN_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_CN_SCALE = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_CN = "[零〇一二三四五六七八九十百千万亿两]+"
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w.])[-−])?(?P<cur>[$€¥￥]|\b(?:usd|eur|rmb|cny)\b)?\s?"
    r"(?P<n>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)\s*"
    rf"(?:(?P<pct>%|percent\b|per cent\b)|(?P<big>[百千万亿]+)?[ -]?(?P<u>(?:{_UNIT})(?![a-z]))?)",
    re.IGNORECASE,
)
_CN_PERCENT = re.compile(rf"百分之(?P<n>{_CN}|\d+(?:\.\d+)?)")
_CN_NUMBER = re.compile(rf"(?P<n>{_CN})(?P<u>{_UNIT})")
_LIST_MARK = re.compile(
    r"(?m)^[\s>]*(?:[-*+•]\s+)?(?:\(?\d{1,2}[.)、．](?!\d)\s*|[（(]\d{1,2}[)）]\s*|#+\s+(?:[\d.]+\s)?)"
)
_MARKER = re.compile(r"\[P?\d{1,2}\]")
_CURRENCY = {
    "$": "usd", "usd": "usd", "€": "eur", "eur": "eur",
    "¥": "yuan", "￥": "yuan", "rmb": "yuan", "cny": "yuan",
}  # fmt: skip
_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


def half_width(text: str) -> str:
    """Return `text` with full-width ASCII made half-width; every place stays the same."""
    return text.translate(_WIDTH)


def decimal(text: str) -> str:
    """Return the shortest decimal of a number written with separators ("1,200.50" → "1200.5")."""
    try:
        value = Decimal(text.replace(",", ""))
    except InvalidOperation:
        return text
    return format(value.normalize(), "f")


def chinese_number(text: str) -> int:
    """Return the value of a Chinese numeral such as 一百二十, 两千零五 or 三万."""
    total = section = digit = 0
    for char in text:
        if char in _CN_DIGITS:
            digit = _CN_DIGITS[char]
        elif (scale := _CN_SCALE[char]) >= 10_000:
            total = (total + section + digit or 1) * scale
            section = digit = 0
        else:
            section += (digit or 1) * scale
            digit = 0
    return total + section + digit


def claims(text: str) -> list[Claim]:
    """Return the checkable values of `text` in order; list numbers and markers are none."""
    plain = half_width(text)
    taken = [False] * len(plain)
    for pattern in (_LIST_MARK, _MARKER):
        for match in pattern.finditer(plain):
            _take(taken, match)
    found: list[Claim] = []
    for code in _code_spans(plain):
        _add(found, taken, "code", code.group().upper(), "", code)
    for match in _DATE.finditer(plain):
        _add(found, taken, "date", _iso(match), "", match)
    for match in _CN_PERCENT.finditer(plain):
        value = match["n"]
        number = decimal(value) if value[0].isdigit() else str(chinese_number(value))
        _add(found, taken, "percent", number, "%", match)
    for match in _NUMBER.finditer(plain):
        _add_number(found, taken, match)
    for match in _CN_NUMBER.finditer(plain):
        unit = _UNITS[match["u"].lower()]
        _add(found, taken, "number", str(chinese_number(match["n"])), unit, match)
    return sorted(found, key=lambda claim: claim.start)


def _code_spans(plain: str) -> list[re.Match[str]]:
    spans: list[re.Match[str]] = []
    for code in find_codes(plain):
        if not code.startswith("第"):
            spans.extend(re.finditer(re.escape(code), plain, re.IGNORECASE))
    return spans


def _add_number(found: list[Claim], taken: list[bool], match: re.Match[str]) -> None:
    if match["pct"]:
        _add(found, taken, "percent", decimal(match["n"]), "%", match)
        return
    value = Decimal(match["n"].replace(",", ""))
    for scale in match["big"] or "":
        value *= _CN_SCALE[scale]
    unit = (
        _UNITS[match["u"].lower()]
        if match["u"]
        else _CURRENCY.get((match["cur"] or "").lower(), "")
    )
    number = ("-" if match["sign"] else "") + format(value.normalize(), "f")
    _add(found, taken, "number", number, unit, match)


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


def supports(quote: Claim, statement: Claim) -> bool:
    """Tell whether a value in a quote carries a value in a statement.

    A statement may leave out the unit or give a coarser date; it may never add precision.
    """
    if quote.kind == "date" and statement.kind == "date":
        return quote.value.startswith(statement.value)
    if quote.kind == "date" and statement.kind == "number" and not statement.unit:
        return statement.value in {part.lstrip("0") for part in quote.value.split("-")}
    if quote.value != statement.value:
        return False
    return quote.unit == statement.unit or not statement.unit
