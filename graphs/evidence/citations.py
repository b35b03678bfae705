"""Citations: a statement stands only on quotes that really stand in the documents and carry it."""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from graphs.ask.state import Citation, Statement
from graphs.evidence.numbers import Claim, claims, supports
from graphs.evidence.passages import Passage
from graphs.evidence.text import fold, sentences, words

SELF_EVIDENT = 0.8
"""Share of content words that must stand in the quotes for a statement to need no model."""
Modality = Literal["certain", "possible", "required", "forbidden"]

_FORBIDDEN = re.compile(r"不得|禁止|严禁|不准|不允许|\b(?:must not|may not|shall not|prohibited|forbidden)\b", re.I)  # fmt: skip
_POSSIBLE = re.compile(r"可能|疑似|怀疑|或许|大概|初步判断|有时|\b(?:may|might|could|possibl\w+|suspect\w*|likely|probabl\w+)\b", re.I)  # fmt: skip
_REQUIRED = re.compile(
    r"必须|应当|应(?!用|力|急|对|变)|须|\b(?:must|shall|required|should)\b", re.I
)


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
    in the same sentence or row as its subject, or in the question; a quote that is only possible
    never carries a certain statement.
    """
    quotes: list[str] = []
    for citation in statement["citations"]:
        passage = passages.get(citation["passage"])
        quote = quote_text(citation, passage) if passage else None
        if quote is None or passage is None:
            return "the quote does not stand at its place"
        quotes.append(quote)
    if not quotes:
        return "no quote carries it"
    known = claims(question)
    headings = [
        " ".join((p.title, *p.section, *p.codes, p.date or ""))
        for c in statement["citations"]
        if (p := passages.get(c["passage"]))
    ]
    for claim in claims(statement["text"]):
        if not (_stands(claim, statement["text"], quotes, headings) or _in(claim, known)):
            return f"{statement['text'][claim.start : claim.end]!r} stands in no quote"
    if not _modality_kept(statement["text"], quotes):
        return "its quote is less certain"
    return None


def _in(claim: Claim, known: Sequence[Claim]) -> bool:
    return any(supports(other, claim) for other in known)


def _stands(claim: Claim, text: str, quotes: Sequence[str], headings: Sequence[str]) -> bool:
    """Tell whether a value stands in a quoted sentence that shares a content word with its own."""
    around = {word for word in words(_sentence_at(text, claim.start)) if not _digit(word)}
    table = " ".join(quote for quote in quotes if quote.lstrip().startswith("|"))
    for quote in quotes:
        # A row is read with its table's header: both are quoted.
        above = table if quote.lstrip().startswith("|") else ""
        for start, end in sentences(quote):
            sentence = quote[start:end]
            if not _in(claim, claims(sentence)):
                continue
            context = " ".join((sentence, above, *headings))
            held = fold(context) + " ".join(words(context))
            if not around or any(word in held for word in around):
                return True
    return any(_in(claim, claims(heading)) for heading in headings) and claim.kind in ("code", "date")  # fmt: skip


def _sentence_at(text: str, place: int) -> str:
    for start, end in sentences(text):
        if start <= place < end:
            return text[start:end]
    return text


def _digit(word: str) -> bool:
    return any(char.isdigit() for char in word)


def _modality_kept(text: str, quotes: Sequence[str]) -> bool:
    if modality(text) == "possible":
        return True
    statement_words = set(words(text))
    for quote in quotes:
        for start, end in sentences(quote):
            sentence = quote[start:end]
            if not _POSSIBLE.search(sentence):
                continue
            shared = statement_words & set(words(sentence))
            if statement_words and len(shared) / len(statement_words) >= 0.6:
                return False
    return True


def self_evident(statement: Statement, passages: Mapping[str, Passage]) -> bool:
    """Tell whether a statement's words so plainly stand in its quotes that no model need judge it."""
    content = words(statement["text"])
    if not content:
        return False
    quotes = " ".join(
        quote_text(citation, passages[citation["passage"]]) or ""
        for citation in statement["citations"]
        if citation["passage"] in passages
    )
    held = set(words(quotes))
    folded = fold(quotes)
    return sum(word in held or word in folded for word in content) / len(content) >= SELF_EVIDENT
