"""The ledger of a refusal or a partial answer: what was nearest, what is missing, what would help."""

import re
from collections.abc import Mapping, Sequence

from graphs.ask.records import Assessment, Facet, Gap, GapType, Language, Missing, Nearest
from graphs.evidence.messages import say
from graphs.reasoners.base import Case, Reading

_NEAREST = 3
_CONJUNCTION = re.compile(r"^(?:and|or|but|also|并且?|以及|另外|还有)\s*", re.IGNORECASE)


def nearest_of(case: Case, reading: Reading, assessment: Assessment) -> list[Nearest]:
    """Return the three nearest passages with why each falls short."""
    open_ = [f for f in case.facets if f["required"] and not assessment["covered"].get(f["id"])]
    lost = [
        g["content"] for g in assessment["gaps"] if g["type"] == "missing_entity" and g["content"]
    ]
    ranked = sorted(case.evidence, key=lambda e: -reading.relevance.get(e.passage.id, e.score))
    found: list[Nearest] = []
    for item in ranked[:_NEAREST]:
        score = reading.relevance.get(item.passage.id, item.score)
        if not assessment["holds_subject"] and lost:
            why = say("why_subject", case.language, what=say("comma", case.language).join(lost))
        elif open_ and assessment["holds_subject"]:
            why = say("why_field", case.language, what=_name(open_[0]))
        else:
            why = say("why_score", case.language)
        found.append(
            Nearest(
                passage=item.passage.id,
                document_id=item.passage.document_id,
                title=item.passage.title,
                section=list(item.passage.section),
                score=round(score, 3),
                why=why,
            )
        )
    return found


def missing_of(
    facets: Sequence[Facet],
    covered: Mapping[str, Sequence[str]],
    gaps: Sequence[Gap],
    lost: Sequence[str],
    searched: Sequence[str],
    language: Language,
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
                suggestion=say("suggest_document", language, what=_name(facet)),
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
                    suggestion=say(hint, language, what=gap["content"]),
                    searched=list(dict.fromkeys(searched)),
                )
            )
    return entries


def _name(facet: Facet) -> str:
    return _CONJUNCTION.sub("", facet["text"]).strip(" ？?。.")


def refusal_text(
    language: Language,
    searched: Sequence[str],
    nearest: Sequence[Nearest],
    missing: Sequence[Missing],
    contact: str,
) -> str:
    """Return the readable refusal: no factual statement, only where was looked and what is missing."""
    lines = [say("refusal", language)]
    if missing:
        lines.append(say("missing", language))
        lines.extend(f"- {entry['content']}" for entry in missing)
    if searched:
        lines.append(say("searched", language))
        lines.extend(f"- {query}" for query in dict.fromkeys(searched))
    if nearest:
        lines.append(say("nearest", language))
        lines.extend(
            f"- {' › '.join([entry['title'], *entry['section'][-1:]])}{say('colon', language)}{entry['why']}"
            for entry in nearest
        )
    suggestions = list(dict.fromkeys(entry["suggestion"] for entry in missing))
    if suggestions:
        lines.append(say("suggest", language))
        lines.extend(f"- {text}" for text in suggestions)
    if contact:
        lines.append(say("contact", language) + contact)
    return "\n".join(lines) + "\n"
