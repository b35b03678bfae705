"""Grids of cells to Markdown tables that every reader of the canonical text understands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from app.ingest.captions import is_unit
from app.ingest.converters.paragraphs import one_line

ESCAPED = "\\|"
_NUMBER = re.compile(r"^[-+(]?[¥$€£]?\d[\d,.\s]*%?\)?$")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table with merged cells: how many columns and rows it covers."""

    text: str
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Grid:
    """A table as a rectangle. `origin[row][column]` tells cells of one merged area apart."""

    text: list[list[str]]
    origin: list[list[int]]


def spread(rows: Sequence[Sequence[Cell]]) -> Grid:
    """Lay out cells that cover several columns or rows, as HTML and Word do."""
    text: list[list[str]] = [[] for _ in rows]
    origin: list[list[int]] = [[] for _ in rows]
    taken: dict[tuple[int, int], tuple[str, int]] = {}
    number = 0
    for at, row in enumerate(rows):
        column = 0
        for cell in row:
            while (at, column) in taken:
                column += 1
            number += 1
            for down in range(min(max(cell.rows, 1), len(rows) - at)):
                for right in range(max(cell.columns, 1)):
                    taken[at + down, column + right] = (cell.text, number)
            column += max(cell.columns, 1)
    for (at, column), (value, mark) in sorted(taken.items()):
        for lines, filler in ((text, ""), (origin, 0)):
            while len(lines[at]) < column:
                lines[at].append(filler)  # type: ignore[arg-type]
        text[at].append(value)
        origin[at].append(mark)
    return Grid(text, origin)


def table(grid: Grid) -> list[str]:
    """Return a table as blocks of Markdown: captions that span it, then the table itself.

    Two head rows whose upper cells span columns become one. A cell that spans rows stands in each
    of them, one that spans columns stands once.
    """
    text, origin = _trimmed(grid)
    captions: list[str] = []
    while len(text) > 1 and len(text[0]) > 1:
        if not _spans_all(text[0], origin[0]) and not notes_unit(text[0], text[1]):
            break
        captions.append(" ".join(dict.fromkeys(filter(None, map(one_line, text.pop(0))))))
        origin.pop(0)
    if not text:
        return captions
    if max(map(len, text)) == 1:
        return [*captions, *(one_line(row[0]) for row in text if one_line(row[0]))]
    depth = _head_depth(text, origin)
    head = [" ".join(dict.fromkeys(filter(None, (one_line(row[i]) for row in text[:depth]))))
            for i in range(len(text[0]))]  # fmt: skip
    body = [_once(row, marks) if any(marks) else row
            for row, marks in zip(text[depth:], origin[depth:], strict=True)]  # fmt: skip
    return [*captions, pipe_table(head, body)]


def simple_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table without merged cells as blocks of Markdown."""
    width = max(map(len, rows), default=0)
    return table(
        Grid([[*row, *[""] * (width - len(row))] for row in rows], [[0] * width for _ in rows])
    )


def pipe_table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table; every cell is brought to one line."""
    lines = [_line(head), "|" + " --- |" * len(head)]
    lines.extend(_line(row) for row in body)
    return "\n".join(lines)


def notes_unit(row: Sequence[str], below: Sequence[str]) -> bool:
    """Tell whether a row over the names of the columns says the unit, perhaps beside a title."""
    filled = list(dict.fromkeys(value.strip() for value in row if value.strip()))
    return (
        any(map(is_unit, filled))
        and not any(map(is_number, filled))
        and len(filled) < len({value.strip() for value in below if value.strip()})
    )


def is_number(value: str) -> bool:
    """Tell whether a cell holds a number as people write one."""
    return bool(_NUMBER.match(value.strip()))


def _line(cells: Sequence[str]) -> str:
    shown = (one_line(cell) for cell in cells)
    return f"| {' | '.join(cell.replace('|', ESCAPED) for cell in shown)} |"


def _trimmed(grid: Grid) -> tuple[list[list[str]], list[list[int]]]:
    """Return the rows without empty rows and columns, all of one width."""
    width = max(map(len, grid.text), default=0)
    text = [row + [""] * (width - len(row)) for row in grid.text]
    origin = [row + [0] * (width - len(row)) for row in grid.origin]
    keep = [i for i in range(width) if any(row[i].strip() for row in text)]
    rows = [at for at, row in enumerate(text) if any(value.strip() for value in row)]
    return (
        [[text[at][i] for i in keep] for at in rows],
        [[origin[at][i] for i in keep] for at in rows],
    )


def _spans_all(row: Sequence[str], marks: Sequence[int]) -> bool:
    return marks[0] != 0 and len(set(marks)) == 1 and bool(row[0].strip())


def _head_depth(text: Sequence[Sequence[str]], origin: Sequence[Sequence[int]]) -> int:
    """Return 2 where cells of the first row span columns and the second row names those."""
    first = origin[0]
    spanning = {mark for mark in first if mark and first.count(mark) > 1}
    if not spanning or len(text) < 3:
        return 1
    below = [text[1][i] for i, mark in enumerate(first) if mark in spanning]
    names = all(value.strip() and not is_number(value) for value in below)
    rest = all(
        origin[1][i] == mark or not text[1][i].strip()
        for i, mark in enumerate(first)
        if mark not in spanning
    )
    return 2 if names and rest else 1


def _once(row: Sequence[str], marks: Sequence[int]) -> list[str]:
    return [
        "" if i and marks[i] and marks[i] == marks[i - 1] else value for i, value in enumerate(row)
    ]
