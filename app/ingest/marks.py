"""What single lines look like: headings, list items, rules, table heads."""

import re

from graphs.evidence.text import is_cjk

ITEM = re.compile(
    r"([ \t]*)(?:[-*+•·●▪](?=[ \t])|[•·●▪]|\d{1,3}[.)](?=[ \t]|$)|\d{1,3}\.(?=[^\d\s.])|\d{1,3}[、．]"
    r"|[（(](?:\d{1,3}|[一二三四五六七八九十]{1,3})[)）]|[①-⑳]|[a-z][.)](?=[ \t]))"
)
_PLAIN_HEADINGS = (
    (re.compile(r"第[零〇一二三四五六七八九十百\d]+[章编篇部](?![^\s]*条)"), 2),
    (re.compile(r"第[零〇一二三四五六七八九十百\d]+节"), 3),
    (re.compile(r"附录|附件\s*[\dA-Z一二三四五六七八九十]|appendix\s", re.IGNORECASE), 2),
    (re.compile(r"[一二三四五六七八九十]{1,3}、"), 2),
    (re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]"), 3),
)
NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2})*)(?:[.．、]\s*|\s+)(?=\S)")


def atx(line: str) -> tuple[int, str] | None:
    """Return level and text of a "# …" heading; a blank is not needed before an ideograph."""
    body = line.lstrip(" ")
    level = len(body) - len(body.lstrip("#"))
    if not 1 <= level <= 6 or len(line) - len(body) > 3:
        return None
    rest = body[level:]
    if rest and rest[0] not in " \t" and not is_cjk(rest[0]):
        return None
    return level, plain(rest.strip().rstrip("#").strip())


def plain(title: str) -> str:
    """Return a heading without Markdown's emphasis and code marks."""
    return re.sub(r"\*\*|__|`", "", title).strip()


def underline(line: str) -> int:
    """Return the level of a setext underline, 0 for anything else."""
    marks = line.strip()
    if len(marks) >= 2 and not marks.strip("="):
        return 1
    return 2 if len(marks) >= 2 and not marks.strip("-") else 0


def is_rule(line: str) -> bool:
    """Tell a line of three or more hyphens, asterisks or underscores."""
    marks = line.strip()[:200].replace(" ", "")
    return len(marks) >= 3 and marks[0] in "-*_" and not marks.strip(marks[0])


def is_delimiter(line: str) -> bool:
    """Tell the line under a table head (|---|---|)."""
    return "-" in line and "|" in line and not line.strip("|:- \t")


def indent_of(line: str) -> int:
    """Return how many blanks and tabs a line begins with."""
    return len(line) - len(line.lstrip(" \t"))


def plain_level(line: str) -> int:
    """Return the level that a numbering of plain text stands for (第一章, 一、, 2.1), else 0."""
    for pattern, level in _PLAIN_HEADINGS:
        if pattern.match(line):
            return level
    number = NUMBERED.match(line)
    return min(2 + number.group(1).count("."), 6) if number else 0
