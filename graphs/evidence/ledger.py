"""The ledger of a refusal or a partial answer: what was nearest, what is missing, what would help."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from graphs.ask.records import (
    Assessment,
    Facet,
    Gap,
    GapType,
    Language,
    Missing,
    Nearest,
    Retrieval,
    SubQuestion,
)
from graphs.evidence.messages import known, say
from graphs.evidence.passages import Passage
from graphs.evidence.text import fold, is_cjk, language, latin_terms
from graphs.reasoners.base import Case, Reading

Became = Literal["answered", "partial", "missing"]
_NEAREST = 3
_HELD = 0.5
"""A passage names what a facet says from this share of its terms on."""
_SUBJECT = ("entity", "code", "time")
_CONJUNCTION = re.compile(r"^(?:and|or|but|also|并且?|以及|另外|还有)\s*", re.IGNORECASE)


def nearest_of(case: Case, reading: Reading, assessment: Assessment) -> list[Nearest]:
    """Return the three nearest passages with why each falls short."""
    ranked = sorted(case.evidence, key=lambda e: -reading.relevance.get(e.passage.id, e.score))
    return [
        Nearest(
            passage=item.passage.id,
            document_id=item.passage.document_id,
            title=item.passage.title,
            section=list(item.passage.section),
            score=round(reading.relevance.get(item.passage.id, item.score), 3),
            why=_why(case, assessment, item.passage),
        )
        for item in ranked[:_NEAREST]
    ]


def _why(case: Case, assessment: Assessment, passage: Passage) -> str:
    """Return why one passage falls short: what it does not name, else what it does not say."""
    tongue, comma = case.language, say("comma", case.language)
    said: list[str] = []
    unnamed = _unnamed(case, assessment, passage)
    open_ = [
        _name(facet)
        for facet in case.facets
        if facet["required"] and not assessment["covered"].get(facet["id"])
    ]
    if unnamed:
        said.append(say("why_subject", tongue, what=comma.join(unnamed)))
    elif open_ and assessment["holds_subject"]:
        said.append(say("why_field", tongue, what=comma.join(open_)))
    else:
        said.append(say("why_score", tongue))
    if passage.superseded_by:
        said.append(say("why_old", tongue))
    return comma.join(said)


def _unnamed(case: Case, assessment: Assessment, passage: Passage) -> list[str]:
    """Return what the question is about and the passage does not hold.

    Words tell it within one language; across languages only the gaps of all passages do.
    """
    if language(passage.text) != case.language:
        gaps = [g["content"] for g in assessment["gaps"] if g["type"] == "missing_entity"]
        return [] if assessment["holds_subject"] else [content for content in gaps if content]
    parts = (passage.title, *passage.section, passage.heading_row, passage.text, *passage.codes)
    parts += (passage.date or "",)
    text = " ".join(parts)
    # a Chinese term that is indexed stands in the folded text: no need to split that into words
    held, folded = set(latin_terms(text)), fold(text)
    found: list[str] = []
    for facet in case.facets:
        terms = [term for term in facet["terms"] if term]
        shared = sum(term in held or (is_cjk(term) and fold(term) in folded) for term in terms)
        if facet["kind"] in _SUBJECT and terms and shared < _HELD * len(terms):
            found.append(_name(facet))
    return list(dict.fromkeys(found))


def missing_of(
    facets: Sequence[Facet],
    covered: Mapping[str, Sequence[str]],
    gaps: Sequence[Gap],
    lost: Sequence[str],
    searched: Sequence[str],
    tongue: Language,
) -> list[Missing]:
    """Return one entry per required facet without support, then for gaps beyond facets."""
    entries: list[Missing] = []
    for facet in facets:
        if not facet["required"] or (covered.get(facet["id"]) and facet["id"] not in lost):
            continue
        kind: GapType = "incomplete_answer" if facet["id"] in lost else "missing_field"
        entries.append(
            Missing(
                type=kind,
                content=_name(facet),
                suggestion=_suggestion(facet, tongue),
                searched=list(dict.fromkeys(searched)),
            )
        )
    for gap in gaps:
        named = any(gap["content"].lower() in entry["content"].lower() for entry in entries)
        beyond = gap["type"] in ("missing_entity", "timeline_gap")
        if beyond and entries and gap["content"] and not named:
            dated = gap["type"] == "timeline_gap"
            hint = "suggest_version" if dated else "suggest_document"
            entries.append(
                Missing(
                    type=gap["type"],
                    content=gap["content"],
                    suggestion=say(hint, tongue, what=gap["content"]),
                    searched=list(dict.fromkeys(searched)),
                )
            )
    return entries


def _name(facet: Facet) -> str:
    return _CONJUNCTION.sub("", facet["text"]).strip(" ？?。.")


def what_became(
    sub_questions: Sequence[SubQuestion], facets: Sequence[Facet], held: Collection[str]
) -> list[tuple[str, Became]]:
    """Return each sub-question with what became of it; `held` are the facets that were answered."""
    found: list[tuple[str, Became]] = []
    for sub in sub_questions:
        own = [f["id"] for f in facets if f["required"] and f["sub_question"] == sub["id"]]
        count = sum(facet in held for facet in own)
        whole = bool(own) and count == len(own)
        found.append((sub["text"], "answered" if whole else "partial" if count else "missing"))
    return found


@dataclass(frozen=True, slots=True)
class Ledger:
    """All that a refusal accounts for. `doubtful` are the facets that some passage seemed to cover."""

    retrievals: Sequence[Retrieval]
    nearest: Sequence[Nearest]
    missing: Sequence[Missing]
    sub_questions: Sequence[SubQuestion] = ()
    facets: Sequence[Facet] = ()
    doubtful: Collection[str] = ()
    contact: str = ""


def refusal_text(tongue: Language, ledger: Ledger) -> str:
    """Return the readable refusal: no factual statement, only where was looked and what is missing."""
    colon = say("colon", tongue)
    became = what_became(ledger.sub_questions, ledger.facets, ledger.doubtful)
    parts = [f"{text}{colon}{say(f'became_{state}', tongue)}" for text, state in became]
    places = [
        f"{' › '.join([entry['title'], *entry['section'][-1:]])}{colon}{entry['why']}"
        for entry in ledger.nearest
    ]
    lines = [say("refusal", tongue)]
    for heading, entries in (
        ("sub_questions", parts if len(parts) > 1 else []),
        ("missing", [entry["content"] for entry in ledger.missing]),
        ("searched", _rounds(ledger.retrievals, tongue)),
        ("nearest", places),
        ("suggest", [entry["suggestion"] for entry in ledger.missing]),
    ):
        if entries:
            lines.append(say(heading, tongue))
            lines.extend(f"- {entry}" for entry in dict.fromkeys(entries))
    if ledger.contact:
        lines.append(say("contact", tongue) + ledger.contact)
    return "\n".join(lines) + "\n"


def _rounds(retrievals: Sequence[Retrieval], tongue: Language) -> list[str]:
    """Return a line per retrieval: how it searched, for what, and how much of it was new."""
    return [
        say(
            "round",
            tongue,
            number=number,
            how=say(f"profile_{retrieval['profile']}", tongue),
            queries=say("query_join", tongue).join(dict.fromkeys(retrieval["queries"])),
            new=retrieval["new"],
        )
        for number, retrieval in enumerate(retrievals, start=1)
    ]


def _suggestion(facet: Facet, tongue: Language) -> str:
    """Return what kind of document would say it."""
    kind = f"suggest_{facet['field']}"
    return say(kind if known(kind) else "suggest_document", tongue, what=_name(facet))
