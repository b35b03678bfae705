"""PDF files made with reportlab, with its built-in Chinese font."""

import io
from collections.abc import Callable, Sequence
from typing import Any

from PIL import Image as Picture
from reportlab.lib import colors, pdfencrypt
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    PageBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Table,
)

FONT = "STSong-Light"
pdfmetrics.registerFont(UnicodeCIDFont(FONT))
_BODY = ParagraphStyle("body", fontName=FONT, fontSize=10.5, leading=16, wordWrap="CJK", firstLineIndent=21)  # fmt: skip
_ENGLISH = ParagraphStyle("english", fontName="Times-Roman", fontSize=10.5, leading=13)
_HEADINGS = {
    1: ParagraphStyle("h1", fontName=FONT, fontSize=20, leading=30, alignment=1),
    2: ParagraphStyle("h2", fontName=FONT, fontSize=15, leading=22, spaceBefore=10, spaceAfter=6),
    3: ParagraphStyle("h3", fontName=FONT, fontSize=12.5, leading=20, spaceBefore=8, spaceAfter=4),
}
BREAK = PageBreak()


def heading(level: int, text: str) -> Paragraph:
    return Paragraph(text, _HEADINGS[level])


def chinese(text: str) -> Paragraph:
    return Paragraph(text, _BODY)


def english(text: str) -> Paragraph:
    return Paragraph(text, _ENGLISH)


def ruled(rows: Sequence[Sequence[str]], widths: Sequence[float]) -> Table:
    table = Table(rows, repeatRows=1, colWidths=widths)
    table.setStyle(
        [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("FONT", (0, 0), (-1, -1), FONT, 10)]
    )
    return table


def pdf(
    story: list[Any], running: str = "", title: str = "", password: str = "", author: str = "x"
) -> bytes:
    """Return a PDF; `running` is its page header, page numbers stand at the foot."""

    def decorate(canvas: Canvas, _: Any) -> None:
        canvas.setFont(FONT, 9)
        if running:
            canvas.drawString(72, A4[1] - 40, running)
            canvas.drawCentredString(A4[0] / 2, 30, f"第 {canvas.getPageNumber()} 页")

    target = io.BytesIO()
    lock = pdfencrypt.StandardEncryption(password) if password else None
    SimpleDocTemplate(target, pagesize=A4, title=title, author=author, encrypt=lock).build(
        story, onFirstPage=decorate, onLaterPages=decorate
    )
    return target.getvalue()


def two_columns(story: list[Any]) -> bytes:
    target = io.BytesIO()
    document = BaseDocTemplate(target, pagesize=A4)
    frames = [Frame(60 + 245 * at, 60, 230, 700) for at in range(2)]
    document.addPageTemplates([PageTemplate("columns", frames)])
    document.build(story)
    return target.getvalue()


def drawn(draw: Callable[[Canvas], None]) -> bytes:
    target = io.BytesIO()
    canvas = Canvas(target, pagesize=A4)
    draw(canvas)
    canvas.save()
    return target.getvalue()


def scan(pages: int) -> bytes:
    """Return a PDF whose pages are pictures, as a scanner makes them."""

    def draw(canvas: Canvas) -> None:
        for _ in range(pages):
            canvas.drawInlineImage(Picture.new("L", (60, 80), 200), 0, 0, *A4)
            canvas.showPage()

    return drawn(draw)
