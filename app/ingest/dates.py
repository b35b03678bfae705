"""Dates that documents, sections and file names state."""

import re
from collections.abc import Iterator, Sequence
from datetime import date

_MONTHS = {
    name: number
    for number, names in enumerate(
        "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august"
        "|sep sept september|oct october|nov november|dec december".split("|"),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_YEAR = r"(?P<{0}>(?:19|20)\d\d)"
_DATE = re.compile(
    rf"(?<!\d){_YEAR.format('y1')}\s*[-/.]\s*(?P<m1>\d{{1,2}})\s*[-/.]\s*(?P<d1>\d{{1,2}})(?!\d)"
    rf"|(?<!\d){_YEAR.format('y2')}\s*年\s*(?P<m2>\d{{1,2}})\s*月(?:\s*(?P<d2>\d{{1,2}})\s*[日号])?"
    rf"|(?<!\d)(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m3>{_MONTH})\.?,?\s+{_YEAR.format('y3')}(?!\d)"
    rf"|\b(?P<m4>{_MONTH})\.?\s+(?P<d4>\d{{1,2}})(?:st|nd|rd|th)?,?\s+{_YEAR.format('y4')}(?!\d)"
    rf"|\b(?P<m5>{_MONTH})\.?,?\s+{_YEAR.format('y5')}(?!\d)"
    rf"|(?<!\d){_YEAR.format('y6')}-(?P<m6>\d{{1,2}})(?![\d-])",
    re.IGNORECASE,
)
_IN_NAME = re.compile(
    r"(?<!\d)(?P<y>(?:19|20)\d\d)(?:[-_.年]?(?P<m>0[1-9]|1[0-2]|[1-9](?!\d))"
    r"(?:[-_.月]?(?P<d>0[1-9]|[12]\d|3[01]|[1-9](?!\d)))?)?(?!\d)"
)
_STRONG = (
    r"生效日期|生效时间|施行日期|实施日期|执行日期|effective(?:\s+(?:date|from|as\s+of|on|since))?"
)
_PLAIN = (
    r"(?:发布|颁布|修订|编制|批准|印发|更新|发现|发生|记录|登记|检修|检查|缺陷|报告)?日期"
    r"|(?:发布|修订|发现|发生|记录)时间"
    r"|date(?:\s+(?:issued|of\s+issue))?|dated|issued(?:\s+on)?|published(?:\s+on)?"
    r"|(?:last\s+)?(?:updated|revised)(?:\s+on)?|version\s+of|in\s+force\s+(?:from|since)"
)
_BETWEEN = r"[\s:：|*_=为是自于]{0,8}"
_LABEL_END = r"(?=[\s:：|*_=]|为|是|自|于|\d)"
_STRONG_LABEL = re.compile(rf"(?:{_STRONG}){_LABEL_END}{_BETWEEN}", re.IGNORECASE)
_ANY_LABEL = re.compile(
    rf"(?:^|(?<=[\s>*|_（(，,；;。\-]))(?:{_STRONG}|{_PLAIN}){_LABEL_END}{_BETWEEN}",
    re.IGNORECASE | re.MULTILINE,
)
_SCOPE = 4_000
"""How much of a section is read for its date: one that stands further down is a part's own."""
_FROM_ON = re.compile(r"自\s*(?P<date>[^。\n]{8,16}?)\s*(?:起)?(?:施行|实施|执行|生效)")


def document_date(head: str, body: str, name: str) -> str | None:
    """Return the ISO date of a document, or None.

    `head` is the text before the first sub-heading, `body` the beginning of the document, `name`
    the file name. A labelled date in the head wins, then an effective date in the body, then a
    bare date in the head, then the file name. A date without a day counts from its first day.
    """
    return (
        _effective(head) or labelled_date(head) or _effective(body) or _bare(head) or _named(name)
    )


def labelled_date(text: str) -> str | None:
    """Return the first ISO date that follows a date label (日期：…, dated …), or None."""
    for label in _ANY_LABEL.finditer(text):
        found = _DATE.match(text, label.end())
        stated = _iso(found) if found else None
        if stated:
            return stated
    return None


class SectionDates:
    """Dates that the sections of one text state; each is read once, however many ask for it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[tuple[int, int], str | None] = {}

    def stated(self, start: int, end: int, scopes: Sequence[tuple[int, int]]) -> str | None:
        """Return the date that a passage or the nearest of its sections states by a label."""
        if not scopes:
            return None
        own = labelled_date(self._text[start:end])
        return own or next(filter(None, map(self._of_section, scopes)), None)

    def _of_section(self, span: tuple[int, int]) -> str | None:
        if span not in self._known:
            start, end = span
            self._known[span] = labelled_date(self._text[start : min(end, start + _SCOPE)])
        return self._known[span]


def _effective(text: str) -> str | None:
    for label in _STRONG_LABEL.finditer(text):
        found = _DATE.match(text, label.end())
        stated = _iso(found) if found else None
        if stated:
            return stated
    for match in _FROM_ON.finditer(text):
        stated = next(_dates(match["date"]), None)
        if stated:
            return stated
    return None


def _bare(head: str) -> str | None:
    """Return a date that stands in the first line, or makes up most of a line by itself.

    Periods ("2025 年 4 月至 10 月") and dates inside sentences say nothing of the document's age.
    """
    lines = [line.strip(" *#_()（）") for line in head.split("\n") if line.strip()]
    for position, line in enumerate(lines):
        found = [match for match in _DATE.finditer(line) if _iso(match)]
        if len(found) != 1:
            continue
        if position == 0 or len(found[0].group()) * 10 >= len(line) * 7:
            return _iso(found[0])
    return None


def _dates(text: str) -> Iterator[str]:
    for match in _DATE.finditer(text):
        stated = _iso(match)
        if stated:
            yield stated


def _iso(match: re.Match[str]) -> str | None:
    groups = {key[0]: value for key, value in match.groupdict().items() if value}
    month = groups["m"].lower()
    number = _MONTHS[month] if month in _MONTHS else int(month)
    return _valid(int(groups["y"]), number, int(groups.get("d", 1)))


def _named(name: str) -> str | None:
    stem = name.rsplit("/", 1)[-1].rsplit(".", 1)[0]
    for match in _IN_NAME.finditer(stem):
        stated = _valid(int(match["y"]), int(match["m"] or 1), int(match["d"] or 1))
        if stated:
            return stated
    return None


def _valid(year: int, month: int, day: int) -> str | None:
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None  # 2025-13-40 is a number, not a date
