"""Codes of records, documents and articles: QX-2025-094, POL-2024-07, GB50229, 第五百六十三条."""

import re
from collections.abc import Iterator
from string import ascii_lowercase, ascii_uppercase

from graphs.evidence.numerals import chinese_number
from graphs.evidence.script import aligned

_ASCII = re.compile(
    r"(?<![A-Z0-9])[A-Z]{1,6}(?:(?: ?- ?|[_/])[A-Z0-9]{1,8}){1,4}(?![A-Z0-9])"
    r"|(?<![A-Z0-9])[A-Z]{2,6}\d{2,8}(?![A-Z0-9])"
)
_ARTICLE = re.compile(
    r"第 ?(?P<n>[零〇一二三四五六七八九十百千万两]+|\d{1,7}) ?(?P<kind>[条章款编])"
    r"(?:之(?P<sub>[一二三四五六七八九十]{1,3}|\d{1,2}(?!\d)))?"
)
_NUMBER = re.compile(r"[0-9]|第")
_DIGIT = re.compile(r"[0-9]")
_RAISED = str.maketrans(ascii_lowercase, ascii_uppercase)
_LOOSE_DIGITS = 5
_NUMERALS = "零一二三四五六七八九"


def codes(text: str) -> list[str]:
    """Return the distinct codes of `text` in one form: upper case, hyphens, Chinese numerals.

    A code typed in lower case needs five digits: "qx-2025-094" is one, "mid-2024" is a word. One
    with spaces needs them too, two hyphens and capitals: "QX - 2025 - 094".
    """
    return list(dict.fromkeys(code for _, _, code in code_spans(text)))


def without_codes(text: str) -> str:
    """Return `text` with a space in the place of every code."""
    parts, last = [], 0
    for start, end, _ in code_spans(text):
        parts.append(text[last:start])
        last = end
    return " ".join((*parts, text[last:]))


def code_spans(text: str) -> list[tuple[int, int, str]]:
    """Return (start, end, code) for every code of `text`, in order."""
    plain = aligned(text)
    if not _NUMBER.search(plain):
        return []
    lettered = _lettered(plain) if _DIGIT.search(plain) else ()
    articles = _articles(plain) if "第" in plain else ()
    return sorted((*lettered, *articles))


def _lettered(plain: str) -> Iterator[tuple[int, int, str]]:
    raised = plain.translate(_RAISED)
    for match in _ASCII.finditer(raised):
        written = plain[match.start() : match.end()]
        code = match.group().replace(" ", "")
        digits = sum(char.isdigit() for char in code)
        if " " in written:
            sure = digits >= _LOOSE_DIGITS and code.count("-") > 1 and written.isupper()
        else:
            sure = digits >= (1 if any(char.isupper() for char in written) else _LOOSE_DIGITS)
        if sure:
            yield match.start(), match.end(), code


def _articles(plain: str) -> Iterator[tuple[int, int, str]]:
    for match in _ARTICLE.finditer(plain):
        sub = f"之{_numeral(match['sub'])}" if match["sub"] else ""
        code = f"第{_numeral(match['n'])}{match['kind']}{sub}"
        yield match.start(), match.end(), code


def _numeral(text: str) -> str:
    """Return a number, in digits or Chinese numerals, as statutes write it: 563 → 五百六十三."""
    value = int(text) if text.isdecimal() else chinese_number(text)
    high, low = divmod(value, 10_000)
    if high:
        gap = "零" if 0 < low < 1_000 else ""
        return f"{_numeral(str(high))}万{gap}{_section(low) if low else ''}"
    return _section(low).removeprefix("一") if 10 <= low < 20 else _section(low)


def _section(value: int) -> str:
    """Return the numeral of 0 to 9999."""
    if value < 10:
        return _NUMERALS[value]
    written, pending = "", False
    for scale, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // scale % 10
        if digit:
            written += ("零" if pending and written else "") + _NUMERALS[digit] + name
        pending = not digit
    return written
