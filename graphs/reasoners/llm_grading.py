"""From the model's grading to a Reading over passage ids."""

import re
from collections.abc import Iterable
from dataclasses import replace

from graphs.errors import ModelOutputInvalid
from graphs.reasoners.base import Case, Reading
from graphs.reasoners.llm_schemas import GradeOut
from graphs.reasoners.llm_text import Shown

_RELEVANCE = {1: 0.1, 2: 0.3, 3: 0.5, 4: 0.7, 5: 0.9}


def reading(reply: GradeOut, case: Case, shown: Shown, local: Reading) -> Reading:
    """Return the model's reading over what only a program counts.

    Raises ModelOutputInvalid for a facet or a passage that was not in the prompt.
    """
    if len(reply.relevance) != len(shown.passages):
        raise ModelOutputInvalid("not each passage has its relevance")
    relevance = {
        passage.id: _RELEVANCE[score]
        for passage, score in zip(shown.passages, reply.relevance, strict=True)
    }
    covered = _covered(reply, case, shown, relevance)
    pairs = _contradictions(reply, shown)
    best = max(relevance.values(), default=0.0)
    subject = max(local.subject, best) if reply.subject_found else min(local.subject, best)
    return replace(
        local,
        covered=covered,
        relevance={**local.relevance, **relevance},
        contradictions=_with_local(pairs, local, shown),
        claims=max(local.claims, len(pairs)),
        holds_subject=reply.subject_found,
        proposed=verdict(reply.verdict),
        retrieve=reply.retrieve,
        judged=round(sum(reply.relevance) / len(reply.relevance), 2) if reply.relevance else None,
        strengths={**local.strengths, **_strengths(reply, case, covered, relevance)},
        subject=round(subject, 3),
    )


def verdict(word: str) -> str:
    """Return a verdict as the decision enum writes it ("Retry-broaden." → "retry_broaden")."""
    return re.sub(r"[\s-]+", "_", word.strip().strip(".。!！\"'`*“”").lower())


def _covered(
    reply: GradeOut, case: Case, shown: Shown, relevance: dict[str, float]
) -> dict[str, list[str]]:
    known = {facet["id"].lower(): facet["id"] for facet in case.facets}
    covered: dict[str, list[str]] = {}
    for entry in reply.facets:
        facet = known.get(entry.facet.strip().lower())
        if facet is None:
            raise ModelOutputInvalid(f"there is no facet {entry.facet!r}")
        ids = covered.get(facet, []) + [_passage(number, shown) for number in entry.passages]
        if ids:
            covered[facet] = _ranked(ids, relevance)
    return covered


def _strengths(
    reply: GradeOut,
    case: Case,
    covered: dict[str, list[str]],
    relevance: dict[str, float],
) -> dict[str, float]:
    """Return facet id to the relevance of its best covering passage, 0 where there is none."""
    judged = {entry.facet.strip().lower() for entry in reply.facets}
    return {
        facet["id"]: max(
            (relevance.get(passage, _RELEVANCE[3]) for passage in covered.get(facet["id"], [])),
            default=0.0,
        )
        for facet in case.facets
        if facet["id"].lower() in judged
    }


def _ranked(ids: Iterable[str], relevance: dict[str, float]) -> list[str]:
    return sorted(dict.fromkeys(ids), key=lambda passage: -relevance.get(passage, 0.0))


def _contradictions(reply: GradeOut, shown: Shown) -> list[tuple[str, str]]:
    pairs = {
        tuple(sorted((_passage(pair.a, shown), _passage(pair.b, shown))))
        for pair in reply.contradictions
    }
    return [(a, b) for a, b in sorted(pairs) if a != b]


def _with_local(
    pairs: list[tuple[str, str]], local: Reading, shown: Shown
) -> list[tuple[str, str]]:
    """Return the model's pairs, and the program's of which the model did not see both sides."""
    seen = {passage.id for passage in shown.passages}
    return [*pairs, *(pair for pair in local.contradictions if not set(pair) <= seen)]


def _passage(number: int, shown: Shown) -> str:
    if not 1 <= number <= len(shown.passages):
        raise ModelOutputInvalid(f"there is no passage {number}")
    return shown.passages[number - 1].id
