"""One canonical text to passages: everything that is computed of a document before it is stored."""

import hashlib
import re
import time
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from app.adapters.documents_sqlite import DocumentInfo
from app.ingest.atoms import SplitLimits
from app.ingest.dates import SectionDates, document_date
from app.ingest.loading import TEXT_CONVERTER, Converted
from app.ingest.own_codes import own_codes
from app.ingest.phrases import key_phrases
from app.ingest.splitting import Piece, Split, split
from app.ingest.versions import superseded_codes
from graphs.evidence.passages import Passage, over_rows
from graphs.evidence.text import TERMS, codes, language, normalise

_HEAD = 1_500
_TITLE = 80
_FRONT_TITLE = re.compile(r"^title\s*[:：]\s*(.+)$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document ready to be stored."""

    document: DocumentInfo
    passages: list[Passage]
    codes: list[dict[str, bool]]
    """Per passage: code to whether it stands in its own text or headings."""
    phrases: dict[str, tuple[int, bool]]
    """Phrase to (passages that hold it, stands in a heading)."""


def document_id(kb: str, name: str) -> str:
    """Return the id of a file in a knowledge base, 16 hex digits."""
    return _digest(f"{kb}/{name}", 16)


def version_of(text: str) -> str:
    """Return the version of a canonical text, 16 hex digits."""
    return _digest(text, 16)


def fingerprint(limits: SplitLimits, embedder: str, converter: str = TEXT_CONVERTER) -> str:
    """Return what an unchanged document must have been made with."""
    return f"{converter}/{limits.fingerprint}/{TERMS}/{embedder}"


def prepare(
    kb: str, name: str, converted: Converted, limits: SplitLimits, made_with: str
) -> Prepared:
    """Split a canonical text and read titles, dates, codes and phrases from it."""
    text = converted.text
    divided = split(text, converted.markdown, limits)
    title = _title(divided, converted, name)
    head = text[: min(divided.head, _HEAD)]
    date = document_date(head, text[: 2 * _HEAD], name) or converted.date
    own = own_codes(title, head)
    document = DocumentInfo(
        id=document_id(kb, name),
        kb=kb,
        name=name,
        version=version_of(text),
        title=title,
        date=date,
        language=language(text[:20_000]),
        codes=own,
        supersedes=tuple(code for code in superseded_codes(text) if code not in own),
        superseded_by=None,
        chunks=0,
        updated=time.time(),
        fingerprint=made_with,
    )
    passages: dict[str, Passage] = {}
    maker = _PassageMaker(document, converted)
    for piece in divided.pieces:
        passage = maker.make(piece, len(passages))
        passages.setdefault(passage.id, passage)
    kept = list(passages.values())
    return Prepared(document, kept, [_codes(passage) for passage in kept], _phrases(kept))


def embedded_text(title: str, section: Sequence[str], text: str, lead: str = "") -> str:
    """Return what is embedded of a passage: its headings, its table's caption and header, its text."""
    over = over_rows(lead)
    return " ".join((*(section or (title,)), *((over,) if over else ()), text))


class _PassageMaker:
    """Makes the passages of one document; what many of them share is worked out once."""

    def __init__(self, document: DocumentInfo, converted: Converted) -> None:
        self._document = document
        self._converted = converted
        self._dates = SectionDates(converted.text)
        self._leads: dict[str, str] = {}
        """Table header to its normal form."""

    def make(self, piece: Piece, ordinal: int) -> Passage:
        """Return the passage of a piece."""
        document, pages = self._document, self._converted.pages
        body = self._converted.text[piece.start : piece.end]
        under = (self._under(piece.lead),) if piece.lead else ()
        heading_codes = (code for heading in piece.section for code in codes(heading))
        return Passage(
            id=_digest("\x1f".join((document.id, *piece.section, *under, normalise(body))), 32),
            document_id=document.id,
            title=document.title,
            section=piece.section,
            text=body,
            start=piece.start,
            end=piece.end,
            version=document.version,
            ordinal=ordinal,
            content_hash=_digest(body, 64),
            date=self._dates.stated(piece.start, piece.end, piece.scopes) or document.date,
            language=language(body),
            kind=piece.kind,
            codes=tuple(dict.fromkeys((*document.codes, *heading_codes))),
            page=bisect_right(pages, piece.start) or None,
            lead=piece.lead,
            turns=tuple(p - piece.start for p in _inside(pages, piece)),
        )

    def _under(self, lead: str) -> str:
        if lead not in self._leads:
            self._leads[lead] = normalise(lead)
        return self._leads[lead]


def _inside(pages: Sequence[int], piece: Piece) -> Sequence[int]:
    """Return where pages begin within a piece."""
    return pages[bisect_right(pages, piece.start) : bisect_left(pages, piece.end)]


def _title(divided: Split, converted: Converted, name: str) -> str:
    text = converted.text
    if divided.title:
        return divided.title
    stated = _FRONT_TITLE.search(text[: divided.head]) if text.startswith("---\n") else None
    if stated:
        return stated.group(1).strip().strip("\"'")
    if converted.title:
        return converted.title
    first = text.lstrip().split("\n", 1)[0].strip()
    if not converted.markdown and first and len(first) <= _TITLE:
        return first
    return PurePosixPath(name).stem


def _codes(passage: Passage) -> dict[str, bool]:
    own = [code for part in (passage.text, *passage.section) for code in codes(part)]
    return dict.fromkeys(passage.codes, False) | dict.fromkeys(own, True)


def _phrases(passages: Sequence[Passage]) -> dict[str, tuple[int, bool]]:
    found: dict[str, tuple[int, bool]] = {}
    for passage in passages:
        for phrase, heading in key_phrases(passage.section, passage.text).items():
            count, top = found.get(phrase, (0, False))
            found[phrase] = (count + 1, top or heading)
    return found


def _digest(text: str, length: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:length]
