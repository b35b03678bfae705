"""Sentences of a document that give orders to the answering system instead of informing its reader.

They are taken out of what is read, judged, quoted and shown to a model, at their places, so that every
other place stays where it is; the document itself keeps them. Found are orders that only make sense
for a program: to drop its instructions, to be another assistant, to reveal its prompt, to answer
whatever is asked with given words, to cite what it is told to. What a document tells people to do
(answer the phone, reply within a day, ignore an old notice) is none of it.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from graphs.evidence.instruction_rules_en import ENGLISH
from graphs.evidence.instruction_rules_zh import CHINESE
from graphs.evidence.instruction_words import Rule
from graphs.evidence.passages import Passage
from graphs.evidence.text import sentences

_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
"""Characters that show nothing: they hide a word from a pattern, not from a model."""
_SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ ._*-]){4,}[^\W\d_](?![^\W_])")
"""One word with its letters held apart: i g n o r e."""
_RULES = ENGLISH + CHINESE
_WORDS = tuple({word for each in _RULES for group in each.groups for word in group})
"""Every word that a rule looks for first, in lower case."""
VERSION = 2
"""Rises with the rules: what a store kept by older ones is looked for anew."""
_DISGUISED = re.compile(f"{_INVISIBLE.pattern}|[\uff21-\uff3a\uff41-\uff5a]|{_SPACED.pattern}")
"""What a text holds whose words must be made readable before they are looked for."""
_MARKUP = re.compile(r"<[^<>]{0,200}>|<!--|-->|[*_`~]+")
_TEMPLATE = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>"
    r"|</?(?:system|assistant|think|passage|instructions?)\b[^>\n]{0,80}>"
    r"|```\s*(?:system|assistant|developer|instructions?|prompt)\b",
    re.IGNORECASE,
)
"""Tokens of chat templates: no document for people holds them."""


def readable(text: str) -> str:
    """Return `text` as a model reads it: without what is invisible, spaced out or full-width."""
    plain = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    plain = _SPACED.sub(lambda match: re.sub(r"[ ._*-]", "", match.group()), plain)
    return " ".join(_MARKUP.sub(" ", plain).split())


@lru_cache(maxsize=4096)
def instructions(text: str) -> tuple[tuple[int, int], ...]:
    """Return (start, end) of the sentences that give orders to the answering system, in order.

    The rest of a paragraph goes with them.
    """
    shown = readable if _DISGUISED.search(text) else str
    rules = _possible(_RULES, shown(text))
    if not rules and not _TEMPLATE.search(text):
        return ()
    found: list[tuple[int, int]] = []
    forged = 0  # what follows an order in its paragraph was written by the same hand
    for start, end in sentences(text):
        sentence = text[start:end]
        if end > forged and (_TEMPLATE.search(sentence) or _orders(shown(sentence), rules)):
            row = sentence.startswith("|")
            forged = (text.find("\n" if row else "\n\n", end) + 1) or len(text)
        if end <= forged:
            found.append((start, end))
    return tuple(found)


def _possible(rules: Sequence[Rule], text: str) -> list[Rule]:
    lowered = text.lower()
    held = {word for word in _WORDS if word in lowered}
    return [rule for rule in rules if rule.possible(held)]


def _orders(sentence: str, rules: Sequence[Rule]) -> bool:
    possible = _possible(rules, sentence) if rules else []
    return bool(possible) and any(rule.pattern.search(readable(sentence)) for rule in possible)


@lru_cache(maxsize=2048)
def without_orders(passage: Passage) -> Passage:
    """Return a passage with its `orders` blanked out: every other place stays where it is.

    In a table the cells are emptied; elsewhere the place becomes line ends, so that nothing is quoted
    across it.
    """
    if not passage.orders:
        return passage
    kept = list(passage.text)
    for start, end in passage.orders:
        begin = passage.text.rfind("\n", 0, start) + 1
        row = passage.text[begin:].lstrip().startswith("|")
        for place in range(start, end):
            if not row:
                kept[place] = "\n"
            elif kept[place] not in "|\n":
                kept[place] = " "
    return replace(passage, text="".join(kept))


def sentences_left(passage: Passage) -> list[int]:
    """Return the numbers, in the whole text, of the sentences that `without_orders` left.

    `passage` is what it returned. Vectors are kept for each sentence of the whole text.
    """
    gone = set(passage.orders)
    every = sorted({*sentences(passage.text), *gone})
    return [number for number, span in enumerate(every) if span not in gone]
