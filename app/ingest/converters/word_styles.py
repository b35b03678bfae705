"""What a Word paragraph is by its style: a heading of some level, a list item, a line of contents."""

import re
from dataclasses import dataclass
from typing import Any

from docx.document import Document
from docx.oxml.ns import qn

_HEADING = re.compile(r"(?:heading|标题|標題|見出し|überschrift|titre|título)\s*([1-9])(?:\s.*)?", re.IGNORECASE)  # fmt: skip
_TITLE = re.compile(r"(?:title|标题|標題|文档标题|公文标题)", re.IGNORECASE)
_CONTENTS = re.compile(
    r"(?:toc|目录|目錄)(?:\s*\d+|\s*heading|标题)?|table of figures", re.IGNORECASE
)
_DEPTH = 20
"""Styles that a style may be based on in turn; a circle ends here."""
TITLE = 1
"""Level of a document's title; styled headings lie one deeper."""


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph inherits. `level` is 0 for text; `number` and `depth` name its list."""

    level: int = 0
    number: str = ""
    depth: int = 0
    bold: bool = False
    contents: bool = False


class Styles:
    """The paragraph styles of one document, by id."""

    def __init__(self, document: Document) -> None:
        self._elements: dict[str, Any] = {}
        self._default = ""
        for style in document.styles.element.iter(qn("w:style")):
            if style.get(qn("w:type")) == "paragraph":
                self._elements[style.get(qn("w:styleId"), "")] = style
                if style.get(qn("w:default")) in ("1", "true"):
                    self._default = style.get(qn("w:styleId"), "")
        self._known: dict[str, Style] = {}

    def of(self, paragraph: Any) -> Style:
        """Return what a `w:p` is by its style and its own properties."""
        properties = paragraph.find(qn("w:pPr"))
        own = _value(properties, "w:pStyle") or self._default
        inherited = self._known.get(own) or self._known.setdefault(own, self._resolve(own))
        return _merged(inherited, properties)

    def _resolve(self, style_id: str) -> Style:
        chain: list[Any] = []
        while style_id in self._elements and len(chain) < _DEPTH:
            chain.append(self._elements[style_id])
            style_id = _value(chain[-1], "w:basedOn")
        style = Style()
        for element in reversed(chain):
            style = _merged(style, element.find(qn("w:pPr")))
            bold = element.find(f"{qn('w:rPr')}/{qn('w:b')}")
            name = _value(element, "w:name").strip()
            style = Style(
                _named_level(name) or style.level, style.number, style.depth,
                style.bold if bold is None else is_on(bold),
                style.contents or _CONTENTS.fullmatch(name) is not None,
            )  # fmt: skip
        return style


def _merged(style: Style, properties: Any) -> Style:
    """Return `style` with what a `w:pPr` says itself."""
    if properties is None:
        return style
    outline = _value(properties, "w:outlineLvl")
    level = style.level
    if outline.isdecimal():
        level = int(outline) + 1 + TITLE if int(outline) < 9 else 0
    numbering = properties.find(qn("w:numPr"))
    number = _value(numbering, "w:numId") if numbering is not None else ""
    depth = _value(numbering, "w:ilvl") if numbering is not None else ""
    return Style(
        level,
        number or style.number,
        int(depth) if depth.isdecimal() else style.depth,
        style.bold,
        style.contents,
    )


def _named_level(name: str) -> int:
    heading = _HEADING.fullmatch(name)
    if heading:
        return int(heading.group(1)) + TITLE
    return TITLE if _TITLE.fullmatch(name) else 0


def is_on(element: Any) -> bool:
    """Tell whether a switch such as `w:b` is on: present, and not said to be off."""
    return element.get(qn("w:val"), "true") not in ("0", "false", "off")


def _value(element: Any, tag: str) -> str:
    child = element.find(qn(tag)) if element is not None else None
    return "" if child is None else str(child.get(qn("w:val"), ""))
