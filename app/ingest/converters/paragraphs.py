"""Paragraphs of a converted document to canonical Markdown, and headings that carry no style."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.ingest.blocks import blocks
from app.ingest.marks import ITEM, atx, is_rule
from app.ingest.plain_headings import SENTENCE_TAIL

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
    strong: bool = False
    """It stands out like a heading (bold, short), but no style says that it is one."""
    page: int = 0
    """Page or slide on which it begins, counted from 0."""
    turns: tuple[int, ...] = ()
    """Offsets in `text` at which the next pages begin; only of text that is canonical as it is."""


def one_line(text: str) -> str:
    """Return `text` without line breaks, doubled blanks and invisible characters."""
    plain = " ".join(text.split())
    return plain if plain.isprintable() else " ".join(_INVISIBLE.sub("", plain).split())


def visible(text: str) -> str:
    """Return the lines of `text` without blanks at their ends and without invisible characters."""
    lines = (_INVISIBLE.sub("", line).rstrip() for line in text.split("\n"))
    return "\n".join(lines).strip("\n")


def with_headings(paragraphs: Sequence[Paragraph]) -> list[Paragraph]:
    """Give a document the headings that its author meant.

    Where styles mark headings, their levels are kept. Where none do, headings are found by their
    numbering (第一章, 一、, 2.1 …), which is the splitter's own reading of plain text, and short bold
    lines by themselves count as headings below those. The one top heading becomes level 1.
    """
    shown = [each for each in paragraphs if each.text.strip()]
    marked = [each for each in shown if each.level]
    if len(marked) > 1 or (marked and marked[0] is not shown[0]):
        return _top(shown)
    text = "\n\n".join("\n".join(_lines(each)) for each in shown)
    levels = {
        b.start: b.level for b in blocks(text, markdown=False, lonely=False) if b.kind == "heading"
    }
    numbered = any(level > 1 for level in levels.values())
    found: list[Paragraph] = []
    start = 0
    for each in shown:
        level = each.level
        if not level and not each.ready and "\n" not in each.text.strip():
            level = levels.get(start, 0)
            if not level and each.strong and each.text.strip()[-1] not in SENTENCE_TAIL:
                level = (4 if numbered else 2) if found else 1
        found.append(replace(each, level=level))
        start += len("\n".join(_lines(each))) + 2
    return _top(found) if marked else found


def _top(shown: Sequence[Paragraph]) -> list[Paragraph]:
    """Return headings with one of level 1 at most: a title, or the only one of the highest level."""
    levels = [each.level for each in shown if each.level]
    highest = min(levels)
    first = next(each.level for each in shown if each.level)
    if highest == 1 and levels.count(1) == 1:
        return list(shown)
    only = levels.count(highest) == 1 and first == highest
    shift = (1 if only else 2) - highest
    return [
        replace(each, level=min(each.level + shift, 6)) if each.level else each for each in shown
    ]


def join(paragraphs: Iterable[Paragraph]) -> tuple[str, tuple[int, ...]]:
    """Return the canonical text and where in it each page begins.

    Items of one list stand in lines below each other, all other paragraphs a blank line apart.
    A page without text begins where the next one does.
    """
    parts: list[str] = []
    pages: list[int] = []
    place = 0
    listed = False
    for paragraph in paragraphs:
        text = "\n".join(_lines(paragraph))
        if not text.strip():
            continue
        item = paragraph.ready and ITEM.match(text) is not None
        gap = "" if not parts else ("\n" if item and listed else "\n\n")
        listed = item
        place += len(gap)
        while len(pages) <= paragraph.page:
            pages.append(place)
        pages.extend(place + turn for turn in paragraph.turns)
        parts.append(gap + text)
        place += len(text)
    return "".join(parts) + "\n" if parts else "", tuple(pages)


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
