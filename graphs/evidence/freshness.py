"""Freshness: do the passages fit the time that the question is about?"""

import re
from collections.abc import Sequence
from functools import lru_cache

from graphs.ask.records import Facet
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Evidence, Passage

_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)")


def dates_asked(facets: Sequence[Facet]) -> list[str]:
    """Return the dates that the question names, as ISO prefixes."""
    return [facet["text"] for facet in facets if facet["kind"] == "time"]


def fits_time(evidence: Evidence, dates: Sequence[str], versions_found: frozenset[str]) -> bool:
    """Tell whether a passage fits: of a date asked for, else not superseded by a version found."""
    passage = evidence.passage
    if dates:
        held = dates_of(passage)
        return any(other.startswith(date) for date in dates for other in held)
    return passage.superseded_by is None or passage.superseded_by not in versions_found


@lru_cache(maxsize=2048)
def dates_of(passage: Passage) -> frozenset[str]:
    """Return the dates that a passage and its headings name, as ISO, and the years in its codes."""
    text = "\n".join((passage.title, *passage.section, passage.text))
    found = {claim.value for claim in claims(text) if claim.kind == "date"}
    years = {year for code in passage.codes for year in _YEAR.findall(code)}
    return frozenset(found | years | ({passage.date} if passage.date else set()))


def freshness(evidence: Sequence[Evidence], facets: Sequence[Facet]) -> float:
    """Return the share of passages that fit the question's time; 1.0 where time does not matter.

    Time matters where the question names a date or where two versions of a document were found.
    """
    if not evidence:
        return 0.0
    documents = frozenset(item.passage.document_id for item in evidence)
    dates = dates_asked(facets)
    fitting = [item for item in evidence if fits_time(item, dates, documents)]
    return len(fitting) / len(evidence)
