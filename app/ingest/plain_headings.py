"""Headings of plain text: by their numbering, or by standing alone above their text."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from app.ingest.marks import ITEM, NUMBERED, is_rule, plain_level

_MAX_HEADING = 60
_MAX_LONELY = 40
_STATEMENT = re.compile(r"[。；;，,：:？?！!…]|\.\s|^[^\w（(《〈「“\"]|^[a-z]|^[\W\d]+$")
"""A line that holds one of these is no heading by standing alone: a sentence, a field, a number."""
_BELOW_NUMBERED = 4
_SENTENCE_END = "。；;：:？?！!."
SENTENCE_TAIL = "。；;，,：:？?！!、"


class Line(NamedTuple):
    """One line of a text with its place; without its line end."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """Where the line ends."""
        return self.start + len(self.text)

    @property
    def blank(self) -> bool:
        """Tell whether it holds nothing but white space."""
        return not self.text or self.text.isspace()


def near(lines: Sequence[Line], at: int, step: int) -> int:
    """Return the next line that is not blank, in either direction; it may lie outside."""
    at += step
    while 0 <= at < len(lines) and lines[at].blank:
        at += step
    return at


class PlainHeadings:
    """Tells headings among lines that are asked for in order.

    `lonely`: a short line that stands alone above a paragraph is one, too.
    """

    def __init__(self, lines: Sequence[Line], lonely: bool) -> None:
        self._lines = lines
        self._lonely = lonely
        self._numbered = False
        """A numbered heading came before."""

    def heading(self, at: int, first: bool) -> tuple[int, str] | None:
        """Tell a heading of plain text: alone above its text, short, no sentence, no list item."""
        line = self._lines[at].text.strip()
        if len(line) > _MAX_HEADING or line[-1] in SENTENCE_TAIL or "|" in line:
            return None
        if at > 0 and not (self._lines[at - 1].blank or self._is_numbered(at - 1)):
            return None
        following = self._lines[at + 1] if at + 1 < len(self._lines) else None
        level = plain_level(line)
        if level and not self._is_listed(at):
            self._numbered = True
            return level, line
        alone = following is not None and following.blank
        if first and alone and not level and not ITEM.match(line) and not is_rule(line):
            return 1, line
        if alone and not level and self._stands_alone(at, line):
            return (_BELOW_NUMBERED if self._numbered else 2), line
        return None

    def _stands_alone(self, at: int, line: str) -> bool:
        """Tell a heading without a number: short, no sentence, blank lines around, text below.

        The text must be a list or a paragraph that is longer than the line or ends like a sentence,
        so that verses, addresses and signatures are none.
        """
        if not self._lonely or at == 0 or not self._lines[at - 1].blank:
            return False
        if len(line) > _MAX_LONELY or _STATEMENT.search(line) or ITEM.match(line):
            return False
        below = near(self._lines, at, 1)
        if below >= len(self._lines):
            return False
        text = self._lines[below].text.strip()
        return bool(ITEM.match(text)) or text[-1] in _SENTENCE_END or len(text) > 2 * len(line) + 20

    def _is_numbered(self, at: int) -> bool:
        return plain_level(self._lines[at].text.strip()) > 0

    def _is_listed(self, at: int) -> bool:
        """Tell whether "1. …" stands among siblings without text between: a list, no headings."""
        return self._counts(at) and (
            self._counts(near(self._lines, at, -1)) or self._counts(near(self._lines, at, 1))
        )

    def _counts(self, at: int) -> bool:
        if not 0 <= at < len(self._lines):
            return False
        number = NUMBERED.match(self._lines[at].text.strip())
        return number is not None and "." not in number.group(1)
