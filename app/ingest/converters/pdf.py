"""PDF files: paragraphs, headings and ruled tables, with the page on which everything stands."""

from collections import Counter
from collections.abc import Iterator, Sequence

import pypdfium2 as pdfium
import pypdfium2.raw as raw

from app.ingest.converters.converted import Converted, FileRejected
from app.ingest.converters.metadata import first_date, meaningful_title
from app.ingest.converters.paragraphs import Paragraph, join, with_headings
from app.ingest.converters.pdf_chars import PdfFile
from app.ingest.converters.pdf_lines import Line, lines_of
from app.ingest.converters.pdf_margins import without_margins
from app.ingest.converters.pdf_paragraphs import Block, Piece, blocks_of, hyphenated_words, joined
from app.ingest.converters.pdf_tables import RuledTable, tables_of
from app.ingest.converters.tables import table
from app.ingest.marks import ITEM, plain_level
from graphs.evidence.text import fold

_FEW = 10
"""Characters of a page below which it counts as one without text."""
_LOOKED_AT = 20
"""Pages without text that are looked at for pictures."""
_HEADING = 80
_LARGER = 1.12
_NO_HEADING = "。；;，,、"
"""What no heading ends with, whatever its font."""
Bookmarks = dict[tuple[int, str], int]
"""Page and folded title to the level of a bookmark, counted from 0."""


def read(data: bytes) -> Converted:
    """Return the text in reading order; raise FileRejected for scans and protected files."""
    file = _open(data)
    try:
        lines: list[list[Line]] = []
        tables: list[list[RuledTable]] = []
        for number in range(len(file)):
            page = file.text(number)
            lines.append(lines_of(page, number))
            tables.append(tables_of(file, number, page.chars))
            file.forget(number)
        _check_text(file.document, lines)
        about = file.document.get_metadata_dict()
        marks = _bookmarks(file.document)
    finally:
        file.close()
    title = meaningful_title(about.get("Title"))
    kept = without_margins(lines, title)
    found = blocks_of([_with_tables(*page) for page in zip(kept, tables, strict=True)])
    paragraphs = _paragraphs(found, hyphenated_words(kept), _Fonts(kept, marks))
    text, starts = join(with_headings(list(paragraphs)))
    starts += (len(text),) * (len(lines) - len(starts))
    date = first_date(about.get("ModDate"), about.get("CreationDate"))
    return Converted(text, True, starts, title, date)


def _open(data: bytes) -> PdfFile:
    try:
        return PdfFile(data)
    except pdfium.PdfiumError as error:
        if raw.FPDF_GetLastError() == raw.FPDF_ERR_PASSWORD or "assword" in str(error):
            raise FileRejected(
                "encrypted", "the PDF is protected by a password",
                "save a copy without the password and upload that",
            ) from error  # fmt: skip
        raise FileRejected(
            "corrupt", "the PDF is damaged or was not copied completely",
            "copy it again, or open it in a PDF reader and save or print it as a new PDF",
        ) from error  # fmt: skip


def _check_text(document: pdfium.PdfDocument, pages: Sequence[Sequence[Line]]) -> None:
    """Refuse a PDF whose pages are pictures, or whose characters can't be told."""
    texts = ["".join(line.text for line in page) for page in pages]
    poor = [number for number, text in enumerate(texts) if len(text) < _FEW]
    if len(poor) * 10 > 9 * len(texts):
        if any(_has_picture(document[number]) for number in poor[:_LOOKED_AT]):
            raise FileRejected(
                "no_text_layer",
                f"{len(poor)} of {len(texts)} pages are pictures without text: a scan",
                "run text recognition (OCR) over it, or upload the document that was scanned",
            )
        if not any(texts):
            raise FileRejected("empty_file", "the PDF holds no text", "upload a file with content")
    whole = "".join(texts)
    unknown = sum(char == "\ufffd" or "\ue000" <= char <= "\uf8ff" or char < " " for char in whole)
    if unknown * 3 > len(whole):
        raise FileRejected(
            "no_text_layer", "the PDF's fonts do not tell which characters they show",
            "run text recognition (OCR) over it, or upload the document that it was made from",
        )  # fmt: skip


def _has_picture(page: pdfium.PdfPage) -> bool:
    return any(True for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4))


def _with_tables(page: Sequence[Line], tables: Sequence[RuledTable]) -> list[Piece]:
    """Return the lines of a page with each table in place of the lines inside it."""
    pieces: list[Piece] = []
    waiting = list(tables)
    for line in page:
        inside = next((each for each in tables if _is_inside(line, each)), None)
        above = [t for t in waiting if t is inside or (inside is None and t.box[1] > line.box[3])]
        for each in above:
            pieces.append(each)
            waiting.remove(each)
        if inside is None:
            pieces.append(line)
    return [*pieces, *waiting]


def _is_inside(line: Line, found: RuledTable) -> bool:
    left, bottom, right, top = found.box
    x, y = (line.box[0] + line.box[2]) / 2, (line.box[1] + line.box[3]) / 2
    return left <= x <= right and bottom <= y <= top


def _paragraphs(
    found: Sequence[Block], hyphenated: frozenset[str], fonts: "_Fonts"
) -> Iterator[Paragraph]:
    for block in found:
        if block.table is not None:
            yield from _table(block)
            continue
        text, turns = joined(block.lines, hyphenated)
        level = fonts.level(text, block.lines)
        item = not level and ITEM.match(text) is not None
        strong = not level and fonts.is_strong(text, block.lines)
        yield Paragraph(text, level, item, strong, block.page, turns)


def _table(block: Block) -> Iterator[Paragraph]:
    """Yield a table; its rows tell on which page the text goes on."""
    assert block.table is not None
    filled = [page for page, row in zip(block.table_pages, block.table.grid.text, strict=True)
              if any(value.strip() for value in row)]  # fmt: skip
    *captions, text = table(block.table.grid)
    yield from (Paragraph(caption, page=block.page) for caption in captions)
    lines = text.split("\n")
    turns: list[int] = []
    for page in range(block.page + 1, block.table_pages[-1] + 1):
        above = len(lines) - sum(each >= page for each in filled)
        turns.append(sum(len(line) + 1 for line in lines[:above]))
    yield Paragraph(text, ready=True, page=block.page, turns=tuple(turns))


class _Fonts:
    """Tells headings by bookmarks and by fonts that are larger than most of the text."""

    def __init__(self, pages: Sequence[Sequence[Line]], marks: Bookmarks) -> None:
        sizes: Counter[float] = Counter()
        bold: Counter[bool] = Counter()
        for line in (line for page in pages for line in page):
            sizes[line.size] += len(line.text)
            bold[line.bold] += len(line.text)
        self._body = sizes.most_common(1)[0][0] if sizes else 0.0
        self._stands_out = bold[False] > 2 * bold[True]
        self._marks = marks
        large = {line.size for page in pages for line in page
                 if line.size > self._body * _LARGER and len(line.text) <= _HEADING}  # fmt: skip
        self._ranks = {size: rank for rank, size in enumerate(sorted(large, reverse=True))}

    def level(self, text: str, lines: Sequence[Line]) -> int:
        """Return the level of a heading, 0 for anything else."""
        if len(text) > _HEADING or len(lines) > 3 or text[-1] in _NO_HEADING:
            return 0
        marked = self._marks.get((lines[0].page, fold(text)))
        if marked is not None:
            return min(marked + 2, 6)
        rank = self._ranks.get(lines[0].size)
        if rank is None:
            return 0
        return plain_level(text) or min(rank + 1, 6)

    def is_strong(self, text: str, lines: Sequence[Line]) -> bool:
        """Tell a short bold line in a document whose text is not bold."""
        single = len(lines) == 1 and len(text) <= _HEADING // 2
        return self._stands_out and single and lines[0].bold


def _bookmarks(document: pdfium.PdfDocument) -> Bookmarks:
    found: Bookmarks = {}
    for mark in document.get_toc(max_depth=6):
        target = mark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            found.setdefault((page, fold(mark.get_title())), mark.level)
    return found
