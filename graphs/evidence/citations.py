"""Citations: a statement stands only on quotes that really stand in the documents and carry it."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from graphs.ask.records import Citation, Statement
from graphs.evidence.blocks import Row, plain, rows
from graphs.evidence.number_words import invented, spelled
from graphs.evidence.numbers import claims, supports
from graphs.evidence.passages import Passage
from graphs.evidence.standing import Line, quoted_lines, stands
from graphs.evidence.text import fold, is_cjk, language, sentences, words

Modality = Literal["certain", "possible", "required", "forbidden"]

_FORBIDDEN = re.compile(r"不得|禁止|严禁|不准|不允许|\b(?:must not|may not|shall not|prohibited|forbidden)\b", re.I)  # fmt: skip
_POSSIBLE = re.compile(r"(?<![不尽])可能|疑似|怀疑|或许|大概|初步判断|有时|\b(?:may(?!\s+\d)|might|could|possibl\w+|suspect\w*|likely|probabl\w+)\b", re.I)  # fmt: skip
_REQUIRED = re.compile(
    r"必须|应当|(?<![反效相供适响感对答])应(?!用|力|急|对|变)|(?<!无)须|\b(?:must|shall|required|should)\b",
    re.I,
)
_DENIAL = re.compile(
    r"不|未|无(?!论)|没有|禁止|严禁|\b(?:not|no|never|neither|nor|without|cannot)\b|n't\b", re.I
)
_NO_DENIAL = re.compile(
    r"不(?:得|应|能|可|宜)?(?:大于|小于|超过|少于|低于|高于|早于|晚于|多于)|不(?:锈|同|断|仅|但|管|论|足|久|良|平|稳)|无(?:水|烟|缝|线|功|机|害|论)"
    r"|\b(?:no (?:more|less|later|earlier|fewer) than|not (?:more|less|later|earlier|exceed\w*|only)|must not exceed)\b",
    re.I,
)
_BOUND = re.compile(r"不(?:得|准|允许)(?=大于|小于|超过|少于|低于|高于|早于|晚于|多于)|\b(?:must|may|shall) not (?=exceed|be (?:more|less|higher|lower|later|earlier))", re.I)  # fmt: skip
"""What forbids more or less than a bound requires the bound."""
_PERMISSION = re.compile(
    r"\bmay (?:only )?be \w+[^.]*\b(?:if|when|only|provided|with|up to)\b", re.I
)
_NEGATION = re.compile(r"[不未无没禁]|\b(?:not|no|never|cannot)\b|n't\b", re.I)
_LEAST_SHARED = 0.25
"""Share of a statement's words that its quotes and their headings hold at least."""
_WHOLE = 0.9
"""A statement repeats a quote whole from this share of the quote's words on."""
_SAME_MATTER = 0.6
"""A quoted sentence speaks of a statement's matter from this share of its words on."""


def modality(text: str) -> Modality:
    """Return how certain a statement claims to be, by its words."""
    if _FORBIDDEN.search(text):
        return "forbidden"
    if _POSSIBLE.search(text):
        return "possible"
    return "required" if _REQUIRED.search(text) else "certain"


def quote_of(passage: Passage, start: int, end: int) -> Citation:
    """Return a citation of `passage.text[start:end]`, in places of the canonical text."""
    return Citation(
        passage=passage.id,
        document_id=passage.document_id,
        version=passage.version,
        start=passage.start + start,
        end=passage.start + end,
    )


def quote_text(citation: Citation, passage: Passage) -> str | None:
    """Return the quoted text, or None where the quote does not stand in the passage."""
    if citation["version"] != passage.version or citation["document_id"] != passage.document_id:
        return None
    start, end = citation["start"] - passage.start, citation["end"] - passage.start
    if not 0 <= start < end <= len(passage.text):
        return None
    return passage.text[start:end]


def unsupported(statement: Statement, passages: Mapping[str, Passage], question: str) -> str | None:
    """Return why a statement may not stand, or None where a program can vouch for it.

    Every quote must stand at its offsets; every number, date, unit and code must stand in a quote,
    in the same sentence or row as its subject, or in the question, and so must every number in words
    and every address; a quote that is only possible never carries a certain statement, and none carries
    one in its own language with which it has hardly a word in common.
    """
    cited: list[tuple[Citation, Passage]] = []
    for citation in statement["citations"]:
        passage = passages.get(citation["passage"])
        if passage is None or quote_text(citation, passage) is None:
            return "the quote does not stand at its place"
        cited.append((citation, passage))
    if not cited:
        return "no quote carries it"
    quoted = _quoted(cited)
    text = statement["text"]
    if any(fold(text) == fold(plain(quote_text(citation, p) or "")) for citation, p in cited):
        return None  # word for word: it says what its quote says
    known = [*claims(question), *(c for line in quoted for c in spelled(line.text))]
    headings = [" ".join((p.title, *p.section, *p.codes, p.date or "")) for _, p in cited]
    for claim in claims(text):
        asked = any(supports(other, claim) for other in known)
        if not (asked or stands(claim, text, quoted, headings, question)):
            return f"{text[claim.start : claim.end]!r} stands in no quote"
    said = [f"{line.above} {line.text}" for line in quoted if not line.header]
    if strange := invented(text, "\n".join((*said, *headings, question))):
        return f"{strange!r} stands in no quote"
    if language(text) == language(" ".join(said)) and _beside(text, [*said, *headings]):
        return "its quote speaks of something else"
    return _modality_lost(text, said)


def _beside(text: str, said: Sequence[str]) -> bool:
    """Tell whether a statement has hardly a word in common with its quotes and their headings."""
    known = " ".join(said)
    content, folded = words(text), fold(known)
    told = set(words(known))
    held = sum(word in told or (is_cjk(word) and word in folded) for word in content)
    return held < _LEAST_SHARED * len(content)


def _quoted(cited: Sequence[tuple[Citation, Passage]]) -> list[Line]:
    found: list[Line] = []
    for citation, passage in cited:
        start, end = citation["start"] - passage.start, citation["end"] - passage.start
        whole = [row for row in rows(passage.text) if _covers(cited, passage, row)]
        found += quoted_lines(passage, start, end, whole)
    return found


def _covers(cited: Sequence[tuple[Citation, Passage]], passage: Passage, row: Row) -> bool:
    start, end = passage.start + row.start, passage.start + row.end
    return any(p.id == passage.id and c["start"] <= start and end <= c["end"] for c, p in cited)


def _modality_lost(text: str, quoted: Sequence[str]) -> str | None:
    """Return what a statement changed of how its quoted sentences say it, or None.

    Only quoted sentences that hold most of its words are read; one that says it as the statement
    does is enough.
    """
    own = modality(_BOUND.sub("必须", text))
    content = set(words(text))
    said = [
        sentence
        for sentence in quoted
        if content and len(content & set(words(sentence))) / len(content) >= _SAME_MATTER
    ]
    kinds = {modality(_BOUND.sub("必须", sentence)) for sentence in said}
    if any(_PERMISSION.search(sentence) for sentence in said):
        kinds |= {"certain", "required"}  # what is permitted on a condition is certain under it
    if "forbidden" in kinds and own not in kinds and not _NEGATION.search(text):
        return "its quote forbids it"
    whole = any(_restates(text, other) for other in quoted)
    if not whole and any(_turned_around(text[start:end], quoted) for start, end in sentences(text)):
        return "its quote says the opposite"
    if not kinds or own in kinds:
        return None
    if kinds == {"possible"} and own != "forbidden":
        return "its quote is less certain"
    return None


def _restates(text: str, quoted: str) -> bool:
    """Tell whether a statement repeats a quote whole, and denies where it does.

    The cells of a row, each a clause of the statement, need not deny one by one (无锡 in one of them).
    """
    content = set(words(quoted))
    held = len(content & set(words(text)))
    return held >= _WHOLE * len(content) > 0 and _denies(text) == _denies(quoted)


def _turned_around(sentence: str, quoted: Sequence[str]) -> bool:
    """Tell whether every quoted sentence on the same matter denies where this one does not."""
    content = set(words(sentence))
    said = [
        other
        for other in quoted
        if content and len(content & set(words(other))) / len(content) >= _SAME_MATTER
    ]
    return bool(said) and all(_denies(other) != _denies(sentence) for other in said)


def _denies(text: str) -> bool:
    """Tell whether a sentence denies; limits (不超过) and fixed words (不锈钢) deny nothing."""
    return bool(_DENIAL.search(_NO_DENIAL.sub("", text)))
