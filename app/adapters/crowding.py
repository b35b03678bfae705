"""Near-copies of one document: kept from taking all places among the candidates."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from graphs.evidence.passages import Hit

_EXTRA = 2
"""Copies of one content that stay beside the best of it, so that differences can be read."""
_WIDER = (1, 4, 16)
"""How many times the limit is fetched, one after the other, until enough contents are found."""

Fetch = Callable[[int], list[Hit]]
"""Returns the best visible hits, at most as many as it is told."""
DocumentsOf = Callable[[Sequence[str]], Mapping[str, str]]


def originals(copies: Mapping[str, str]) -> dict[str, str]:
    """Return for every document in a group of copies the one that came first; itself included."""
    found: dict[str, str] = {}
    for document in copies:
        first = document
        while first in copies:  # a copy is later than its original, so this ends
            first = copies[first]
        found[document] = found[first] = first
    return found


def uncrowded(
    fetch: Fetch, limit: int, original: Mapping[str, str], documents_of: DocumentsOf
) -> list[Hit]:
    """Return the best hits with at most `limit` distinct contents, and a few copies of each.

    A group of near-copies counts for as many contents as its best represented document has hits.
    Where no document has copies, this is `fetch(limit)`.
    """
    kept: list[Hit] = []
    for factor in _WIDER if original else _WIDER[:1]:
        hits = fetch(factor * limit)
        if not original:
            return hits
        kept, contents = _spread(hits, limit, original, documents_of([hit.id for hit in hits]))
        if contents >= limit or len(hits) < factor * limit:
            break
    return kept


def _spread(
    hits: Iterable[Hit], limit: int, original: Mapping[str, str], documents: Mapping[str, str]
) -> tuple[list[Hit], int]:
    """Return the hits that stay, best first, and the number of distinct contents among them."""
    of_document: Counter[str] = Counter()
    of_group: dict[str, list[int]] = defaultdict(list)
    kept: list[Hit] = []
    contents = 0
    for hit in hits:
        document = documents.get(hit.id, hit.id)  # gone since: a content of its own
        group = of_group[original.get(document, document)]
        place = of_document[document]
        of_document[document] += 1
        if place == len(group):
            if contents == limit:
                break
            contents += 1
            group.append(0)
            kept.append(hit)
        elif group[place] < _EXTRA:
            group[place] += 1
            kept.append(hit)
    return kept, contents
