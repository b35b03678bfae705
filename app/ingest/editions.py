"""Which edition of a document a title or file name says it is: Rev 2, 第三版, _v2, -final, 试行."""

import re
import unicodedata

from graphs.evidence.text import codes

_MONTHS = (
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b(?=\W*\d)"
)
_YEAR = r"(?:19|20)\d\d"
_NUMBERED = (
    r"(?<![a-z0-9])(?:version|ver|rev(?:ision)?|edition|v)[\s._-]*(?P<v{0}>\d+(?:\.\d+)*)(?![a-z0-9])"
    r"|(?P<o{0}>\d+)(?:st|nd|rd|th)\s+edition"
    r"|第\s*(?P<z{0}>[一二三四五六七八九十百\d]+)\s*版|(?<![\d.])(?P<n{0}>\d+(?:\.\d+)*)\s*版"
    r"|(?<![a-z0-9])rev(?:ision)?[\s._-]*(?P<l{0}>[a-z])(?![a-z0-9])"
)
_EARLY = r"试行|暂行|草案|征求意见稿|初稿|已?废止|superseded"
_LATE = r"修订[版稿]|定稿|终稿|正式版"
_AT_END = r"(?:^|[\s(（_\-])(?:{0})\s*[)）]?\s*$"
_DATE = rf"{_MONTHS}|(?<!\d){_YEAR}(?:\s*[-/.年]\s*\d{{1,2}}(?!\d)){{0,2}}\s*[年月日]?\s*版?(?!\d)"
_MARKS = re.compile(
    rf"{_DATE}|{_NUMBERED.format('')}|{_EARLY}|{_LATE}|{_AT_END.format('draft|final')}",
    re.IGNORECASE,
)
"""What may differ between the titles of two versions. Other numbers stay: 1号机 is not 2号机."""
_DATED = re.compile(_DATE, re.IGNORECASE)
_NUMBER = re.compile(_NUMBERED.format(""), re.IGNORECASE)
_IS_EARLY = re.compile(f"{_EARLY}|{_AT_END.format('draft')}", re.IGNORECASE)
_IS_LATE = re.compile(f"{_LATE}|{_AT_END.format('final')}", re.IGNORECASE)
_CODE_END = re.compile(r"[-_/](?:REV|R|V)(\d{1,3})$")
"""The end of a code that numbers an edition: SC-2025-01-R2."""
_DIGITS = {digit: value for value, digit in enumerate("〇一二三四五六七八九")}

Edition = tuple[int, tuple[int, ...]]
"""Stage (0 before the plain one, 2 after it) and version number; ordered like the editions."""
PLAIN: Edition = (1, ())


def document_codes(text: str) -> list[str]:
    """Return the codes that can name a document: those with letters, not 第三条."""
    return [code for code in codes(text) if code[0].isascii()]


def base_code(code: str) -> str:
    """Return a code without the end that numbers its edition."""
    return _CODE_END.sub("", code)


def without_marks(text: str) -> str:
    """Return a title without its codes, dates and the words that tell editions apart."""
    plain = _without_codes(unicodedata.normalize("NFKC", text))
    return _MARKS.sub(" ", plain)


def edition(text: str) -> Edition:
    """Return the edition that a title or the stem of a file name states, or `PLAIN`."""
    plain = unicodedata.normalize("NFKC", text)
    ends = [int(end.group(1)) for code in document_codes(plain) if (end := _CODE_END.search(code))]
    plain = _DATED.sub(" ", _without_codes(plain))
    stage = 0 if _IS_EARLY.search(plain) else 2 if _IS_LATE.search(plain) else 1
    found = _NUMBER.search(plain)
    if found is None:
        return stage, tuple(ends[:1])
    if found["l"]:
        return stage, (ord(found["l"].lower()) - ord("a") + 1,)
    stated = found["v"] or found["o"] or found["n"] or found["z"]
    return stage, tuple(_value(part) for part in stated.split("."))


def _without_codes(plain: str) -> str:
    for code in document_codes(plain):
        plain = re.sub(re.escape(code), " ", plain, flags=re.IGNORECASE)
    return plain


def _value(numeral: str) -> int:
    """Return the value of Arabic digits or a Chinese numeral below 100."""
    if numeral.isdecimal():
        return int(numeral[:9])
    tens, found, ones = numeral.rpartition("十")
    ten = 10 * _DIGITS.get(tens, 1) if found else 0
    return ten + _DIGITS.get(ones, 0)
