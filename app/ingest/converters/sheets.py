"""Excel workbooks: a heading per sheet, its tables as people see them."""

import io
from collections.abc import Iterator, Sequence
from itertools import product

from openpyxl import load_workbook
from openpyxl.cell import Cell as SheetCell
from openpyxl.cell import MergedCell
from openpyxl.workbook import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from app.ingest.converters.converted import Converted
from app.ingest.converters.metadata import first_date, meaningful_title
from app.ingest.converters.number_formats import shown
from app.ingest.converters.paragraphs import Paragraph, join, one_line
from app.ingest.converters.tables import Grid, is_number, table

_FORMULA_ERRORS = frozenset({"#REF!", "#N/A", "#VALUE!", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!"})
_MERGED = 10_000
"""Places of a merged area up to which its text is taken for all of them."""


def read(data: bytes) -> Converted:
    """Return the visible sheets, formulas by the values that were stored with them.

    What a person does not see when opening the file is left out: hidden sheets, hidden columns,
    and hidden rows unless a filter hides them, which is only a view.
    """
    workbook = load_workbook(io.BytesIO(data), data_only=True, keep_links=False)
    try:
        paragraphs = list(_workbook(workbook))
    finally:
        workbook.close()
    about = workbook.properties
    return Converted(
        join(paragraphs)[0],
        markdown=True,
        title=meaningful_title(about.title),
        date=first_date(about.modified, about.created),
    )


def _workbook(workbook: Workbook) -> Iterator[Paragraph]:
    for sheet in workbook.worksheets:
        if sheet.sheet_state != "visible":
            continue
        parts = list(_sheet(sheet))
        if parts:
            yield Paragraph(sheet.title, level=2)
            yield from parts


def _sheet(sheet: Worksheet) -> Iterator[Paragraph]:
    for grid in _tables(sheet, *_grid(sheet)):
        first, last = _caption_rows(grid)
        yield from (Paragraph(_only(row)) for row in grid.text[:first])
        inner = Grid(grid.text[first:last], grid.origin[first:last])
        yield from (Paragraph(block, ready="|" in block) for block in table(inner))
        yield from (Paragraph(_only(row)) for row in grid.text[last:])


def _grid(sheet: Worksheet) -> tuple[list[int], Grid]:
    """Return the sheet's rows that hold something, by number, and their cells."""
    # `iter_rows` would make a cell for every place of the used range, up to 17 billion
    cells: dict[tuple[int, int], SheetCell | MergedCell] = sheet._cells
    seen = {place: text for place, cell in cells.items() if (text := _shown(cell))}
    areas: dict[tuple[int, int], int] = {}
    for number, area in enumerate(sheet.merged_cells.ranges, 1):
        held = seen.get((area.min_row, area.min_col))
        if held is None or area.size["rows"] * area.size["columns"] > _MERGED:
            continue
        rows_in = range(area.min_row, area.max_row + 1)
        for place in product(rows_in, range(area.min_col, area.max_col + 1)):
            seen[place], areas[place] = held, number
    hidden = _hidden_columns(sheet)
    rows = sorted({row for row, _ in seen} - _hidden_rows(sheet))
    columns = sorted({column for _, column in seen} - hidden)
    return rows, Grid(
        [[seen.get((row, column), "") for column in columns] for row in rows],
        [[areas.get((row, column), 0) for column in columns] for row in rows],
    )


def _shown(cell: SheetCell | MergedCell) -> str:
    if isinstance(cell, MergedCell) or cell.value is None:
        return ""
    text = one_line(shown(cell.value, cell.number_format or ""))
    return "" if text in _FORMULA_ERRORS else text


def _hidden_columns(sheet: Worksheet) -> set[int]:
    return {
        column
        for width in sheet.column_dimensions.values()
        if width.hidden and width.min and width.max
        for column in range(width.min, min(width.max, sheet.max_column) + 1)
    }


def _hidden_rows(sheet: Worksheet) -> set[int]:
    if sheet.auto_filter.filterColumn:
        return set()
    return {row for row, height in sheet.row_dimensions.items() if height.hidden}


def _tables(sheet: Worksheet, rows: Sequence[int], grid: Grid) -> Iterator[Grid]:
    """Divide a sheet at empty rows, where a new table begins below; others are only gaps."""
    begin = 0
    for at in range(1, len(rows) + 1):
        if at < len(rows) and (rows[at] == rows[at - 1] + 1 or not _opens(sheet, rows, grid, at)):
            continue
        yield Grid(grid.text[begin:at], grid.origin[begin:at])
        begin = at


def _opens(sheet: Worksheet, rows: Sequence[int], grid: Grid, at: int) -> bool:
    """Tell whether a row below an empty one begins a table: all words, and unlike what is above.

    Unlike: it fills other columns, is a caption by itself, or stands out from the next row.
    """
    filled = [i for i, value in enumerate(grid.text[at]) if value]
    if any(is_number(grid.text[at][i]) for i in filled):
        return False
    above = [i for i, value in enumerate(grid.text[at - 1]) if value]
    return len(filled) == 1 or filled != above or _stands_out(sheet, rows, at)


def _stands_out(sheet: Worksheet, rows: Sequence[int], at: int) -> bool:
    if at + 1 >= len(rows):
        return False
    looks = []
    for row in (rows[at], rows[at + 1]):
        found = (sheet._cells.get((row, c)) for c in range(sheet.min_column, sheet.max_column + 1))
        held = [cell for cell in found if cell is not None and cell.value is not None]
        looks.append(any(cell.font.b or cell.fill.fill_type == "solid" for cell in held))
    return looks == [True, False]


def _caption_rows(grid: Grid) -> tuple[int, int]:
    """Return where the table begins and ends between lines that fill one cell only."""
    first, last = 0, len(grid.text)
    if max((sum(bool(v) for v in row) for row in grid.text), default=0) < 2:
        return last, last
    while first < last - 1 and _single(grid, first):
        first += 1
    while last - 1 > first and _single(grid, last - 1) and len(_only(grid.text[last - 1])) > 8:
        last -= 1
    return first, last


def _single(grid: Grid, at: int) -> bool:
    """Tell whether a row holds one text: in one cell, or in one merged over all that is filled."""
    marks = [(grid.origin[at][i] or -i - 1) for i, v in enumerate(grid.text[at]) if v]
    return len(set(marks)) == 1


def _only(row: Sequence[str]) -> str:
    return next((value for value in row if value), "")
