"""Both sides of a dispute in the answer of the embedded reasoner, and disputes in its reading."""

from collections.abc import Sequence

from graphs.ask.records import Facet
from graphs.evidence.clauses import quotable
from graphs.evidence.consistency import contradictions
from graphs.evidence.disputes import Dispute, Side, disputes
from graphs.evidence.extraction import Quote
from graphs.evidence.twins import Span
from graphs.ports import RerankQuery
from graphs.reasoners.base import Case


def disagreements(query: RerankQuery, case: Case) -> tuple[list[tuple[str, str]], int]:
    """Return pairs of passage ids that disagree, and how many statements could be compared."""
    pairs, compared = contradictions(case.evidence)
    for asked in _parts(case):
        found, more = disputes(query, case.evidence, asked)
        compared += more
        pairs.extend(
            pair
            for pair in dict.fromkeys((d.left.passage.id, d.right.passage.id) for d in found)
            if pair not in pairs and pair[::-1] not in pairs
        )
    return pairs, max(compared, len(pairs))


def _parts(case: Case) -> list[str]:
    """Return what is asked part by part; "" is the whole question."""
    required = [facet["text"] for facet in case.facets if facet["required"]]
    return required if len(required) > 1 else [""]


def on_both_sides(
    query: RerankQuery, case: Case, facet: Facet, quotes: Sequence[Quote]
) -> list[Quote]:
    """Return the quotes of a facet with the other side of what they dispute, or both, placed first.

    `query` is the whole question.
    """
    asked = facet["text"] if len(_parts(case)) > 1 else ""
    found, _ = disputes(query, case.evidence, asked)
    if not found or any(_quoted(d.left, quotes) and _quoted(d.right, quotes) for d in found):
        return list(quotes)
    for number, quote in enumerate(quotes):
        for dispute in found:
            for mine, other, at in (
                (dispute.left, dispute.right, dispute.at[1]),
                (dispute.right, dispute.left, dispute.at[0]),
            ):
                if _quoted(mine, [quote]):
                    side = _quote(other, at, dispute)
                    return [*quotes[: number + 1], side, *quotes[number + 1 :]]
    first = found[0]
    both = [_quote(first.left, first.at[0], first), _quote(first.right, first.at[1], first)]
    return [*quotes, *both] if first.denied else [*both, *quotes]


def _quoted(side: Side, quotes: Sequence[Quote]) -> bool:
    return any(
        quote.passage.id == side.passage.id and quote.start < side.end and side.start < quote.end
        for quote in quotes
    )


def _quote(side: Side, at: Span, dispute: Dispute) -> Quote:
    """Return the shortest clause that says it; a sentence that denies is quoted whole."""
    spans = [] if dispute.denied else quotable(side.text)
    holding = [(a, b) for a, b in spans if a <= at[0] and at[1] <= b]
    start, end = min(holding, key=lambda span: span[1] - span[0], default=(0, len(side.text)))
    return Quote(side.passage, side.start + start, side.start + end)
