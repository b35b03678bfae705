"""Titles and dates that files carry about themselves, where they mean something."""

import re
from datetime import UTC, date, datetime, timedelta

_MEANINGLESS = re.compile(
    r"(?:microsoft (?:word|excel|powerpoint)\b.*|(?:untitled|document|presentation|workbook|book|slide|"
    r"sheet|文档|演示文稿|幻灯片|工作簿|工作表|新建|无标题|未命名|标题|title)[\s\-_]*\d*"
    r"|(?:powerpoint|word) (?:presentation|document)|powerpoint 演示文稿|新建 ?microsoft .*"
    r"|.*\.(?:docx?|xlsx?|pptx?|pdf|wps|indd|rtf|txt|html?|tmp|cdr|dwg)|[\W\d_]*)",
    re.IGNORECASE,
)
_MAX_TITLE = 120
_OLDEST = date(1985, 1, 1)
_TEMPLATES = frozenset({date(2013, 12, 23), date(2013, 1, 27), date(2006, 9, 16)})
"""Days that libraries and Office leave in files made from their templates."""
_ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_PDF = re.compile(r"(?:D:)?(\d{4})(\d{2})(\d{2})")


def meaningful_title(title: str | None) -> str:
    """Return a title from metadata, empty where it is a program's or only a file name."""
    plain = " ".join((title or "").split())
    if len(plain) > _MAX_TITLE or "\ufffd" in plain or _MEANINGLESS.fullmatch(plain):
        return ""
    return plain


def first_date(*candidates: datetime | str | None) -> str | None:
    """Return the first candidate that is a real day as ISO date; strings may be ISO or PDF's D:."""
    for candidate in candidates:
        day = _day(candidate)
        today = datetime.now(UTC).date()
        if day and _OLDEST <= day <= today + timedelta(days=1) and day not in _TEMPLATES:
            return day.isoformat()
    return None


def _day(candidate: datetime | str | None) -> date | None:
    if isinstance(candidate, datetime):
        return candidate.date()
    match = candidate and (_ISO.match(candidate.strip()) or _PDF.match(candidate.strip()))
    if not match:
        return None
    try:
        return date(*map(int, match.groups()))
    except ValueError:
        return None  # 2025-13-40 is no day
