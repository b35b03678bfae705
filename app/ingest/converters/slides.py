"""PowerPoint presentations: a section per slide with its bullets, tables, charts and notes."""

import io
from collections.abc import Iterable, Iterator
from typing import Any

from pptx import Presentation
from pptx.chart.chart import Chart
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.slide import Slide
from pptx.table import Table
from pptx.text.text import TextFrame

from app.ingest.converters.converted import Converted
from app.ingest.converters.metadata import first_date, meaningful_title
from app.ingest.converters.paragraphs import Paragraph, join, one_line
from app.ingest.converters.tables import Cell, pipe_table, spread, table
from graphs.evidence.text import is_cjk

_LEFT_OUT = frozenset(
    {PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.HEADER}
)
_BAND = 300_000
"""English metric units (about 8 mm) within which two shapes stand beside each other."""


def read(data: bytes) -> Converted:
    """Return the slides that are shown; `pages` counts all slides, as PowerPoint does."""
    presentation = Presentation(io.BytesIO(data))
    paragraphs: list[Paragraph] = []
    for number, slide in enumerate(presentation.slides):
        if slide._element.get("show") != "0":
            paragraphs += _slide(slide, number)
    text, pages = join(paragraphs)
    about = presentation.core_properties
    date = first_date(about.modified, about.created)
    return Converted(text, True, pages, meaningful_title(about.title), date)


def _slide(slide: Slide, number: int) -> Iterator[Paragraph]:
    title = slide.shapes.title
    own = [
        each for each in _shapes(slide.shapes) if title is None or each.shape_id != title.shape_id
    ]
    blocks = [block for shape in own for block in _shape(shape)]
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    said = notes.text.strip() if notes is not None else ""
    heading = one_line(title.text_frame.text) if title is not None else ""
    if not (heading or blocks or said):
        return
    chinese = is_cjk(heading) or is_cjk(said) or any(is_cjk(text) for text, _ in blocks)
    opens = number == 0 and heading and title is not None and _is_centred(title)
    unnamed = f"第 {number + 1} 页" if chinese else f"Slide {number + 1}"
    yield Paragraph(heading or unnamed, level=1 if opens else 2, page=number)
    for text, ready in blocks:
        yield Paragraph(text, ready=ready, page=number)
    if said:
        yield Paragraph(f"{'备注：' if chinese else 'Notes: '}{said}", page=number)


def _is_centred(title: Any) -> bool:
    return bool(title.placeholder_format.type == PP_PLACEHOLDER.CENTER_TITLE)


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield the shapes in reading order: from the top, beside each other from the left."""
    placed = sorted(shapes, key=lambda s: ((s.top or 0) // _BAND, s.left or 0))
    for shape in placed:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from _shapes(shape.shapes)
        elif not (shape.is_placeholder and shape.placeholder_format.type in _LEFT_OUT):
            yield shape


def _shape(shape: Any) -> Iterator[tuple[str, bool]]:
    """Yield blocks of canonical text with whether they are Markdown already."""
    if shape.has_text_frame:
        yield from _bullets(shape.text_frame, shape.is_placeholder)
    elif getattr(shape, "has_table", False):
        yield from ((block, "|" in block) for block in table(spread(_cells(shape.table))))
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart)


def _bullets(frame: TextFrame, is_body: bool) -> Iterator[tuple[str, bool]]:
    """Yield paragraphs; several in a body, or indented ones, are a list."""
    lines = [(p.level, one_line(p.text.replace("\v", " "))) for p in frame.paragraphs]
    lines = [(level, text) for level, text in lines if text]
    as_list = len(lines) > 1 and (is_body or any(level for level, _ in lines))
    for level, text in lines:
        yield (f"{'  ' * level}- {text}", True) if as_list else (text, False)


def _cells(found: Table) -> list[list[Cell]]:
    return [
        [
            Cell(cell.text, cell.span_width, cell.span_height)
            if cell.is_merge_origin
            else Cell(cell.text)
            for cell in row.cells
            if not cell.is_spanned
        ]
        for row in found.rows
    ]


def _chart(chart: Chart) -> Iterator[tuple[str, bool]]:
    """Yield a chart's title and its numbers, a row per category."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield one_line(chart.chart_title.text_frame.text), False
    try:
        plot = chart.plots[0]
        names = [str(category) for category in plot.categories]
        series = [(one_line(each.name), list(each.values)) for each in plot.series]
    except (PythonPptxError, IndexError, AttributeError, NotImplementedError):
        return  # a kind of chart that the library does not read has no numbers to take
    if names and series:
        rows = [[name, *("" if i >= len(v) or v[i] is None else f"{v[i]:g}" for _, v in series)]
                for i, name in enumerate(names)]  # fmt: skip
        yield pipe_table(["", *(name for name, _ in series)], rows), True
