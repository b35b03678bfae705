"""Which words of a question a document uses, and which it lacks."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphs.evidence.asks import strip_cues
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes, fold, index_terms, is_cjk, normalise, spoken, words
from graphs.ports import KnowledgeBase


@dataclass(frozen=True, slots=True)
class Wording:
    """The content words and codes of a question, as it writes them.

    `in_passage` maps passage id to those that stand in its text or headings; `held` stand
    somewhere in the document; `frequency` counts the passages of the whole knowledge base;
    `translated` stand in a term of the glossary, so that broadening has other words for them.
    """

    asked: Sequence[str]
    in_passage: Mapping[str, frozenset[str]]
    held: frozenset[str]
    frequency: Mapping[str, int]
    translated: frozenset[str]


async def wording(
    kb: KnowledgeBase, question: str, title: str, passages: Sequence[Passage]
) -> Wording:
    """Compare a question's words with a document's passages; `title` counts for all of them."""
    terms = words(strip_cues(question)) or words(question)
    terms = [*terms, *(code.lower() for code in codes(question))]
    written = dict(zip(terms, spoken(question, terms), strict=True))
    counted = await kb.document_frequency(terms)
    glossary = (await kb.info()).glossary or {}
    said = [fold(term) for term in glossary if fold(term) in fold(question)]
    in_passage = await asyncio.to_thread(
        lambda: {each.id: _held(written, title, each) for each in passages}
    )
    return Wording(
        asked=list(dict.fromkeys(written.values())),
        in_passage=in_passage,
        held=frozenset().union(*in_passage.values()),
        frequency={written[term]: counted.get(term, 0) for term in terms},
        translated=frozenset(w for w in written.values() if any(fold(w) in term for term in said)),
    )


def _held(written: Mapping[str, str], title: str, passage: Passage) -> frozenset[str]:
    whole = "\n".join((title, *passage.section, passage.text))
    known = {*words(whole), *index_terms(whole), *(code.lower() for code in passage.codes)}
    plain = normalise(whole)
    return frozenset(
        word for term, word in written.items() if term in known or (is_cjk(term) and term in plain)
    )
