"""Which queries of a model may be searched: new ones, inside the knowledge base's domain."""

from collections.abc import Sequence

from graphs.errors import ModelOutputInvalid
from graphs.evidence.text import fold, query_terms
from graphs.ports import KnowledgeBaseInfo
from graphs.reasoners.base import Case
from graphs.reasoners.llm_schemas import QueriesOut
from graphs.reasoners.llm_text import ADDRESS

_MOST = 3
_SHARE_KNOWN = 0.5


def fresh(reply: QueriesOut, case: Case) -> list[str]:
    """Return the queries that were not searched yet, main query first, at most three.

    Raises ModelOutputInvalid where none is left.
    """
    seen = {fold(query) for query in case.searched} | {""}
    found: list[str] = []
    for query in (" ".join(query.split()) for query in [reply.main, *reply.more]):
        if fold(query) not in seen:
            seen.add(fold(query))
            found.append(query)
    if not found:
        raise ModelOutputInvalid("every query was searched before")
    return found[:_MOST]


async def known(queries: Sequence[str], case: Case) -> list[str]:
    """Return the queries of which every word was asked or stands in the knowledge base.

    Queries are shown to the caller. Raises ModelOutputInvalid where none is left.
    """
    spoken = set(query_terms(case.question))
    terms = {query: query_terms(query) for query in queries}
    sought = sorted({t for ts in terms.values() for t in ts} - spoken)
    found = await case.kb.document_frequency(sought)
    kept = [q for q in queries if all(t in spoken or found.get(t) for t in terms[q])]
    if not kept:
        raise ModelOutputInvalid("every query brings in words from elsewhere")
    return kept


async def inside(queries: Sequence[str], case: Case, info: KnowledgeBaseInfo) -> list[str]:
    """Return the queries that are of the corpus's words at least by half and mix no unrelated terms.

    Raises ModelOutputInvalid where none is left.
    """
    apart = [query for query in queries if not _mixes(query, case.question, info.unrelated)]
    terms = {query: query_terms(query) for query in apart}
    known = await case.kb.document_frequency(sorted({t for ts in terms.values() for t in ts}))
    spoken = set(query_terms(case.question))
    kept = [
        query
        for query in apart
        if any(known.get(term) for term in terms[query])
        and sum(term in spoken or bool(known.get(term)) for term in terms[query])
        >= _SHARE_KNOWN * len(terms[query])
        and not ADDRESS.search(query)
    ]
    if not kept:
        raise ModelOutputInvalid("no query holds a word of the knowledge base")
    return kept


def _mixes(query: str, question: str, groups: Sequence[Sequence[str]]) -> bool:
    """Tell whether a query brings in a term that must not be mixed with one of the question."""
    asked, sought = fold(question), fold(query)
    return any(
        any(fold(term) in asked for term in group)
        and any(fold(term) in sought and fold(term) not in asked for term in group)
        for group in groups
    )
