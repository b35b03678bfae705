"""Tables with ruled lines on PDF pages."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2.raw as raw
from pdfplumber.page import Page
from pdfplumber.utils.exceptions import PdfminerException

from app.ingest.converters.pdf_chars import Box, Char, PdfFile
from app.ingest.converters.pdf_lines import text_in
from app.ingest.converters.tables import Grid

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


def tables_of(file: PdfFile, number: int, chars: Sequence[Char]) -> list[RuledTable]:
    """Return the tables of a page with at least two rows and two columns, from the top."""
    page = file.document[number]
    paths = page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=4)
    ruled = sum(1 for _ in zip(range(_RULES), paths, strict=False)) == _RULES
    if not ruled or page.get_rotation():
        return []
    try:
        return list(_tables(file.plumbed(number), chars))
    except PdfminerException:
        return []  # the text of the page is there all the same, line by line


def _tables(page: Page, chars: Sequence[Char]) -> Iterator[RuledTable]:
    for table in sorted(page.find_tables(), key=lambda each: each.bbox[1]):
        cells = [_box(cell, page) for cell in table.cells]
        columns = _edges([cell[0] for cell in cells])
        rows = _edges([-cell[3] for cell in cells])
        if len(columns) < 2 or len(rows) < 2:
            continue
        box = _box(table.bbox, page)
        near = [char for char in chars if box[1] <= char.box[3] and char.box[1] <= box[3]]
        texts = [text_in(near, cell) for cell in cells]
        if any(texts):
            yield RuledTable(_grid(cells, texts, columns, rows), box, tuple(columns))


def _box(found: tuple[float, float, float, float], page: Page) -> Box:
    """Return a box of pdfplumber, which counts from the top, with the origin at the bottom."""
    left, top, right, bottom = (float(value) for value in found)
    height = float(page.height)
    return left, height - bottom, right, height - top


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


def _edges(places: Sequence[float]) -> list[float]:
    """Return the distinct places in order, near ones taken together."""
    edges: list[float] = []
    for place in sorted(places):
        if not edges or place - edges[-1] > _NEAR:
            edges.append(place)
    return edges
