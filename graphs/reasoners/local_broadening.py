"""How the embedded reasoner binds the user's words to the knowledge base's own."""

import asyncio
from collections.abc import Sequence

from graphs.ask.records import Facet
from graphs.evidence.broadening import (
    Concept,
    candidates,
    choose,
    companions,
    floor_of,
    permitted,
)
from graphs.evidence.names import term_weight
from graphs.evidence.text import STOP_WORDS, is_cjk, tagged, words
from graphs.ports import Embedder, KnowledgeBase
from graphs.reasoners.base import Case

_COMPANIONS = 3
_COMPANION = 0.8
"""A companion stands for the user's word less than the phrase that it stands beside."""
_TELLING = 0.4
"""A phrase that stands in more than this share of the passages (a title, say) tells nothing."""
_FREQUENT = 150
"""Phrases of the vocabulary that may become companions, the most frequent ones."""


async def bindings(embedder: Embedder, case: Case) -> dict[str, dict[str, float]]:
    """Return facet id to the corpus phrases that stand for what the corpus does not call so.

    Each phrase has a strength in [0, 0.85].
    Only facets with a word that the knowledge base does not know are bound. The topic's companions
    are added to the facet that was bound best.
    """
    kb = case.kb
    vocabulary = await kb.vocabulary()
    unknown = await _unknown_words(kb, case.facets)
    concepts = await _concepts(embedder, case.facets, unknown)
    if not concepts or not vocabulary.phrases:
        return {}
    bound = await known_words(kb, case.facets)
    info = await kb.info()
    near = candidates(concepts, vocabulary)
    said = {term for facet in case.facets for term in facet["terms"]}
    frequency = dict(zip(vocabulary.phrases, vocabulary.frequency, strict=True))
    order = [
        phrase
        for phrase in dict.fromkeys(p for found in near.values() for p in found)
        if permitted(phrase, bound, info.unrelated)
        and not set(words(phrase)) <= said
        and frequency[phrase] <= _TELLING * info.passages
    ]
    if not order:
        return {}
    together = await kb.cooccurrence(order, bound)
    chosen = choose(
        near, order, together, await kb.cooccurrence(order, order), floor_of(vocabulary)
    )
    seeds = list(dict.fromkeys(p for found in chosen.values() for p in found))
    frequent = list(vocabulary.phrases[:_FREQUENT])
    joint = await kb.cooccurrence(seeds, frequent) if seeds else None
    if joint is not None:
        best = max(chosen, key=lambda facet: max(chosen[facet].values()))
        value = _COMPANION * max(chosen[best].values())
        beside = companions(seeds, frequent, joint, vocabulary.frequency[:_FREQUENT])
        telling = [
            phrase
            for phrase in beside
            if frequency[phrase] <= _TELLING * info.passages
            and not set(words(phrase)) <= said
            and permitted(phrase, bound, info.unrelated)
        ]
        for phrase in telling[:_COMPANIONS]:
            chosen[best].setdefault(phrase, value)
    return chosen


async def known_words(kb: KnowledgeBase, facets: Sequence[Facet]) -> list[str]:
    """Return the words of entity facets that the knowledge base knows, in order."""
    terms = list(dict.fromkeys(t for f in facets if f["kind"] == "entity" for t in f["terms"]))
    frequency = await kb.document_frequency(terms)
    return [term for term in terms if frequency.get(term, 0) > 0]


async def _unknown_words(kb: KnowledgeBase, facets: Sequence[Facet]) -> set[str]:
    """Return the telling words of the question that the knowledge base does not know."""
    terms = list({term for facet in facets for term in facet["terms"]})
    frequency = await kb.document_frequency(terms)
    return {t for t in terms if frequency.get(t, 0) == 0 and term_weight(t) >= 1.0}


async def _concepts(
    embedder: Embedder, facets: Sequence[Facet], unknown: set[str]
) -> list[Concept]:
    """Return the facets with an unknown word, each by those wordings that hold one."""
    wordings = {
        facet["id"]: found
        for facet in facets
        if facet["kind"] in ("entity", "field")
        and (found := [text for text in _wordings(facet) if set(words(text)) & unknown])
    }
    texts = [text for found in wordings.values() for text in found]
    rows = await asyncio.to_thread(embedder.embed, texts)
    concepts: list[Concept] = []
    place = 0
    for facet_id, found in wordings.items():
        concepts.append(Concept(facet_id, found, rows[place : place + len(found)]))
        place += len(found)
    return concepts


def _wordings(facet: Facet) -> list[str]:
    """Return a facet's text and its pairs of adjacent words: 汽机尾部 of 汽机尾部参数不对劲."""
    if facet["kind"] == "field":
        return [term for term in facet["terms"] if len(term) > 1]
    found = [word for word, _ in tagged(facet["text"]) if word.strip() and word not in STOP_WORDS]
    glue = "" if is_cjk(facet["text"]) else " "
    pairs = [found[i] + glue + found[i + 1] for i in range(len(found) - 1)]
    single = [word for word in words(facet["text"]) if len(word) > (3 if glue else 1)]
    return list(dict.fromkeys([facet["text"], *pairs, *single]))
