"""Paragraphs of a converted document to canonical Markdown, and headings that carry no style."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.ingest.blocks import blocks
from app.ingest.marks import atx, is_rule

_SPACES = re.compile(r"[ \t\f\v\u00a0\u2000-\u200a\u202f\u3000]+")
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u00ad\u200b\u200e\u200f\u2060\ufeff]")
_FENCE = re.compile(r" {0,3}(?:`{3}|~{3})")
_GUARD = "    "
"""Four blanks keep a line of plain words from being read as a Markdown heading or rule."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One block of canonical text. `level` is 1 to 6 for a heading; `ready` is Markdown already."""

    text: str
    level: int = 0
    ready: bool = False
    page: int = 0
    """Page or slide on which it begins, counted from 0."""


def one_line(text: str) -> str:
    """Return `text` without line breaks, doubled blanks and invisible characters."""
    return _SPACES.sub(" ", _INVISIBLE.sub("", text.replace("\n", " "))).strip()


def visible(text: str) -> str:
    """Return the lines of `text` without blanks at their ends and without invisible characters."""
    lines = (_INVISIBLE.sub("", line).rstrip() for line in text.split("\n"))
    return "\n".join(lines).strip("\n")


def with_headings(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Find headings by their numbering in a document that marks none.

    It is the splitter's own reading of plain text (第一章, 一、, 2.1 …), so that a document reads the
    same whether Word's styles were used or not.
    """
    if any(paragraph.level > 1 for paragraph in paragraphs):
        return list(paragraphs)
    text = "\n\n".join("\n".join(_lines(each)) for each in paragraphs)
    levels = {b.start: b.level for b in blocks(text, markdown=False) if b.kind == "heading"}
    found: list[Paragraph] = []
    start = 0
    for paragraph in paragraphs:
        shown = "\n".join(_lines(paragraph))
        level = paragraph.level or (0 if paragraph.ready else levels.get(start, 0))
        single = "\n" not in paragraph.text
        found.append(
            Paragraph(paragraph.text, level if single else 0, paragraph.ready, paragraph.page)
        )
        start += len(shown) + 2
    return found


def join(paragraphs: Iterable[Paragraph]) -> tuple[str, tuple[int, ...]]:
    """Return the canonical text and where in it each page begins.

    Items of one list stand in lines below each other, all other paragraphs a blank line apart.
    A page without text begins where the next one does.
    """
    text = ""
    parts: list[str] = []
    pages: list[int] = []
    place = 0
    item = False
    for paragraph in paragraphs:
        text = "\n".join(_lines(paragraph))
        if not text.strip():
            continue
        is_item = paragraph.ready and _ITEM.match(text) is not None
        gap = "" if not parts else ("\n" if item and is_item else "\n\n")
        item = is_item
        place += len(gap)
        while len(pages) <= paragraph.page:
            pages.append(place)
        parts.append(gap + text)
        place += len(text)
    return "".join(parts) + "\n" if parts else "", tuple(pages)


_ITEM = re.compile(r"\s*(?:[-*]|\d{1,3}[.)])\s")


def _lines(paragraph: Paragraph) -> list[str]:
    if paragraph.level:
        return [f"{'#' * paragraph.level} {one_line(paragraph.text)}"]
    lines = visible(paragraph.text).split("\n")
    if paragraph.ready:
        return lines
    return [_guarded(one_line(line)) for line in lines if line.strip()]


def _guarded(line: str) -> str:
    if atx(line) is not None or is_rule(line) or _FENCE.match(line) or not line.strip("= "):
        return _GUARD + line
    return line
