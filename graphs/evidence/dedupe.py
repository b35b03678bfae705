"""Near-duplicates: collapsed for ranking only, never where they differ in what matters."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from graphs.evidence.numbers import claims
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import fold, is_cjk, jaccard, tagged, trigrams

_NEGATION = re.compile(
    r"[不未无非没否]|禁止|严禁|\b(?:not|no|nor|none|never|neither|without|cannot|except|unless)\b|n['’]t\b",
    re.IGNORECASE,
)
_ENTITY_TAGS = ("nr", "ns", "nt", "nz")
_NAME = re.compile(r"(?<![.!?:;\n])(?<![.!?:;]\s)(?<!^)\b[A-Z][\w-]*")
"""A capitalised word that does not open a sentence."""
_BITS = 2048
_LATIN = re.compile(r"[A-Za-z][\w-]*")


@lru_cache(maxsize=2048)
def protected(passage: Passage) -> frozenset[object]:
    """Return what may not be lost: values, codes, negations, named entities, version."""
    text = passage.text
    values = {claim.key for claim in claims(text)}
    negations = Counter(match.group().lower() for match in _NEGATION.finditer(text)).items()
    entities = {word for word, flag in tagged(text) if flag.startswith(_ENTITY_TAGS)}
    # In Chinese text every Latin word is a name; in English text only capitals tell.
    names = (_LATIN if is_cjk(text) else _NAME).findall(text)
    return frozenset((*values, *negations, *entities, *names, passage.date, passage.codes))


def near_duplicates(left: Passage, right: Passage, threshold: float) -> bool:
    """Tell whether two passages say the same: word 3-grams alike and nothing protected differs.

    Cheap questions come first: most pairs share too few characters to be worth taking apart.
    """
    if left.document_id == right.document_id and left.version != right.version:
        return False
    mine, other = _signature(left.text), _signature(right.text)
    if (mine & other).bit_count() < threshold / 2 * (mine | other).bit_count():
        return False
    if jaccard(trigrams(left.text), trigrams(right.text)) < threshold:
        return False
    return protected(left) == protected(right)


@lru_cache(maxsize=4096)
def _signature(text: str) -> int:
    """Return the character 3-grams of the normalised text as a set of bits.

    Texts that share three quarters of their word 3-grams share well over a third of these.
    """
    points = np.frombuffer(fold(text).encode("utf-32-le", "replace"), dtype=np.uint32)
    padded = np.concatenate([np.zeros(2, dtype=np.uint32), points])
    first, second, third = padded[:-2], padded[1:-1], padded[2:]
    mixed = (
        first * np.uint32(2654435761) ^ second * np.uint32(40503) ^ third * np.uint32(2246822519)
    )
    bits = np.zeros(_BITS, dtype=bool)
    bits[(mixed >> np.uint32(15)) % _BITS] = True
    return int.from_bytes(np.packbits(bits).tobytes(), "little")


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
