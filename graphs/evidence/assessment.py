"""The assessment of evidence: four dimensions, gaps, confidence."""

from collections.abc import Mapping, Sequence

from graphs.ask.records import Assessment, Dimensions, Facet
from graphs.evidence.calibration import ConfidenceModel
from graphs.evidence.consistency import consistency
from graphs.evidence.freshness import freshness
from graphs.evidence.gaps import find_gaps
from graphs.evidence.passages import Evidence
from graphs.evidence.sufficiency import FEW, odds, smallness
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
    best = scores[0] if scores else 0.0
    features = features_of(reading, required, covered, best, dimensions) if evidence else {}
    held = [facet for facet in required if facet in covered]
    part = features_of(reading, held, covered, best, dimensions) if held and evidence else {}
    stale = dimensions["freshness"] < 0.5 and bool(evidence)
    return Assessment(
        evidence_score=round(_score(dimensions, weights), 3),
        confidence=round(model.confidence(features), 3),
        confidence_covered=round(model.confidence(part), 3),
        calibrated=model.fitted,
        threshold=threshold,
        best=round(best, 3),
        holds_subject=reading.holds_subject,
        dimensions=dimensions,
        features=features,
        covered=covered,
        gaps=find_gaps(facets, covered, reading.strengths, len(reading.contradictions), stale),
    )


def features_of(
    reading: Reading,
    facets: Sequence[str],
    covered: Mapping[str, Sequence[str]],
    best: float,
    dimensions: Dimensions,
) -> dict[str, float]:
    """Return what the confidence is judged by, each in [0, 1], for the required `facets`.

    In a small knowledge base the facets tell whether the evidence suffices, in a large one the passages
    do, a few in another way than many; in between both count, each by its share. Where a model judged
    (`reading.proposed`) its facets do.
    """
    signals = reading.signals
    small = 1.0 if reading.proposed is not None else smallness(signals.base)
    weakest = min((_strength(reading, covered, facet) for facet in facets), default=1.0)
    by_facets = {
        "best": best,
        "coverage": coverage(facets, covered),
        "weakest": weakest,
        "subject": reading.subject,
        "consistency": dimensions["consistency"],
    }
    if signals.passages > FEW:
        by_passages = {"many": 1.0, "agreement": odds(signals.agreement)}
    else:
        by_passages = {
            "few": 1.0,
            "few_best": best,
            "few_weakest": weakest,
            "bearing": odds(signals.bearing),
            "words": signals.words,
            "rarest": signals.rarest,
        }
    found = {name: small * value for name, value in by_facets.items()}
    found |= {name: (1.0 - small) * value for name, value in by_passages.items()}
    return {name: round(value, 3) for name, value in found.items()}


def _strength(reading: Reading, covered: Mapping[str, Sequence[str]], facet: str) -> float:
    return reading.strengths.get(facet, 1.0 if facet in covered else 0.0)


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
