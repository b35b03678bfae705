"""From the model's reading of a question to an Analysis that holds only what the user said."""

from collections.abc import Sequence
from dataclasses import replace

from graphs.ask.records import Facet, FacetKind, Language, SubQuestion, Turn
from graphs.errors import ModelOutputInvalid
from graphs.evidence.asks import strip_cues
from graphs.evidence.numbers import claims, supports
from graphs.evidence.text import codes, fold, index_terms, is_cjk, language, words
from graphs.reasoners.base import Analysis
from graphs.reasoners.llm_schemas import AnalysisOut, FacetOut
from graphs.reasoners.llm_text import ADDRESS

_UNRESOLVED = "unresolved_reference"


def analysis(question: str, turns: Sequence[Turn], reply: AnalysisOut) -> Analysis:
    """Return the reply as an Analysis; raises ModelOutputInvalid where it adds to the question.

    Facets that the user did not name are dropped, so none may be left.
    """
    spoken = _language(question, reply.language)
    if reply.intent == "direct" and not codes(question):
        reason = reply.direct_reason or "service"
        return Analysis(question, spoken, "direct", reason, "", [], [])
    resolved = _resolved(question, turns, reply)
    query = reply.first_query.strip()
    if not query or not _said(query, resolved):
        query = resolved
    subs = _sub_questions(reply, resolved)
    return Analysis(
        question_resolved=resolved,
        language=spoken,
        intent="retrieve",
        direct_reason="",
        first_query=query,
        facets=_facets(reply.facets, resolved, len(subs)),
        sub_questions=subs,
    )


def asks_back(read: Analysis) -> bool:
    """Tell whether a question points at something that was not said."""
    return read.direct_reason == _UNRESOLVED


def with_facets(read: Analysis, local: Analysis) -> Analysis:
    """Return `read` with the facets and sub-questions of another analysis of the same question."""
    return replace(read, facets=local.facets, sub_questions=local.sub_questions)


def _language(question: str, read: Language) -> Language:
    mixed = is_cjk(question) and any(char.isascii() and char.isalpha() for char in question)
    if mixed:
        return read
    return "zh" if language(question) == "zh" else "en"


def _resolved(question: str, turns: Sequence[Turn], reply: AnalysisOut) -> str:
    """Return the question as it stands alone; without earlier turns it stands as it is."""
    resolved = reply.question_resolved.strip()
    if not turns or not resolved or fold(resolved) == fold(question):
        return question
    context = [question]
    for turn in turns:
        context += [
            turn["question"],
            turn["question_resolved"],
            *turn["entities"],
            *turn["documents"],
        ]
    if not _said(resolved, "\n".join(context)):
        raise ModelOutputInvalid("the resolved question adds words that nobody said")
    return resolved


def _said(text: str, spoken: str) -> bool:
    """Tell whether every content word of `text` stands in `spoken`."""
    known, folded = set(index_terms(spoken)), fold(spoken)
    return all(
        term in known or (is_cjk(term) and term in folded)
        for term in [*words(text), *(code.lower() for code in codes(text))]
    )


def _worded_freely(text: str, spoken: str) -> bool:
    """Tell whether a text says nothing of its own: half of its words and all its values were spoken."""
    known = claims(spoken)
    if ADDRESS.search(text) or any(
        not any(supports(other, claim) for other in known) for claim in claims(text)
    ):
        return False
    own = words(text)
    return sum(_said(word, spoken) for word in own) * 2 >= len(own)


def _sub_questions(reply: AnalysisOut, resolved: str) -> list[SubQuestion]:
    """Return the parts; none where one of them asks what the question does not."""
    texts = [sub.text.strip() for sub in reply.sub_questions]
    if len(texts) < 2 or not all(_worded_freely(text, resolved) for text in texts):
        return []
    return [
        SubQuestion(
            id=f"q{number}",
            text=sub.text.strip(),
            # only earlier parts: a part can't wait for itself or for a later one
            depends_on=[f"q{other}" for other in sorted(set(sub.depends_on)) if other < number],
        )
        for number, sub in enumerate(reply.sub_questions, start=1)
        if sub.text.strip()
    ]


def _facets(read: Sequence[FacetOut], resolved: str, sub_questions: int) -> list[Facet]:
    """Return the facets that the user named, as the embedded reasoner writes them too.

    Only a requested field can be required; everything else says for what it is asked. The field may
    be worded freely ("who is responsible" as "responsible person"), the rest may not.
    """
    facets: list[Facet] = []
    for facet in read:
        free = facet.kind == "field" and facet.field not in ("", "label")
        kind, text = _written(facet)
        terms = words(strip_cues(text) if kind == "field" else text)
        worded = _worded_freely if free else _said
        if not (terms or kind in ("field", "code")) or not worded(facet.text, resolved):
            continue
        number = facet.sub_question
        sub = f"q{number}" if 0 < number <= sub_questions else ""
        if not text or any(_same(known, kind, text, sub) for known in facets):
            continue
        facets.append(
            Facet(
                id=f"f{len(facets) + 1}",
                kind=kind,
                text=text,
                terms=terms,
                required=facet.required and kind == "field",
                sub_question=sub,
                field=(facet.field or "fact") if kind == "field" else "",
            )
        )
    return facets


def _written(facet: FacetOut) -> tuple[FacetKind, str]:
    """Return kind and text in normal form: codes upper case, dates ISO, numbers with their unit.

    What the program can't read as a code, a date or a number is an entity.
    """
    text = facet.text.strip()
    if facet.kind == "code" and (found := codes(text)):
        return "code", found[0]
    for claim in claims(text) if facet.kind in ("time", "number") else ():
        if facet.kind == "time" and claim.kind == "date":
            return "time", claim.value
        if facet.kind == "number" and claim.kind in ("number", "percent"):
            return "number", f"{claim.value} {claim.unit}".strip()
    return ("field" if facet.kind == "field" else "entity"), text


def _same(facet: Facet, kind: str, text: str, sub: str) -> bool:
    key = (facet["kind"], fold(facet["text"]), facet["sub_question"])
    return key == (kind, fold(text), sub)
