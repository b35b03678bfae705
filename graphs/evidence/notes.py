"""Evidence notes: what each passage contributes, kept small and across rounds."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from graphs.ask.records import Note
from graphs.evidence.passages import Evidence

PER_SUB_QUESTION = 7
_IMPORTANCE, _RECENCY = 0.6, 0.4


def weight(importance: float, round_: int, rounds: int) -> float:
    """Return 0.6 importance + 0.4 recency, where recency = round / rounds so far (1 in round 0)."""
    recency = round_ / rounds if rounds else 1.0
    return round(_IMPORTANCE * importance + _RECENCY * recency, 3)


def _importance(score: float, covers: bool) -> float:
    """Return a passage's importance in [0, 1]: its score, and whether it covers anything."""
    return 0.7 * score + (0.3 if covers else 0.0)


def _kind(covers: bool, superseded: bool) -> Literal["direct", "bridge", "disambiguation"]:
    if not covers:
        return "bridge"
    return "disambiguation" if superseded else "direct"


def take_notes(
    evidence: Sequence[Evidence],
    covered: Mapping[str, Sequence[str]],
    facet_sub_question: Mapping[str, str],
    spans: Mapping[str, tuple[int, int]],
    rounds: int,
    keep: int = PER_SUB_QUESTION,
    leading: Collection[str] = (),
) -> list[Note]:
    """Return at most `keep` notes per sub-question, heaviest first; the lightest leave.

    `covered`: facet id to passage ids. `facet_sub_question`: facet id to sub-question id. `spans`:
    passage id to its best sentence, in places of the canonical text. A passage that covers nothing
    (it may lead on), or only parts that others wait for (`leading`), is a `bridge`; a superseded
    version that covers something only serves to tell the versions apart (`disambiguation`).
    """
    by_sub: dict[str, list[Note]] = {}
    for item in sorted(evidence, key=lambda e: -e.score):
        passage = item.passage
        facets = [facet for facet, ids in covered.items() if passage.id in ids]
        subs = sorted({facet_sub_question.get(facet, "") for facet in facets}) or [""]
        kind = _kind(bool(facets), passage.superseded_by is not None)
        start, end = spans.get(passage.id, (passage.start, passage.end))
        for sub in subs:
            leads = kind == "direct" and sub in leading
            by_sub.setdefault(sub, []).append(
                Note(
                    id=passage.id, start=start, end=end,
                    kind="bridge" if leads else kind,
                    round=item.round,
                    weight=weight(_importance(item.score, bool(facets)), item.round, rounds),
                    facets=[f for f in facets if facet_sub_question.get(f, "") == sub],
                    sub_question=sub,
                )
            )  # fmt: skip
    return [
        note
        for sub in sorted(by_sub)
        for note in sorted(by_sub[sub], key=lambda n: (n["kind"] == "bridge", -n["weight"]))[:keep]
    ]
