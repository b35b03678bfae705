"""Small builders for tests of the evidence logic."""

import hashlib
from typing import Any

from graphs.ask.records import Facet, Statement
from graphs.evidence.citations import modality, quote_of
from graphs.evidence.passages import Evidence, Passage


def passage(text: str, id_: str = "", **more: Any) -> Passage:
    """Return a passage that holds `text`; its place in the document is 0 where not given."""
    start = more.pop("start", 0)
    values = {
        "id": id_ or hashlib.sha256(repr((text, more)).encode()).hexdigest()[:32],
        "document_id": "d1", "title": "文件", "section": (), "text": text, "start": start,
        "end": start + len(text), "version": "v1", "ordinal": 0, "content_hash": "0" * 64,
    }  # fmt: skip
    return Passage(**(values | more))  # type: ignore[arg-type]


def evidence(item: Passage | str, score: float = 0.8, **more: Any) -> Evidence:
    """Return evidence of a passage, or of a new one with this text."""
    return Evidence(passage(item) if isinstance(item, str) else item, score, **more)


def facet(id_: str, kind: str = "field", required: bool = True, **more: Any) -> Facet:
    """Return a facet; its text is its id where nothing else is given."""
    values = {
        "id": id_, "kind": kind, "text": id_, "terms": [id_], "required": required,
        "sub_question": "q1", "field": "",
    }  # fmt: skip
    return Facet(**(values | more))  # type: ignore[typeddict-item]


def statement(text: str, *cited: Passage, **more: Any) -> Statement:
    """Return a statement that quotes these passages whole."""
    values = {
        "text": text, "citations": [quote_of(p, 0, len(p.text)) for p in cited],
        "modality": modality(text), "facets": ["f1"], "sub_question": "q1", "heading": "",
    }  # fmt: skip
    return Statement(**(values | more))  # type: ignore[typeddict-item]
