"""Which codes at the head of a document are its own, and which are those of other documents."""

import re
from collections import Counter
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


_LABEL = r"(?:编号|文号|代号|编码|number|code|document|nr\.?|no\.?|ref\.?)\s*[:：|]?\s*{0}(?![\w-])"
_DIGITS = re.compile(r"\d+")
_LIST = 3
"""Codes of one shape from which on they are the entries of a list."""


def own_codes(title: str, head: str) -> tuple[str, ...]:
    """Return the codes that name this document: of its title, then of its front lines.

    The entries of a list or table (SP-1001, SP-1002, SP-1003) name records and not the document.
    """
    front = list(dict.fromkeys(_front(head)))
    entries = _entries(front)
    labelled = [code for code in entries if _is_labelled(code, head)]
    named = set(labelled) - _entries(labelled)  # a list may label each of its entries
    kept = (code for code in front if code not in entries or code in named)
    return tuple(dict.fromkeys((*document_codes(title), *kept)))


def _entries(found: list[str]) -> set[str]:
    """Return the codes that are too many of one shape to name one document."""
    shapes = Counter(map(_shape, found))
    return {code for code in found if shapes[_shape(code)] >= _LIST}


def _shape(code: str) -> str:
    """Return a code without what numbers it."""
    return _DIGITS.sub("0", code)


def _is_labelled(code: str, head: str) -> bool:
    return re.search(_LABEL.format(re.escape(code)), head, re.IGNORECASE) is not None


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
