"""Several hops while grading: fill what waits for an answer, or take a needless split back."""

from collections.abc import Sequence
from dataclasses import replace

from graphs.ask.records import Facet, SubQuestion
from graphs.evidence.asks import strip_cues
from graphs.evidence.bridges import Answer, answer_of
from graphs.evidence.candidates import Wanted
from graphs.evidence.facets import parse_part
from graphs.evidence.hops import filled, stands_by_itself
from graphs.evidence.lines import Lexicon
from graphs.evidence.passages import Passage
from graphs.evidence.text import words
from graphs.reasoners.base import Case, Reading

MOST_ALONE = 3
"""Parts that the first retrieval searches beside the whole question."""
_READ = 3
"""Passages of a hop in which its answer is looked for."""


async def next_hop(case: Case, reading: Reading) -> Case | None:
    """Return the case with the next waiting part filled from what was found, None where none can be.

    Where what it waits for was not found, but the part as it stands is covered (one passage answers
    the whole question), the split is taken back.
    """
    for part in case.sub_questions:
        before = _before(case, part)
        if not part.get("slot") or not before or before[-1].get("slot"):
            continue
        answer = await _answer(case, reading, before[-1], case.question)
        if answer is not None:
            return _filled(case, part, answer)
        by_itself = stands_by_itself(part.get("slot", ""))
        if not by_itself and await _answer(case, reading, part, part["text"], sure=True):
            return _whole(case, part)
    return None


async def only_answered(case: Case, reading: Reading) -> Reading:
    """Return the reading where a filled part is covered only by passages that name what it asks for.

    Without it the passage that names the department would also tell who heads it: it holds the
    words of both.
    """
    covered = dict(reading.covered)
    for part in case.sub_questions:
        if not part["depends_on"] or part.get("slot") or not Wanted.of(part["text"]).asks_value:
            continue
        for facet in _asked(case, part):
            held = {item.passage.id: item.passage for item in case.evidence}
            lexicon = await _lexicon(case, part)
            covered[facet["id"]] = [
                id_
                for id_ in covered.get(facet["id"], ())
                if id_ in held
                and answer_of(part["text"], [held[id_]], lexicon, part["text"], sure=True)
            ]
    return replace(reading, covered=covered)


def _before(case: Case, part: SubQuestion) -> list[SubQuestion]:
    return [sub for sub in case.sub_questions if sub["id"] in part["depends_on"]]


def _asked(case: Case, part: SubQuestion) -> list[Facet]:
    return [f for f in case.facets if f["required"] and f["sub_question"] == part["id"]]


def _covered(case: Case, reading: Reading, part: SubQuestion) -> bool:
    return all(reading.covered.get(facet["id"]) for facet in _asked(case, part))


async def _answer(
    case: Case, reading: Reading, part: SubQuestion, known: str, sure: bool = False
) -> Answer | None:
    """Return what a covered part asks for; what `known` names is no answer."""
    if not _covered(case, reading, part):
        return None
    passages = _passages(case, reading, part)
    return answer_of(part["text"], passages, await _lexicon(case, part), known, sure)


async def _lexicon(case: Case, part: SubQuestion) -> Lexicon:
    info = await case.kb.info()
    frequency = await case.kb.document_frequency(sorted(set(words(strip_cues(part["text"])))))
    return Lexicon(info.passages, frequency)


def _passages(case: Case, reading: Reading, part: SubQuestion) -> Sequence[Passage]:
    """Return the passages that cover a part, best first."""
    held = {item.passage.id: item.passage for item in case.evidence}
    ids = [id_ for facet in _asked(case, part) for id_ in reading.covered.get(facet["id"], ())]
    return [held[id_] for id_ in dict.fromkeys(ids) if id_ in held][:_READ]


def _filled(case: Case, part: SubQuestion, answer: Answer) -> Case:
    text = filled(part["text"], part.get("slot", ""), answer.text)
    whole = SubQuestion(id=part["id"], text=text, depends_on=part["depends_on"])
    subs = [whole if sub["id"] == part["id"] else sub for sub in case.sub_questions]
    numbers = [int(facet["id"].removeprefix("f")) for facet in case.facets]
    facets = [facet for facet in case.facets if facet["sub_question"] != part["id"]]
    place = next(
        (i for i, f in enumerate(case.facets) if f["sub_question"] == part["id"]), len(facets)
    )
    facets[place:place] = parse_part(whole, max(numbers, default=0) + 1)
    return replace(case, sub_questions=subs, facets=facets, covered={})


def _whole(case: Case, part: SubQuestion) -> Case:
    """Return the case without the parts that a part waited for."""
    gone = set(part["depends_on"])
    for sub in reversed(case.sub_questions):
        gone |= set(sub["depends_on"]) if sub["id"] in gone else set()
    single = SubQuestion(id=part["id"], text=part["text"], depends_on=[])
    subs = [
        single if s["id"] == part["id"] else s for s in case.sub_questions if s["id"] not in gone
    ]
    facets = [facet for facet in case.facets if facet["sub_question"] not in gone]
    return replace(case, sub_questions=subs, facets=facets, covered={})


def first_queries(first: str, parts: Sequence[SubQuestion], facets: Sequence[Facet]) -> list[str]:
    """Return what the first retrieval searches: the first query, and each part that stands alone.

    A part stands alone where it waits for none and names something itself, or others wait for it.
    """
    named = {f["sub_question"] for f in facets if f["kind"] in ("entity", "code")}
    named |= {before for sub in parts for before in sub["depends_on"]}
    own = [sub["text"] for sub in parts if not sub["depends_on"] and sub["id"] in named]
    alone = [text for text in own if text != first] if len(parts) > 1 else []
    return [first, *list(dict.fromkeys(alone))[:MOST_ALONE]]


def waits(case: Case, facet: Facet) -> bool:
    """Tell whether a facet belongs to a part whose slot is still open."""
    return any(sub["id"] == facet["sub_question"] and sub.get("slot") for sub in case.sub_questions)


def hop_query(case: Case, facet: Facet) -> str:
    """Return the filled part that a facet belongs to, "" where it is of no filled part."""
    for sub in case.sub_questions:
        if sub["id"] == facet["sub_question"] and sub["depends_on"] and not sub.get("slot"):
            return sub["text"].strip(" ？?")
    return ""


def without_answer(case: Case, facet: Facet) -> bool:
    """Tell whether a facet belongs to a hop whose answer was not found."""
    waiting = any(s["depends_on"] and s["id"] == facet["sub_question"] for s in case.sub_questions)
    return waiting and not case.covered.get(facet["id"])
