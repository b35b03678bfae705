"""Tables with ruled lines on PDF pages."""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pdfplumber
import pypdfium2 as pdfium
import pypdfium2.raw as raw
from pdfplumber.page import Page
from pdfplumber.pdf import PDF

from app.ingest.converters.pdf_lines import Box
from app.ingest.converters.tables import Grid
from graphs.evidence.text import is_cjk

_RULES = 4
"""Drawn paths below which a page holds no table; most pages are not looked at twice."""
_NEAR = 3.0
"""Points within which two edges are one."""


@dataclass(frozen=True, slots=True)
class RuledTable:
    """A table with its place on the page and the left edges of its columns."""

    grid: Grid
    box: Box
    edges: tuple[float, ...]


class TableFinder:
    """Finds tables with pdfplumber, on pages that have lines drawn; opened at the first of them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._plumber: PDF | None = None

    def tables(self, page: pdfium.PdfPage, number: int) -> list[RuledTable]:
        """Return the tables of a page with at least two rows and two columns, from the top."""
        paths = page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=4)
        if sum(1 for _ in zip(range(_RULES), paths, strict=False)) < _RULES or page.get_rotation():
            return []
        if self._plumber is None:
            self._plumber = pdfplumber.open(io.BytesIO(self._data))
        other = self._plumber.pages[number]
        try:
            return list(_tables(other, page))
        finally:
            other.close()

    def close(self) -> None:
        """Release the second reader."""
        if self._plumber is not None:
            self._plumber.close()


def _tables(found: Page, page: pdfium.PdfPage) -> Iterator[RuledTable]:
    text_page = page.get_textpage()
    left, _, _, _ = page.get_bbox()
    bottom = page.get_bbox()[1]
    height = float(found.height)
    try:
        for table in sorted(found.find_tables(), key=lambda each: each.bbox[1]):
            cells = [(left + x0, bottom + height - y1, left + x1, bottom + height - y0)
                     for x0, y0, x1, y1 in table.cells]  # fmt: skip
            columns = _edges([cell[0] for cell in cells])
            rows = _edges([-cell[3] for cell in cells])
            if len(columns) > 1 and len(rows) > 1:
                texts = [_text(text_page, cell) for cell in cells]
                if any(texts):
                    x0, y0, x1, y1 = table.bbox
                    box = (left + x0, bottom + height - y1, left + x1, bottom + height - y0)
                    yield RuledTable(_grid(cells, texts, columns, rows), box, tuple(columns))
    finally:
        text_page.close()


def _grid(
    cells: Sequence[Box], texts: Sequence[str], columns: Sequence[float], rows: Sequence[float]
) -> Grid:
    """Lay out cells by their edges; one that covers several places stands in each of them."""
    grid = Grid([[""] * len(columns) for _ in rows], [[0] * len(columns) for _ in rows])
    for number, (cell, text) in enumerate(zip(cells, texts, strict=True), 1):
        for at, top in enumerate(rows):
            if not -cell[3] - _NEAR < top < -cell[1] - _NEAR:
                continue
            for column, left in enumerate(columns):
                if cell[0] - _NEAR < left < cell[2] - _NEAR:
                    grid.text[at][column], grid.origin[at][column] = text, number
    return grid


def _text(text_page: pdfium.PdfTextPage, cell: Box) -> str:
    """Return the text of a cell in one line; Chinese goes on without a blank."""
    lines = text_page.get_text_bounded(*cell).replace("\x02", "-").split("\n")
    text = ""
    for line in filter(None, (each.strip() for each in lines)):
        close = not text or (is_cjk(text[-1]) and is_cjk(line[0]))
        text += line if close else f" {line}"
    return text


def _edges(places: Sequence[float]) -> list[float]:
    """Return the distinct places in order, near ones taken together."""
    edges: list[float] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > _NEAR:
            edges.append(place)
    return edges
