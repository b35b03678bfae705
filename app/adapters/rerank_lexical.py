"""The default reranker: lexical and embedding features, no download."""

from collections.abc import Sequence

from graphs.evidence.lexical import lexical_scores
from graphs.ports import Background, Candidate, RerankQuery, Sigmoid

_LOWEST, _HIGHEST = 0.37, 0.45
"""Where the middle of the curve may lie: measured on the sample questions, half of the unanswerable
ones stay below 0.28 with their best passage, three quarters of the answerable ones reach 0.57."""


class LexicalReranker:
    """Scores by words, headings and sentence similarity (`graphs.evidence.lexical`)."""

    fingerprint = "lexical-1"
    shipped = Sigmoid(midpoint=0.39, scale=0.08)

    def calibrate(self, background: Background) -> Sigmoid:
        """Return the shipped curve, moved where unrelated pairs score higher or lower than usual.

        The middle lies nine tenths of a deviation above the measured background, within bounds:
        passages of one small knowledge base are never quite unrelated.
        """
        measured = background.mean + 0.9 * background.deviation
        return Sigmoid(min(_HIGHEST, max(_LOWEST, measured)), self.shipped.scale)

    def score(self, query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
        """Return a raw score per candidate, about 0 for unrelated and 1 for answering passages."""
        return lexical_scores(query, candidates)
