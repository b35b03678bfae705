"""Freshness: do the passages fit the time that the question is about?"""

from collections.abc import Sequence

from graphs.ask.state import Facet
from graphs.evidence.passages import Evidence


def years_asked(facets: Sequence[Facet]) -> list[str]:
    """Return the dates that the question names, as ISO prefixes."""
    return [facet["text"] for facet in facets if facet["kind"] == "time"]


def fits_time(evidence: Evidence, dates: Sequence[str], versions_found: frozenset[str]) -> bool:
    """Tell whether a passage fits: of a date asked for, else not superseded by a version found."""
    passage = evidence.passage
    if dates:
        held = (passage.date or "", *passage.section, passage.title, passage.text)
        return any(date in part for date in dates for part in held)
    return passage.superseded_by is None or passage.superseded_by not in versions_found


def freshness(evidence: Sequence[Evidence], facets: Sequence[Facet]) -> float:
    """Return the share of passages that fit the question's time; 1.0 where time does not matter.

    Time matters where the question names a date or where two versions of a document were found.
    """
    if not evidence:
        return 0.0
    documents = frozenset(item.passage.document_id for item in evidence)
    dates = years_asked(facets)
    fitting = [item for item in evidence if fits_time(item, dates, documents)]
    return len(fitting) / len(evidence)
