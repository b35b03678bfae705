"""The assessment of evidence: four dimensions, gaps, confidence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from graphs.ask.records import Assessment, Dimensions, Facet
from graphs.evidence.calibration import ConfidenceModel, Features
from graphs.evidence.consistency import consistency
from graphs.evidence.freshness import freshness
from graphs.evidence.gaps import find_gaps
from graphs.evidence.passages import Evidence
from graphs.policy import Weights
from graphs.reasoners.base import Reading


def relevance(scores: Sequence[float]) -> float:
    """Return the position-weighted mean (1/rank) of calibrated scores, best first; 0 if empty."""
    if not scores:
        return 0.0
    ranked = sorted(scores, reverse=True)
    weights = [1.0 / rank for rank in range(1, len(ranked) + 1)]
    return sum(w * s for w, s in zip(weights, ranked, strict=True)) / sum(weights)


def coverage(required: Sequence[str], covered: Mapping[str, Sequence[str]]) -> float:
    """Return the share of required facets that a named passage covers; 1.0 if none is required."""
    if not required:
        return 1.0
    return sum(bool(covered.get(facet)) for facet in required) / len(required)


def assess(
    evidence: Sequence[Evidence],
    facets: Sequence[Facet],
    reading: Reading,
    threshold: float,
    weights: Weights,
    model: ConfidenceModel,
) -> Assessment:
    """Return the assessment of `evidence` (best first) as `reading` read it.

    With no passage every dimension is 0. `confidence_covered` is the same model over the covered
    facets alone.
    """
    required = [facet["id"] for facet in facets if facet["required"]]
    scores = sorted(
        (reading.relevance.get(item.passage.id, item.score) for item in evidence), reverse=True
    )
    covered = {facet: list(ids) for facet, ids in reading.covered.items() if ids}
    dimensions = _dimensions(evidence, facets, required, covered, scores, reading)
    strengths = {f: reading.strengths.get(f, 1.0 if f in covered else 0.0) for f in required}
    features = Features(
        best=scores[0] if scores else 0.0,
        coverage=dimensions["coverage"],
        weakest=min(strengths.values(), default=1.0) if evidence else 0.0,
        subject=reading.subject,
        consistency=dimensions["consistency"],
    )
    held = [strengths[f] for f in required if f in covered]
    part = replace(features, coverage=1.0, weakest=min(held)) if held else None
    stale = dimensions["freshness"] < 0.5 and bool(evidence)
    return Assessment(
        evidence_score=round(_score(dimensions, weights), 3),
        confidence=round(model.confidence(features), 3),
        confidence_covered=round(model.confidence(part), 3) if part else 0.0,
        calibrated=model.fitted,
        threshold=threshold,
        best=round(features.best, 3),
        holds_subject=reading.holds_subject,
        dimensions=dimensions,
        covered=covered,
        gaps=find_gaps(facets, covered, reading.strengths, len(reading.contradictions), stale),
    )


def best_covering(evidence: Sequence[Evidence], facets: Sequence[Facet], reading: Reading) -> float:
    """Return the best calibrated score of a passage that covers a required facet; 0 for none."""
    required = [facet["id"] for facet in facets if facet["required"]]
    covering = {id_ for facet in required for id_ in reading.covered.get(facet, ())}
    return max(
        (
            reading.relevance.get(item.passage.id, item.score)
            for item in evidence
            if item.passage.id in covering
        ),
        default=0.0,
    )


def _dimensions(
    evidence: Sequence[Evidence],
    facets: Sequence[Facet],
    required: Sequence[str],
    covered: Mapping[str, Sequence[str]],
    scores: Sequence[float],
    reading: Reading,
) -> Dimensions:
    if not evidence:
        return Dimensions(relevance=0.0, coverage=0.0, consistency=0.0, freshness=0.0)
    return Dimensions(
        relevance=round(relevance(scores), 3),
        coverage=round(coverage(required, covered), 3),
        consistency=round(consistency(len(reading.contradictions), reading.claims), 3),
        freshness=round(freshness(evidence, facets), 3),
    )


def _score(dimensions: Dimensions, weights: Weights) -> float:
    return (
        weights.relevance * dimensions["relevance"]
        + weights.coverage * dimensions["coverage"]
        + weights.consistency * dimensions["consistency"]
        + weights.freshness * dimensions["freshness"]
    )
