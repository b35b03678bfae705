"""Gaps: what is missing, how sure that is, and what to search for."""

from collections.abc import Mapping, Sequence

from graphs.ask.records import Facet, Gap, GapType

KEPT = 3


def find_gaps(
    facets: Sequence[Facet],
    covered: Mapping[str, Sequence[str]],
    strengths: Mapping[str, float],
    conflicts: int,
    stale: bool,
) -> list[Gap]:
    """Return the three gaps with the highest confidence, most certain first.

    `strengths`: facet id to the strength of its best passage in [0, 1]; a facet that is nearly
    covered is an `incomplete_answer`, one that nothing touches is missing.
    """
    gaps = [
        _gap(facet, strengths.get(facet["id"], 0.0))
        for facet in facets
        if facet["required"] and not covered.get(facet["id"])
    ]
    gaps.extend(
        _entity_gap(facet, strengths[facet["id"]])
        for facet in facets
        if facet["kind"] in ("entity", "code") and strengths.get(facet["id"], 1.0) < 0.3
    )
    gaps.extend(
        _make("timeline_gap", facet["text"], facet["id"], 0.8, facet["text"])
        for facet in facets
        if facet["kind"] == "time"
        and not facet["required"]
        and strengths.get(facet["id"], 1.0) == 0.0
    )
    if conflicts:
        gaps.append(_make("conflict", "", "", 0.9, ""))
    if stale:
        gaps.append(_make("timeline_gap", "", "", 0.6, ""))
    gaps.sort(key=lambda gap: -gap["confidence"])
    return gaps[:KEPT]


def _gap(facet: Facet, strength: float) -> Gap:
    kind: GapType = "incomplete_answer" if strength >= 0.3 else "missing_field"
    if facet["kind"] == "time":
        kind = "timeline_gap"
    elif facet["kind"] in ("entity", "code"):
        kind = "missing_entity"
    return _make(kind, facet["text"], facet["id"], 1.0 - 0.5 * strength, " ".join(facet["terms"]))


def _entity_gap(facet: Facet, strength: float) -> Gap:
    """An entity outranks a field only where the knowledge base does not know it at all."""
    return _make("missing_entity", facet["text"], facet["id"], 0.8 - strength, facet["text"])


def _make(kind: GapType, content: str, facet: str, confidence: float, suggestion: str) -> Gap:
    return Gap(
        type=kind, content=content, facet=facet,
        confidence=round(confidence, 3), suggestion=suggestion,
    )  # fmt: skip
