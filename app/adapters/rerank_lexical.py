"""The default reranker: lexical and embedding features, no download."""

from collections.abc import Sequence

from graphs.evidence.lexical import lexical_scores
from graphs.ports import Background, Candidate, RerankQuery, Sigmoid

_DEVIATIONS_TO_MIDDLE = 4.0
_DEVIATIONS_PER_SCALE = 1.0


class LexicalReranker:
    """Scores by words, headings and sentence similarity (`graphs.evidence.lexical`)."""

    fingerprint = "lexical-1"
    shipped = Sigmoid(midpoint=0.48, scale=0.09)

    def calibrate(self, background: Background) -> Sigmoid:
        """Return the shipped curve, moved where unrelated pairs score higher than expected.

        The middle lies four deviations above the measured background, never below the shipped one.
        """
        measured = background.mean + _DEVIATIONS_TO_MIDDLE * background.deviation
        scale = max(self.shipped.scale, _DEVIATIONS_PER_SCALE * background.deviation)
        return Sigmoid(max(self.shipped.midpoint, min(0.6, measured)), min(0.12, scale))

    def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
        """Return a raw score per candidate, about 0 for unrelated and 1 for answering passages."""
        return lexical_scores(query, candidates)
