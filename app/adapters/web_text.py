"""What providers of web search send, made into pages of plain text."""

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from bs4 import BeautifulSoup

from graphs.web_ports import WebPage

_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_MARKUP = re.compile(r"<[a-zA-Z/!][^<>]*>|&[a-zA-Z#]\w*;")
_DATE = re.compile(r"(?P<y>(?:19|20)\d{2})-(?P<m>0[1-9]|1[0-2])-(?P<d>[0-3]\d)")
_LONGEST_URL = 2_000
_LONGEST_TITLE = 300


def pages(
    rows: Iterable[object], url: str, title: str, text: str, date: str = "", limit: int = 10
) -> list[WebPage]:
    """Return the pages of a provider's rows; the names say which of a row's fields hold what.

    Rows that are no objects, lead nowhere on the web or say nothing are left out.
    """
    found: list[WebPage] = []
    for row in rows:
        if not isinstance(row, Mapping) or len(found) == limit:
            continue
        address, said = _string(row, url), plain(_string(row, text))
        if said and len(address) <= _LONGEST_URL and on_the_web(address):
            dated = _DATE.search(_string(row, date)) if date else None
            heading = plain(_string(row, title))[:_LONGEST_TITLE]
            found.append(WebPage(address, heading, said, dated.group() if dated else None))
    return found


def plain(text: str) -> str:
    """Return text without markup, entities and characters that nobody sees."""
    if _MARKUP.search(text):
        text = BeautifulSoup(text, "html.parser").get_text(" ")
    lines = (" ".join(line.split()) for line in _UNSEEN.sub("", text).splitlines())
    return "\n".join(line for line in lines if line)


def on_the_web(url: str) -> bool:
    """Tell whether a link may be shown as a citation: http or https, with a host, and nothing odd."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    odd = any(char.isspace() or char in "<>\"'`\\" for char in url) or _UNSEEN.search(url)
    return parts.scheme in ("http", "https") and bool(parts.hostname) and not odd


def _string(row: Mapping[Any, Any], name: str) -> str:
    value = row.get(name)
    return value.strip() if isinstance(value, str) else ""
