"""Word documents: headings by style, numbers as Word shows them, tables, text boxes, footnotes."""

import io
from collections.abc import Iterator
from typing import Any

from docx import Document
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from app.ingest.converters.converted import Converted
from app.ingest.converters.metadata import first_date, meaningful_title
from app.ingest.converters.paragraphs import Paragraph, join, one_line, with_headings
from app.ingest.converters.tables import Grid, table
from app.ingest.converters.word_numbering import Numbering
from app.ingest.converters.word_styles import Style, Styles, is_on
from graphs.evidence.text import is_cjk

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_BOX = qn("w:txbxContent")
_SKIPPED = frozenset(
    {_FALLBACK, _BOX, qn("w:pPr"), qn("w:del"), qn("w:moveFrom"), qn("w:instrText"), qn("w:rt"),
     qn("w:commentReference")}
)  # fmt: skip
_OPEN = frozenset(qn(tag) for tag in ("w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo"))
_BREAKS = {qn("w:tab"): "\t", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_NOTES = frozenset({qn("w:footnoteReference"), qn("w:endnoteReference")})
_STRONG = 40
"""Longest bold paragraph that may be a heading by itself."""


def read(data: bytes) -> Converted:
    """Return the document's body as Markdown; page headers and footers are no part of it."""
    document = Document(io.BytesIO(data))
    paragraphs = with_headings(list(_Body(document).blocks(document.element.body)))
    about = document.core_properties
    return Converted(
        join(paragraphs)[0],
        markdown=True,
        title=meaningful_title(about.title),
        date=first_date(about.modified, about.created),
    )


class _Body:
    """Walks through a document in reading order."""

    def __init__(self, document: WordDocument) -> None:
        self._styles = Styles(document)
        self._numbering = Numbering(document)
        self._notes = _notes(document)
        self._cited = 0

    def blocks(self, parent: Any) -> Iterator[Paragraph]:
        """Yield the paragraphs and tables below an element of the body."""
        for element in parent:
            if element.tag == qn("w:p"):
                yield from self._paragraph(element)
            elif element.tag == qn("w:tbl"):
                yield from self._table(element)
            elif element.tag in _OPEN and not _is_contents(element):
                yield from self.blocks(element)

    def _paragraph(self, element: Any) -> Iterator[Paragraph]:
        style = self._styles.of(element)
        if style.contents:
            return
        text = _text(element)
        if text.strip():
            yield self._styled(text, style, element)
        for box in element.iter(_BOX):
            if not any(parent.tag == _FALLBACK for parent in box.iterancestors()):
                yield from self.blocks(box)
        yield from self._cited_notes(element)

    def _styled(self, text: str, style: Style, element: Any) -> Paragraph:
        kind, label = self._numbering.label(style.number, style.depth) if style.number else ("", "")
        level = min(style.level, 6)
        if kind == "bullet" and not level:
            return Paragraph(f"{'  ' * style.depth}- {one_line(text)}", ready=True)
        labelled = _labelled(label, text) if kind != "bullet" else text
        if level:
            return Paragraph(labelled, level=level)
        if label:
            return Paragraph(f"{'  ' * style.depth}{one_line(labelled)}", ready=True)
        return Paragraph(text, strong=len(text) <= _STRONG and _is_bold(element, style))

    def _cited_notes(self, element: Any) -> Iterator[Paragraph]:
        for reference in element.iter(*_NOTES):
            note = self._notes.get((reference.tag, reference.get(qn("w:id"), "")))
            if note:
                self._cited += 1
                yield Paragraph(f"{'注' if is_cjk(note) else 'Note '}{self._cited}: {note}")

    def _table(self, element: Any) -> Iterator[Paragraph]:
        rows = [row for row in _children(element, qn("w:tr")) if not _deleted(row)]
        cells = [list(_children(row, qn("w:tc"))) for row in rows]
        if len(cells) == 1 and len(cells[0]) == 1:
            yield from self.blocks(cells[0][0])  # a frame around text
            return
        grid = Grid([], [])
        number = 0
        for row, line in zip(rows, cells, strict=True):
            before = _value(row, "w:trPr", "w:gridBefore")
            text, origin = [""] * before, [0] * before
            for cell in line:
                number += 1
                value, mark = self._cell(cell), number
                if _continues(cell) and grid.text and len(text) < len(grid.text[-1]):
                    value, mark = grid.text[-1][len(text)], grid.origin[-1][len(text)]
                width = max(_value(cell, "w:tcPr", "w:gridSpan"), 1)
                text += [value] * width
                origin += [mark] * width
            grid.text.append(text)
            grid.origin.append(origin)
        for block in table(grid):
            yield Paragraph(block, ready=block.startswith("|"))

    def _cell(self, cell: Any) -> str:
        """Return the text of a cell in one line, tables inside it as well."""
        return " ".join(one_line(part.text) for part in self._lines(cell) if part.text.strip())

    def _lines(self, cell: Any) -> Iterator[Paragraph]:
        for element in cell.iter(qn("w:p")):
            if not any(parent.tag in (_FALLBACK, _BOX) for parent in element.iterancestors()):
                yield from self._paragraph(element)


def _text(element: Any) -> str:
    """Return the visible text of a paragraph, accepted changes included."""
    parts: list[str] = []

    def walk(node: Any) -> None:
        for child in node:
            tag = child.tag
            if tag in _SKIPPED or (tag == qn("w:r") and _hidden(child)):
                continue
            if tag in (qn("w:t"), _MATH):
                parts.append(child.text or "")
            elif tag == qn("w:br"):
                parts.append("\n" if child.get(qn("w:type")) in (None, "textWrapping") else "")
            elif tag in _BREAKS:
                parts.append(_BREAKS[tag])
            else:
                walk(child)

    walk(element)
    return "".join(parts)


def _hidden(run: Any) -> bool:
    mark = run.find(f"{qn('w:rPr')}/{qn('w:vanish')}")
    return mark is not None and is_on(mark)


def _is_bold(element: Any, style: Style) -> bool:
    """Tell whether every run that holds text is bold."""
    runs = [run for run in element.iter(qn("w:r")) if run.find(qn("w:t")) is not None]
    marks = [run.find(f"{qn('w:rPr')}/{qn('w:b')}") for run in runs]
    return bool(runs) and all(style.bold if mark is None else is_on(mark) for mark in marks)


def _labelled(label: str, text: str) -> str:
    """Return a paragraph with its number as Word shows it; 一、 stands close, all others apart."""
    return text if not label else f"{label}{'' if label[-1] in '、．）：' else ' '}{text.lstrip()}"


def _is_contents(element: Any) -> bool:
    """Tell whether a content control holds the table of contents."""
    gallery = element.find(f"{qn('w:sdtPr')}/{qn('w:docPartObj')}/{qn('w:docPartGallery')}")
    return gallery is not None and "Contents" in gallery.get(qn("w:val"), "")


def _children(parent: Any, tag: str) -> Iterator[Any]:
    """Yield the rows or cells of a table, also those that lie in content controls."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag in _OPEN:
            yield from _children(child, tag)


def _deleted(row: Any) -> bool:
    return row.find(f"{qn('w:trPr')}/{qn('w:del')}") is not None


def _continues(cell: Any) -> bool:
    """Tell whether a cell belongs to the one above it."""
    merge = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
    return merge is not None and merge.get(qn("w:val"), "continue") == "continue"


def _value(element: Any, properties: str, tag: str) -> int:
    found = element.find(f"{qn(properties)}/{qn(tag)}")
    value = "" if found is None else found.get(qn("w:val"), "")
    return min(int(value), 1000) if value.isdecimal() else 0


def _notes(document: WordDocument) -> dict[tuple[str, str], str]:
    """Return the texts of footnotes and endnotes by the tag of their reference and their id."""
    found: dict[tuple[str, str], str] = {}
    for relation in document.part.rels.values():
        kind = relation.reltype.rsplit("/", 1)[-1].removesuffix("s")
        if relation.is_external or kind not in ("footnote", "endnote"):
            continue
        for note in parse_xml(relation.target_part.blob).iter(qn(f"w:{kind}")):
            text = one_line(" ".join(_text(each) for each in note.iter(qn("w:p"))))
            found[qn(f"w:{kind}Reference"), note.get(qn("w:id"), "")] = text
    return found
