"""HTML pages: their content without navigation, scripts and what is hidden."""

import codecs
import re

from bs4 import BeautifulSoup, Tag
from markdownify import ATX, MarkdownConverter

from app.ingest.converters.converted import Converted
from app.ingest.converters.metadata import first_date, meaningful_title
from app.ingest.converters.tables import Cell, spread, table
from app.ingest.decoding import check_text, decode, lines_fed

_DROPPED = (
    "script, style, noscript, template, svg, canvas, iframe, object, embed, audio, video, nav, "
    "button, select, input, textarea, dialog, [hidden], [aria-hidden=true], [role=navigation], "
    "[role=search], [role=menu], [role=menubar], [role=contentinfo], [role=banner]:not(:has(h1)), "
    "body > footer, body > div > footer, body > header:not(:has(h1)), body > div > header:not(:has(h1))"
)
_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity|max-height)\s*:\s*0(?:\.0*)?(?![.\d])"
    r"|(?:left|right|top|text-indent)\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_COLOUR = re.compile(r"(?<![-\w])(background(?:-color)?|color)\s*:\s*([^;]+)", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]{2,20})""", re.IGNORECASE)
_HEAD = 4096
_NO_CHARSET = frozenset(
    {"undefined", "unicode-escape", "raw-unicode-escape", "idna", "punycode", "utf-7"}
)
"""Python's codecs that no page is written in: they read other bytes into other characters."""
_WIDE = ("utf-16", "utf-32")
"""A page whose head can be read byte by byte is in none of these, whatever it says."""
_STRIPPED = ["a", "img", "b", "strong", "i", "em", "u", "span", "sub", "sup", "font"]
_DATES = (
    "article:modified_time", "article:published_time", "last-modified", "dc.date", "dcterms.modified",
    "dcterms.issued", "pubdate", "publishdate", "date",
)  # fmt: skip
_BLANK_LINES = re.compile(r"\n{3,}")


def read(data: bytes) -> Converted:
    """Return the page's content as Markdown, with its title and date from its head."""
    markup = lines_fed(_decoded(data))
    check_text(markup)
    soup = BeautifulSoup(markup, "lxml")
    meta = _meta(soup)
    title = meaningful_title(meta.get("og:title") or (soup.title.get_text() if soup.title else ""))
    date = first_date(*(meta.get(name) for name in _DATES))
    return Converted(_content(soup), markdown=True, title=title, date=date)


def _content(soup: BeautifulSoup) -> str:
    for element in soup.select(_DROPPED):
        element.extract()
    for element in soup.find_all(style=_unseen):
        element.extract()
    for head in soup.find_all("head"):
        head.extract()
    _unwrap_layout(soup)
    text = _Converter(
        heading_style=ATX, bullets="-", strip=_STRIPPED,
        escape_asterisks=False, escape_underscores=False, escape_misc=False,
    ).convert_soup(_main(soup))  # fmt: skip
    lines = "\n".join(line.rstrip().replace("\u00a0", " ") for line in text.split("\n"))
    return _BLANK_LINES.sub("\n\n", lines).strip("\n") + "\n"


def _unseen(style: str | None) -> bool:
    """Tell whether an inline style hides its element, or writes in the colour of its background."""
    if not style:
        return False
    colours = {
        name.lower().removesuffix("-color"): value.strip().lower()
        for name, value in _COLOUR.findall(style)
    }
    same = "color" in colours and colours["color"] == colours.get("background")
    return same or bool(_HIDDEN.search(style))


def _main(soup: BeautifulSoup) -> Tag:
    """Return the element that the page marks as its content, where that holds most of its text."""
    whole = len(soup.get_text(strip=True))
    for found in (soup.select("main, [role=main]"), soup.find_all("article")):
        if len(found) == 1 and len(found[0].get_text(strip=True)) * 2 >= whole:
            if found[0].find("h1") is None and (title := soup.find("h1")) is not None:
                found[0].insert(0, title)  # the title often stands before the marked content
            return found[0]
    return soup


def _unwrap_layout(soup: BeautifulSoup) -> None:
    """Turn tables that only place things on the page into plain blocks."""
    for each in soup.find_all("table"):
        columns = max((len(row.find_all(["td", "th"], recursive=False)) for row in each.find_all("tr")),
                      default=0)  # fmt: skip
        layout = each.get("role") in ("presentation", "none") or columns < 2
        if layout or each.find(["table", "h1", "h2", "h3", "h4"]):
            parts = each.find_all(["tbody", "thead", "tfoot", "tr", "td", "th"])
            for part in [each, *(p for p in parts if p.find_parent("table") is each)]:
                part.name = "div"


class _Converter(MarkdownConverter):
    """Markdown with tables whose merged cells are laid out."""

    def convert_table(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return a table as captions and a pipe table."""
        rows = [
            [_cell(cell) for cell in row.find_all(["td", "th"], recursive=False)]
            for row in el.find_all("tr")
        ]
        caption = el.find("caption")
        above = [caption.get_text(" ", strip=True)] if caption else []
        return "\n\n" + "\n\n".join([*above, *table(spread(rows))]) + "\n\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return nothing new: the table lays out its cells, and the base fails on odd spans."""
        return text

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        """Return nothing new, as of a cell."""
        return text


def _cell(cell: Tag) -> Cell:
    return Cell(cell.get_text(" ", strip=True), _span(cell, "colspan"), _span(cell, "rowspan"))


def _span(cell: Tag, name: str) -> int:
    value = str(cell.get(name, "1")).strip()
    return min(int(value), 1000) if value.isdecimal() else 1


def _meta(soup: BeautifulSoup) -> dict[str, str]:
    """Return what the head says, by lower-case name."""
    found: dict[str, str] = {}
    for element in soup.find_all("meta"):
        name = element.get("property") or element.get("name") or element.get("http-equiv")
        if name and element.get("content"):
            found.setdefault(str(name).lower(), str(element["content"]))
    return found


def _decoded(data: bytes) -> str:
    """Return the characters of a page; what it says of its encoding counts if it is not UTF-8."""
    said = _CHARSET.search(data[:_HEAD])
    for encoding in ("utf-8-sig", _known(said.group(1).decode()) if said else ""):
        try:
            return data.decode(encoding)
        except (UnicodeError, LookupError):
            continue
    return decode(data)


def _known(charset: str) -> str:
    """Return the codec of a charset, or nothing where no page can be written in it."""
    try:
        name = codecs.lookup(charset).name.replace("_", "-")
    except LookupError:
        return ""
    if name in _NO_CHARSET or name.startswith(_WIDE):
        return ""
    return {"gb2312": "gb18030", "gbk": "gb18030"}.get(name, name)
