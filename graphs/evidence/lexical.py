"""The default reranker's raw score: words, meaning and their agreement; no download needed."""

from collections.abc import Sequence

import numpy as np

from graphs.evidence.asks import strip_cues
from graphs.evidence.lines import Lexicon, Line, coverage, soft, take_apart
from graphs.evidence.text import codes, language, words
from graphs.ports import Candidate, RerankQuery


def lexical_scores(query: RerankQuery, candidates: Sequence[Candidate]) -> list[float]:
    """Return a raw score per candidate, about 0 for unrelated and 1 for answering passages."""
    asked = words(strip_cues(query.text)) or words(query.text)
    wanted = set(codes(query.text))
    lexicon = Lexicon(query.passages, query.frequency)
    return [_score(query, candidate, asked, wanted, lexicon) for candidate in candidates]


def _score(
    query: RerankQuery,
    candidate: Candidate,
    asked: Sequence[str],
    wanted: set[str],
    lexicon: Lexicon,
) -> float:
    text = take_apart(candidate.passage)
    lines: list[tuple[Line, float]] = [(text.heading, 1.0), *((line, 1.0) for line in text.lines)]
    if text.lead is not None:
        lines.append((text.lead, 1.0))
    held = coverage(asked, lines, lexicon)
    titled = coverage(asked, [(text.heading, 1.0)], lexicon)
    matrix = candidate.sentence_vectors
    nearest = float(np.max(matrix @ query.vector)) if len(matrix) else 0.0
    similarity = max(candidate.dense, nearest)
    same = text.language == language(query.text)
    if not same:
        held = max(held, 0.9 * soft(similarity, same_language=False, whole=True))
    raw = 0.6 * held + 0.5 * max(0.0, similarity) + 0.15 * titled
    if wanted:
        known = {*candidate.passage.codes, *codes(candidate.passage.text)}
        raw += 0.45 if wanted & known else -0.1
    return raw
