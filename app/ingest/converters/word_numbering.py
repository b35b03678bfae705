"""The numbers that Word writes before headings and list items; the file only holds their rules."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from docx.document import Document
from docx.oxml.ns import qn

_PLACE = re.compile(r"%([1-9])")
_DIGITS = "零一二三四五六七八九"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_CHINESE = frozenset(
    {"chineseCounting", "chineseCountingThousand", "chineseLegalSimplified", "japaneseCounting",
     "taiwaneseCounting", "taiwaneseCountingThousand", "ideographLegalTraditional"}
)  # fmt: skip
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"),
          (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """How one level of a list counts: `text` has %1 … %9 where the numbers go."""

    kind: str
    text: str
    start: int


@dataclass(slots=True)
class _List:
    rules: dict[int, Rule]
    counts: dict[int, int] = field(default_factory=dict)


class Numbering:
    """Counts through a document; `label` must be called once per numbered paragraph, in order."""

    def __init__(self, document: Document) -> None:
        self._lists: dict[str, _List] = {}
        self._overrides: dict[str, dict[int, int]] = {}
        self._of: dict[str, str] = {}
        self._begun: set[str] = set()
        for root in _roots(document):
            for abstract in root.iter(qn("w:abstractNum")):
                rules = {int(lvl.get(qn("w:ilvl"), "0")): _rule(lvl)
                         for lvl in abstract.iter(qn("w:lvl"))}  # fmt: skip
                self._lists[abstract.get(qn("w:abstractNumId"), "")] = _List(rules)
            for num in root.iter(qn("w:num")):
                self._read_num(num)

    def label(self, number: str, level: int) -> tuple[str, str]:
        """Count one paragraph; return the kind of its list ("bullet" …) and what stands before it."""
        found = self._lists.get(self._of.get(number, ""))
        if found is None or level not in found.rules:
            return "", ""
        if number not in self._begun:
            self._begun.add(number)
            for at, start in self._overrides.get(number, {}).items():
                found.counts[at] = start - 1
        rule = found.rules[level]
        found.counts[level] = found.counts.get(level, rule.start - 1) + 1
        for deeper in [at for at in found.counts if at > level]:
            del found.counts[deeper]
        return rule.kind, _PLACE.sub(lambda m: self._at(found, int(m.group(1)) - 1), rule.text)

    def _at(self, found: _List, level: int) -> str:
        rule = found.rules.get(level)
        if rule is None:
            return ""
        return written(found.counts.setdefault(level, rule.start), rule.kind)

    def _read_num(self, num: Any) -> None:
        number = num.get(qn("w:numId"), "")
        abstract = num.find(qn("w:abstractNumId"))
        if abstract is None:
            return
        self._of[number] = abstract.get(qn("w:val"), "")
        for override in num.iter(qn("w:lvlOverride")):
            start = override.find(qn("w:startOverride"))
            if start is not None:
                at = int(override.get(qn("w:ilvl"), "0"))
                self._overrides.setdefault(number, {})[at] = int(start.get(qn("w:val"), "1"))


def _roots(document: Document) -> Iterator[Any]:
    """Yield the numbering part if there is one; python-docx would make one from its template."""
    for relation in document.part.rels.values():
        if not relation.is_external and relation.reltype.endswith("/numbering"):
            yield relation.target_part.element


def _rule(level: Any) -> Rule:
    def value(tag: str, default: str) -> str:
        element = level.find(qn(tag))
        return default if element is None else str(element.get(qn("w:val"), default))

    return Rule(value("w:numFmt", "decimal"), value("w:lvlText", ""), int(value("w:start", "1")))


def written(number: int, kind: str) -> str:
    """Return a number as Word writes it in one of its number formats."""
    if kind in _CHINESE and 0 < number < 1000:
        return _chinese(number)
    if kind in ("lowerLetter", "upperLetter") and number > 0:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letters.upper() if kind == "upperLetter" else letters
    if kind in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        return _roman(number).upper() if kind == "upperRoman" else _roman(number)
    if kind.startswith("decimalEnclosedCircle") and 0 < number <= 20:
        return chr(0x2460 + number - 1)
    if kind == "ideographTraditional" and 0 < number <= 10:
        return _STEMS[number - 1]
    if kind == "ideographZodiac" and 0 < number <= 12:
        return _BRANCHES[number - 1]
    if kind == "decimalZero":
        return f"{number:02}"
    return "" if kind == "none" else str(number)


def _chinese(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    tens, ones = divmod(rest, 10)
    text = f"{_DIGITS[hundreds]}百" if hundreds else ""
    if tens:
        text += ("" if tens == 1 and not hundreds else _DIGITS[tens]) + "十"
    elif hundreds and ones:
        text += "零"
    return text + (_DIGITS[ones] if ones else "")


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        while number >= value:
            text, number = text + letters, number - value
    return text
