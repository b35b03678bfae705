"""Cell values as a spreadsheet shows them."""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

_LITERAL = re.compile(r'"([^"]*)"|\\(.)|_.|\*.')
_BRACKETS = re.compile(r"\[(?!\$)[^\]]*\]")
_CURRENCY = re.compile(r"\[\$([^\]\-]*)(?:-[^\]]*)?\]")
_DIGITS = re.compile(r"[#0?][#0?,]*(?:\.([#0?]*))?,*")
_DATE_PARTS = re.compile(r"[ymdhs年月日时分秒]", re.IGNORECASE)
_BUILT_IN = {"general", "@", ""}


def shown(value: object, number_format: str) -> str:
    """Return the text that people see of a cell: percent, decimals, thousands, dates, currency."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime | date | time | timedelta):
        return _moment(value, number_format)
    if isinstance(value, int | float):
        return _number(value, number_format)
    return str(value)


def _moment(value: datetime | date | time | timedelta, number_format: str) -> str:
    """Return dates as ISO or in Chinese where the format is; times only where one stands."""
    if isinstance(value, timedelta):
        minutes, seconds = divmod(int(value.total_seconds()), 60)
        return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
    if isinstance(value, time):
        return value.strftime("%H:%M:%S" if value.second else "%H:%M")
    parts = _BRACKETS.sub("", number_format).lower()
    with_day = "d" in parts or "日" in parts
    chinese = "年" in number_format or ("[$-804]" in number_format and "yyyy" not in parts)
    if chinese and "月" in number_format:
        day = f"{value.year}年{value.month}月" + (f"{value.day}日" if with_day else "")
    elif with_day or "y" not in parts:
        day = f"{value.year:04}-{value.month:02}-{value.day:02}"
    elif "m" in parts:
        day = f"{value.year:04}-{value.month:02}"
    else:
        day = f"{value.year:04}"
    if isinstance(value, datetime) and (value.hour or value.minute or value.second):
        day += value.strftime(" %H:%M:%S" if value.second else " %H:%M")
    return day


def _number(value: float, number_format: str) -> str:
    section, negative = _section(value, number_format)
    if section.strip().lower() in _BUILT_IN:
        return _general(value)
    plain = _BRACKETS.sub("", _CURRENCY.sub(lambda match: f'"{match.group(1)}"', section))
    bare = _LITERAL.sub("", plain)
    digits = _DIGITS.search(bare)
    if digits is None or _DATE_PARTS.search(bare) or "/" in bare or "E" in bare.upper():
        return _general(value)
    number = Decimal(repr(float(value))) * (100 if "%" in bare else 1)
    number /= 1000 ** _scale(digits.group())
    decimals = digits.group(1) or ""
    try:
        rounded = abs(number).quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    except InvalidOperation:
        return _general(value)  # more digits than a decimal holds
    text = f"{rounded:,f}" if "," in digits.group().rstrip(",") else f"{rounded:f}"
    if decimals and len(decimals.rstrip("#")) < len(decimals):
        head, _, tail = text.partition(".")
        tail = tail.rstrip("0").ljust(len(decimals.rstrip("#")), "0")
        text = f"{head}.{tail}" if tail else head
    whole = digits.group().split(".")[0].replace(",", "")
    if whole and set(whole) == {"0"}:
        text = text.zfill(len(whole) + len(text) - len(text.split(".")[0]))
    before, after = _around(plain)
    sign = "-" if value < 0 and rounded and not negative else ""
    return f"{sign}{before}{text}{after}".strip()


def _section(value: float, number_format: str) -> tuple[str, bool]:
    """Return the part of a format for a value's sign, and whether it writes the sign itself."""
    sections = number_format.split(";")
    if value < 0 and len(sections) > 1:
        return sections[1], True
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], False


def _around(plain: str) -> tuple[str, str]:
    """Return the literal text before and after the digits of a format."""
    shown = _LITERAL.sub(lambda match: match.group(1) or match.group(2) or "", _marked(plain))
    before, _, after = shown.partition("\x00")
    return before.replace("\x01", ""), after.replace("\x01", "")


def _marked(plain: str) -> str:
    """Return a format with its digits replaced by one mark; digits in quotes stay."""
    place = 0
    for literal in [*_LITERAL.finditer(plain), None]:
        end = literal.start() if literal else len(plain)
        if digits := _DIGITS.search(plain, place, end):
            return plain[: digits.start()] + "\x00" + plain[digits.end() :]
        place = literal.end() if literal else end
    return plain


def _scale(digits: str) -> int:
    """Return how many trailing commas divide the number by a thousand each."""
    return len(digits) - len(digits.rstrip(","))


def _general(value: float) -> str:
    """Return a number with at most 15 significant digits, as spreadsheets keep them."""
    if float(value).is_integer() and abs(value) < 1e15:
        return str(int(value))
    return f"{Decimal(f'{value:.15g}'):f}" if 1e-9 < abs(value) < 1e15 else f"{value:.6g}"
