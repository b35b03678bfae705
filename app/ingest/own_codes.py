"""Which codes at the head of a document are its own, and which are those of other documents."""

import re
from collections.abc import Iterator

from app.ingest.editions import document_codes

_SENTENCE = re.compile(
    r"[。；;\n]|(?<!\bno)(?<!\bnr)(?<!\bdoc)(?<!\bref)[.!?](?=\s)", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,，(（|]")
_AFTER = re.compile(
    r"\b(?:supersed(?:es?|ing)|replac(?:es?|ing)|(?:superseded|replaced)\s+by(?=[^.]*[a-z]-?\d)|in place of"
    r"|see|refers?|according|based on)\b|被(?=[^。]*[a-z]-?\d[^。]*(?:代替|替代|取代))"
    r"|代替|替代|取代|依据|引用|参照|参见",
    re.IGNORECASE,
)
"""A word whose object follows: what stands before it may still name this document."""
_BEFORE = re.compile(
    r"\b(?:superseded|replaced|withdrawn)\b|被[^。]*(?:代替|替代|取代)|废止|作废", re.IGNORECASE
)
"""A word whose object stands before it."""


def own_codes(title: str, head: str) -> tuple[str, ...]:
    """Return the codes that name this document: of its title, then of its front lines."""
    return tuple(dict.fromkeys((*document_codes(title), *_front(head))))


def _front(head: str) -> Iterator[str]:
    for sentence in _SENTENCE.split(head):
        after = _AFTER.search(sentence)
        before = _BEFORE.search(sentence)
        end = after.start() if after else len(sentence)
        if before and before.start() < end:
            yield from _kept(sentence[: before.start()])
        else:
            yield from document_codes(sentence[:end])


def _kept(sentence: str) -> Iterator[str]:
    """Yield the codes of a sentence but for those of its last clause that has any."""
    found = [codes for clause in _CLAUSE.split(sentence) if (codes := document_codes(clause))]
    for codes in found[:-1]:
        yield from codes
