"""Numbers in words ("five nights", 二取一, 五晚) and addresses that a text brings in."""

import re
from collections.abc import Iterator

from graphs.evidence.numbers import Claim
from graphs.evidence.numerals import UNITS, chinese_number
from graphs.evidence.script import half_width

_ENGLISH = {
    word: number
    for number, word in enumerate(
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split(),
        start=2,
    )
} | {"twice": 2, "double": 2, "thrice": 3, "triple": 3, "thirty": 30, "forty": 40, "fifty": 50,
     "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}  # fmt: skip
_WORD = re.compile(rf"\b(?:{'|'.join(_ENGLISH)})\b", re.IGNORECASE)
_NUMERAL = "[一二两三四五六七八九十]"
_CHINESE = re.compile(
    rf"(?<![第零〇百千万亿一二两三四五六七八九十])[二两三四五六七八九十]{{1,3}}"
    r"(?=[晚次个名人位份条项件台套类种级段倍层处家班天周月年日]|取)"
    rf"|(?<=取){_NUMERAL}(?![{_NUMERAL[1:-1]}])"
)
_ADDRESS = re.compile(
    r"https?://[^\s，。；、）)\]】]+|\bwww\.[^\s，。；、）)\]】]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"[\s-]*([A-Za-z]{1,6}|[\u4e00-\u9fff])")
_DIGITS = re.compile(r"\d+")


def invented(text: str, known: str) -> str:
    """Return the first number in words or address of `text` that `known` has in no writing, else empty."""
    there, plain = set(_values(known)), half_width(known).lower()
    there |= {int(digits) for digits in _DIGITS.findall(plain) if len(digits) < 4}
    for match in _ADDRESS.finditer(half_width(text)):
        if match.group().lower().rstrip("./") not in plain:
            return match.group()
    for value, match in _found(text):
        if value not in there:
            return match.group()
    return ""


def spelled(text: str) -> list[Claim]:
    """Return the numbers in words of `text` as values, each with the word behind it as its unit."""
    found = []
    for value, match in _found(text):
        behind = _BEHIND.match(text, match.end())
        name = behind.group(1).lower() if behind else ""
        found.append(Claim("number", str(value), UNITS.get(name, name), *match.span()))
    return found


def _values(text: str) -> Iterator[int]:
    yield from (value for value, _ in _found(text))


def _found(text: str) -> Iterator[tuple[int, re.Match[str]]]:
    for match in _WORD.finditer(text):
        yield _ENGLISH[match.group().lower()], match
    for match in _CHINESE.finditer(text):
        yield chinese_number(match.group().replace("两", "二")), match
