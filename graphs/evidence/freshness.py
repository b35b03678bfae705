"""Freshness: do the passages fit the time that the question is about?"""

from collections.abc import Sequence
from functools import lru_cache

from graphs.ask.records import Facet
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.years import code_years, years, years_asked


def dates_asked(facets: Sequence[Facet]) -> list[str]:
    """Return the dates that the question names, as ISO prefixes; a bare year is one (in 2023)."""
    dates = [facet["text"] for facet in facets if facet["kind"] == "time"]
    texts = [facet["text"] for facet in facets if facet["kind"] in ("field", "entity")]
    bare = {year for text in texts for year in years_asked(text)}
    return [*dates, *sorted(year for year in bare if not any(d.startswith(year) for d in dates))]


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
    stated = found | years(text) | code_years(passage.codes)
    return frozenset(stated | ({passage.date} if passage.date else set()))


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
