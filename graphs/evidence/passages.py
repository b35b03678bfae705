"""Passages: the unit that is found, judged and cited."""

from bisect import bisect_right
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Passage:
    """One chunk of a document, as the chunk store keeps it.

    `id` = sha256(document id, section path, lead if there is one, normalised text), first 32 hex
    digits. Two chunks of
    one document with the same section and text share it; the store then keeps the first.
    `start` and `end` count Unicode code points in the canonical text of `version`, and
    `canonical[start:end] == text` always holds.
    """

    id: str
    document_id: str
    title: str
    section: tuple[str, ...]
    text: str
    start: int
    end: int
    version: str
    ordinal: int
    content_hash: str
    date: str | None = None
    page: int | None = None
    """The page or slide on which it begins, counted from 1."""
    language: str = "zh"
    kind: str = "text"
    """"text", "table" or "list"."""
    codes: tuple[str, ...] = ()
    """Codes of the document and the section headings, normalised (QX-2025-094, POL-2024-07)."""
    superseded_by: str | None = None
    """Id of the newer version of this document in the same knowledge base, if there is one."""
    lead: str = ""
    """What the text stands under and does not hold itself: caption and header of the table whose
    later rows it begins with. It is searched, judged and shown with the text, but never quoted."""
    turns: tuple[int, ...] = ()
    """Places in `text` where the next pages begin."""
    orders: tuple[tuple[int, int], ...] = ()
    """Places in `text` of sentences that give orders to the answering system (`instructions`)."""
    url: str = ""
    """Where a page of the web was found; empty for a passage of a document."""
    near_duplicates: bool = False
    """Whether another document of the knowledge base, not a version of this one, says nearly the same."""

    def page_at(self, place: int) -> int | None:
        """Return the page of a place in `text`, or None where the format has no pages."""
        return None if self.page is None else self.page + bisect_right(self.turns, place)

    @property
    def heading_row(self) -> str:
        """What `lead` says over the rows, on one line; empty without a lead."""
        return over_rows(self.lead)


def over_rows(lead: str) -> str:
    """Return the caption of a table, if it has one, and the names of its columns, on one line.

    A lead holds the lines of the caption, then a row with the names, then the delimiters.
    """
    return " ".join(lead.split("\n")[:-1]).strip()


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage id with the score of one index."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage with what retrieval knows of it.

    `score` is calibrated, in [0, 1]; `dense` is a cosine in [-1, 1]; `keyword` is BM25 divided by
    the query's own maximum, in [0, 1].
    """

    passage: Passage
    score: float
    dense: float = 0.0
    keyword: float = 0.0
    round: int = 0
    variants: tuple[str, ...] = field(default=())
    """Ids of near-duplicates that were collapsed into this passage for ranking only."""
    order: float = field(default=0.0, compare=False)
    """What the ranker gave it, comparable within one search only; 0 without a ranker."""
    meaning: NDArray[np.float32] | None = field(default=None, compare=False, repr=False)
    """Shape (d,), unit length: the mean of its sentences; None where there are no vectors."""
    confirmed: bool = field(default=False, compare=False)
    """Whether somebody confirmed its document for this very question: no threshold drops it."""
