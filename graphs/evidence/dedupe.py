"""Near-duplicates: collapsed for ranking only, never where they differ in what matters."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from graphs.evidence.numbers import claims
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import jaccard, tagged, trigrams

_NEGATIONS = ("不", "未", "无", "非", "没", "禁止", " not ", " no ", "never", "without", "n't")
_ENTITY_TAGS = ("nr", "ns", "nt", "nz", "eng")


@lru_cache(maxsize=2048)
def protected(passage: Passage) -> frozenset[object]:
    """Return what may not be lost: values, codes, negations, named entities, version."""
    text = passage.text
    values = {claim.key for claim in claims(text)}
    negations = {(word, text.count(word)) for word in _NEGATIONS if word in text}
    entities = {word for word, flag in tagged(text) if flag.startswith(_ENTITY_TAGS)}
    return frozenset((*values, *negations, *entities, passage.date, passage.codes))


def near_duplicates(left: Passage, right: Passage, threshold: float) -> bool:
    """Tell whether two passages say the same: word 3-grams alike and nothing protected differs."""
    if protected(left) != protected(right):
        return False
    if left.document_id == right.document_id and left.version != right.version:
        return False
    return jaccard(trigrams(left.text), trigrams(right.text)) >= threshold


def collapse(ranked: Sequence[Evidence], threshold: float = 0.75) -> list[Evidence]:
    """Keep the best of each group of near-duplicates; the others stay attached as `variants`."""
    kept: list[Evidence] = []
    for candidate in ranked:
        for index, leader in enumerate(kept):
            if near_duplicates(leader.passage, candidate.passage, threshold):
                kept[index] = replace(
                    leader, variants=(*leader.variants, candidate.passage.id, *candidate.variants)
                )
                break
        else:
            kept.append(candidate)
    return kept
