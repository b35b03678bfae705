"""CSV and its kin: any usual delimiter and encoding, as one table."""

import csv
import io
from collections import Counter

from app.ingest.converters.converted import Converted, FileRejected
from app.ingest.converters.paragraphs import Paragraph, join
from app.ingest.converters.records import describe
from app.ingest.converters.tables import is_number, notes_unit, simple_table
from app.ingest.decoding import check_text, decode, lines_fed

_DELIMITERS = ",;\t|，、"
_BLANK = " \n\f\v\u00a0\u3000\ufeff\"'"
_SAMPLE = 200
"""Rows looked at to find the delimiter."""
_FIELD = 10 * 1024 * 1024


def read(data: bytes) -> Converted:
    """Return the rows as a Markdown table, or as a section each where they hold long texts."""
    text = lines_fed(decode(data))
    check_text(text)
    csv.field_size_limit(_FIELD)
    text = text.replace("\x00", "")
    said, text = _said(text)
    rows = _rows(text, said or _delimiter(text))
    if not rows or not text.strip(said + _DELIMITERS + _BLANK):
        raise FileRejected("empty_file", "the table holds no value", "upload a file with content")
    return Converted(join(_blocks(rows))[0], markdown=True)


def _blocks(rows: list[list[str]]) -> list[Paragraph]:
    width = max(map(len, rows), default=0)
    captions = 0
    while captions < len(rows) - 1 and width > 1 and (
        sum(bool(v.strip()) for v in rows[captions]) == 1
        or notes_unit(rows[captions], rows[captions + 1])
    ):  # fmt: skip
        captions += 1
    head, body = rows[captions], rows[captions + 1 :]
    if not _is_head(head, body):
        head, body = [f"{n}" for n in range(1, width + 1)], rows[captions:]
    shown = [Paragraph(" ".join(filter(None, row))) for row in rows[:captions]]
    names = [name.strip() or f"{n}" for n, name in enumerate(head, 1)]
    if len(set(names)) == len(names) and len(names) >= width and body:
        records = [{k: v for k, v in zip(names, row, strict=False) if v.strip()} for row in body]
        sections = describe(records, fewest=1)
        if any(part.level for part in sections):
            return [*shown, *sections]
    return [*shown, *(Paragraph(block, ready=True) for block in simple_table([head, *body]))]


def _is_head(head: list[str], body: list[list[str]]) -> bool:
    """Tell whether the first row names the columns: it holds no number where the others do."""
    if not body:
        return True
    return not any(
        is_number(value) and sum(len(row) > i and is_number(row[i]) for row in body) * 2 > len(body)
        for i, value in enumerate(head)
        if value.strip()
        and not (len(value.strip()) == 4 and value.strip().startswith(("19", "20")))
    )


def _said(text: str) -> tuple[str, str]:
    """Return the delimiter that Excel's first line "sep=;" names, and the text without it."""
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep=") and len(first.strip()) == 5:
        return first[4], rest
    return "", text


def _delimiter(text: str) -> str:
    """Return the delimiter that divides most rows into the same number of fields, above one."""
    sample = "\n".join(text.split("\n")[:_SAMPLE])
    best, most = ",", 0.0
    for delimiter in _DELIMITERS:
        widths = Counter(len(row) for row in _rows(sample, delimiter))
        if not widths:
            continue
        width, count = max(widths.items(), key=lambda pair: (pair[0] > 1) * pair[1])
        score = count / widths.total() + min(width, 9) / 100 if width > 1 else 0.0
        if score > most:
            best, most = delimiter, score
    return best


def _rows(text: str, delimiter: str) -> list[list[str]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    return [row for row in reader if any(value.strip() for value in row)]
