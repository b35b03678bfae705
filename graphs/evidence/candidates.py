"""Answer candidates of a sentence: its values that may be what a question asks for.

`Wanted` says which kinds of value a question asks for; `candidates_in` gives a sentence's values with
how well their kind fits, how near they stand to the question's words, and whether they are new.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from graphs.evidence.numerals import UNITS
from graphs.evidence.script import half_width, simplified
from graphs.evidence.text import fold, is_cjk, stem
from graphs.evidence.values import Value, ValueKind, agree, values_in

_NAMES: dict[ValueKind, float] = {
    "person": 0.7, "organisation": 0.7, "place": 0.5, "title": 0.7, "name": 0.7,
}  # fmt: skip
_KINDS: tuple[tuple[str, str, dict[ValueKind, float]], ...] = (
    ("time", r"哪一?[年月日天]|何[时年]|什么时[候间]|(?:日期|时间|年份|生日|日子)(?:是|为|呢|在|[？?]|$)|几[点月号]|\bwhen\b|\bwhat(?: is| was| were)? (?:the )?(?:\w+ )?(?:date|year|day|time|month)\b|\b(?:which|what) (?:year|day|month|date)\b|\bdate\b.{0,40}$", {"date": 1.0, "clock": 0.8}),
    ("percent", r"百分之几|比例|比率|[率比占]\S{0,4}(?:多少|几)|增[长幅速]率?|\b(?:percent\w*|rate|share|proportion)\b", {"percent": 1.0, "number": 0.5}),
    ("number", r"多少|几[^乎]|多[大高长远重深宽快久]|数[量目]?(?:是|为|[？?]|$)|(?:销量|票房|营收|金额|价格|人数|产量|市值|人口|面积|总额)\S{0,4}$|\bhow (?:many|much|long|old|far|tall|high|large|big|fast|often|deep|heavy)\b|\bwhat (?:number|amount|score|size|price)\b|\b(?:price|cost|population|worth|revenue)\b", {"number": 1.0, "percent": 0.7, "date": 0.1}),
    ("person", r"谁|哪[一几]?[位名]|什么人|何人|哪个(?:人|演员|球员|导演|歌手|皇帝|作家)|\bwho(?:se|m)?\b|\b(?:which|what) (?:actor|actress|player|person|singer|director|author|writer|president|king|queen|man|woman)\b", {"person": 1.0, "name": 0.7, "organisation": 0.45, "title": 0.1, "place": 0.1}),
    ("place", r"哪[里儿]|何[处地]|什么地[方点]|(?:地[点址]|位置|籍贯|首都|总部)|哪[一个座]*(?:城市|国家?|省|市|县|州|区|地[区方])|\bwhere\b|\b(?:which|what) (?:\w+ )?(?:city|country|state|place|town|county|venue|location|stadium|village|continent|region)\b", {"place": 1.0, "organisation": 0.4, "name": 0.5, "person": 0.15}),
    ("organisation", r"哪[一个支家所]*(?:公司|球队|队伍?|大学|学校|机构|组织|企业|集团|俱乐部|部门|银行|乐队|党)|\b(?:which|what) (?:\w+ )?(?:company|team|club|university|college|school|organi[sz]ation|band|agency|party|network|department|country)\b|\bwho (?:won|beat|acquired|bought|owns)\b", {"organisation": 1.0, "name": 0.8, "place": 0.5, "person": 0.5}),
    ("title", r"哪[一部首本]*(?:电影|影片|书|小说|歌曲?|剧|作品|专辑|游戏|节目)|叫什么|什么名|\b(?:which|what) (?:\w+ )?(?:film|movie|book|song|album|novel|game|show|series|title)\b|\bcalled\b|\bname of\b", {"title": 1.0, "name": 0.9, "person": 0.5, "organisation": 0.5, "place": 0.3}),
)  # fmt: skip
_WANTED = tuple((name, re.compile(p, re.IGNORECASE), kinds) for name, p, kinds in _KINDS)
_UNIT = re.compile(
    r"(?:多少|几)([\u4e00-\u9fff]{1,4})|\bhow (?:many|much) ([a-z]+)|\bhow (old|long|far|tall|high)\b",
    re.IGNORECASE,
)
_MEASURES = {
    "old": {"year", "岁"}, "long": {"min", "h", "d", "week", "month", "year", "s", "m", "km"},
    "far": {"km", "m", "miles", "mile"}, "tall": {"m", "cm", "feet", "ft"},
    "high": {"m", "cm", "feet", "ft", "℃"},
}  # fmt: skip
_OTHER_UNIT = 0.6
_NEAR = {True: 9.0, False: 28.0}
"""Characters at which nearness falls to a half: in Chinese, in other languages."""
_BREAK = re.compile(r"[，,；;：:](?!\d)")
_LATIN_WORD = re.compile(r"[a-z0-9]+")


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """A value of a sentence, as an answer to a question.

    `fit` in [0, 1]: how well its kind is the asked one; `nearness` in [0, 1]: the rarity-weighted
    share of the question's words that stand in the sentence, each less the farther off it stands;
    `new`: the question does not name it itself.
    """

    value: Value
    fit: float
    nearness: float
    new: bool

    @property
    def strength(self) -> float:
        """How likely it is the answer, as a number in [0, 1] that only orders candidates."""
        return self.fit * (0.3 + 0.7 * self.nearness) if self.new else 0.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What kind of value a question asks for; `kinds` is empty where it asks for no value."""

    name: str
    """"time", "percent", "number", "person", "place", "organisation", "title", "any" or ""."""
    kinds: Mapping[ValueKind, float]
    units: frozenset[str]
    question: str
    """Folded, to tell what is new."""
    known: tuple[Value, ...]

    @staticmethod
    @lru_cache(maxsize=512)
    def of(question: str) -> "Wanted":
        """Read a question or one of its parts."""
        plain = simplified(question)
        found = next(((n, k) for n, p, k in _WANTED if p.search(plain)), None)
        name, kinds = found or (("any", _NAMES) if _ASKS_WHICH.search(plain) else ("", {}))
        often = _OFTEN.search(plain)
        known = values_in(question)
        if often:
            known = tuple(v for v in known if v.end <= often.start(1) or v.start >= often.end(1))
        return Wanted(name, kinds, _units(plain), fold(plain), known)

    @property
    def asks_value(self) -> bool:
        """Whether one value of a certain kind answers."""
        return self.name not in ("", "any")

    def fit(self, value: Value) -> float:
        """Return how well the kind of a value is the asked one."""
        fit = self.kinds.get(value.kind, 0.0)
        if value.kind != "number" or not fit:
            return fit
        if value.unit == "th":
            return 0.3 * fit
        if not self.units:
            return fit if value.unit else 0.8 * fit
        return fit if value.unit in self.units or not value.unit else _OTHER_UNIT * fit

    def new(self, value: Value) -> bool:
        """Tell whether the question does not name a value itself."""
        if value.kind in ("person", "place", "organisation", "name", "title"):
            return value.value not in self.question
        # 9 December 2022 is new where the question says 2022, and not the other way round
        return not any(
            agree(value, other) and len(value.value) <= len(other.value) for other in self.known
        )


_OFTEN = re.compile(r"(?:多久|多长时间|[几多]少?个?[天日周月年])[^，。？?]{0,8}?([一1] ?次)")
"""Asks how often: the "once" is part of the asking (多久做一次) and the answer repeats it (每月一次)."""
_ASKS_WHICH = re.compile(r"什么|哪[个些种]|是啥|\b(?:what|which)\b", re.IGNORECASE)


def _units(question: str) -> frozenset[str]:
    found: set[str] = {UNITS.get("次", "次")} if _OFTEN.search(question) else set()
    for match in _UNIT.finditer(question):
        counted = (match[1] or match[2] or "").lower()
        found |= _MEASURES.get((match[3] or "").lower(), set())
        for length in range(len(counted), 0, -1):
            if is_cjk(counted) and counted[:length] in UNITS:
                found.add(UNITS[counted[:length]])
                break
        if counted:
            found |= {counted, counted[:1]} if is_cjk(counted) else {counted, UNITS.get(counted, counted)}  # fmt: skip
    return frozenset(found)


def candidates_in(
    sentence: str, wanted: Wanted, weights: Mapping[str, float]
) -> list[AnswerCandidate]:
    """Return the values of a sentence that may answer, in their order.

    `weights`: the question's content words (`text.words` of it without its cues) with their rarity;
    pass those of a clause's own sentence alone, nearness counts characters within `sentence`.
    """
    if not wanted.kinds:
        return []
    fitting = [(v, fit) for v in values_in(sentence) if (fit := wanted.fit(v)) > 0.0]
    if not fitting:
        return []
    places = {word: places_of(word, sentence) for word in weights}
    total = sum(weights.values()) or 1.0
    half = _NEAR[is_cjk(sentence)]
    breaks = [match.start() for match in _BREAK.finditer(sentence)]
    return [
        AnswerCandidate(
            value,
            fit,
            sum(
                weight * _closeness(value, places[word], half, breaks)
                for word, weight in weights.items()
            )
            / total,
            wanted.new(value),
        )
        for value, fit in fitting
    ]


def best_candidate(
    sentence: str, wanted: Wanted, weights: Mapping[str, float]
) -> AnswerCandidate | None:
    """Return the likeliest new candidate of a sentence, the first among equals."""
    found = [c for c in candidates_in(sentence, wanted, weights) if c.new]
    return max(found, key=lambda candidate: candidate.strength, default=None)


def _closeness(
    value: Value, places: tuple[tuple[int, int], ...], half: float, breaks: Sequence[int]
) -> float:
    """Return 1 for a word beside the value, a half `half` characters off, 0 for none."""
    gap = min((_gap(value, start, end, half, breaks) for start, end in places), default=None)
    return 0.0 if gap is None else math.exp2(-gap / half)


def _gap(value: Value, start: int, end: int, half: float, breaks: Sequence[int]) -> float:
    """Return the characters between a word and a value; a comma between them counts as many more."""
    low, high = (end, value.start) if end <= value.start else (value.end, start)
    crossed = sum(low <= place < high for place in breaks)
    return max(0, high - low) + 0.7 * half * crossed


@lru_cache(maxsize=16384)
def places_of(word: str, text: str) -> tuple[tuple[int, int], ...]:
    """Return where a content word stands in a text; a long Chinese word by its pairs as well."""
    if not is_cjk(word):
        return tuple(_stems(text).get(word, ()))
    plain = _plain(text)
    found = _all(word, plain)
    if not found and len(word) > 2:
        found = [place for i in range(len(word) - 1) for place in _all(word[i : i + 2], plain)]
    return tuple(found)


def _all(needle: str, text: str) -> list[tuple[int, int]]:
    return [(m.start(), m.end()) for m in re.finditer(re.escape(needle), text)]


@lru_cache(maxsize=8192)
def _plain(text: str) -> str:
    """Return a search copy of the same length."""
    lower = half_width(text).lower()
    return lower if len(lower) == len(text) else half_width(text)


@lru_cache(maxsize=8192)
def _stems(text: str) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = {}
    for match in _LATIN_WORD.finditer(_plain(text)):
        found.setdefault(stem(match.group()), []).append(match.span())
    return found
