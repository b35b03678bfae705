"""Names that documents and sections go by, and where a text names them."""

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import pairwise

from graphs.evidence.codes import code_spans
from graphs.evidence.script import simplified
from graphs.evidence.text import CJK, STOP_WORDS

_TOKEN = re.compile(rf"[{CJK}]|[^\W_{CJK}]+")
_ASIDE = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_STATE = re.compile(r"^中华人民共和国(?=..)")
"""Laws are cited without the name of the state that their titles begin with."""
_LONGEST = 40
"""Tokens of the longest name that is looked for; a Chinese character is one token."""


def name_tokens(text: str) -> list[str]:
    """Return the tokens of `text` as names are compared: single ideographs, lower-case words."""
    return [token.lower() for token in _written(text)]


def _written(text: str) -> list[str]:
    """Return the tokens as written; codes in their one form (第563条 as 第五百六十三条)."""
    parts, last = [], 0
    for start, end, code in code_spans(text):
        parts += [text[last:start], f" {code} "]
        last = end
    plain = "".join((*parts, text[last:]))
    return _TOKEN.findall(simplified(unicodedata.normalize("NFKC", plain)))


def names(title: str) -> list[str]:
    """Return the forms in which `title` may be named, tokens joined by spaces.

    "Ed Wood (film)" is also "Ed Wood", and a law is also named without its state. What could be
    any word is no name: one ideograph, numbers alone, stop words alone, a short English word.
    """
    plain = simplified(unicodedata.normalize("NFKC", title)).strip()
    forms = (plain, _ASIDE.sub("", plain), _STATE.sub("", plain))
    return list(dict.fromkeys(" ".join(t) for form in forms if _naming(t := name_tokens(form))))


def _naming(tokens: list[str]) -> bool:
    if not tokens or len(tokens) > _LONGEST or not any(t.isalpha() for t in tokens):
        return False
    joined = "".join(tokens)
    return len(joined) > (1 if not joined.isascii() else 2) and not (
        joined in STOP_WORDS or all(token in STOP_WORDS for token in tokens)
    )


def short(name: str) -> bool:
    """Tell whether a name is one English word or at most three ideographs: it may be any word."""
    return name.count(" ") < (1 if name.isascii() else 3)


def head(name: str) -> str:
    """Return the first two tokens of a name (one, if it has no more): the key it is found by."""
    return " ".join(name.split(" ", 2)[:2])


def named(text: str, lengths: Mapping[str, Iterable[int]], known: Container[str]) -> Iterator[str]:
    """Yield the known names that stand in `text`, in order; inside a longer name none is seen.

    `lengths` holds the lengths in tokens of the names by their `head`. A name of one English
    word counts only where the text writes it with a capital.
    """
    written = _written(text)
    tokens = [token.lower() for token in written]
    heads = [*(f"{one} {two}" for one, two in pairwise(tokens)), *tokens[-1:]]
    keyed = list(zip(heads, tokens, strict=True))
    after = 0
    # Most places begin no name: they are passed over first, since this runs for every passage read
    for place in [i for i, (two, one) in enumerate(keyed) if two in lengths or one in lengths]:
        if place < after:
            continue
        for key in keyed[place]:
            found = _longest(tokens, place, lengths[key], known) if key in lengths else 0
            single = found == 1 and not written[place][0].isupper()
            if found and not single:
                yield " ".join(tokens[place : place + found])
                after = place + found
                break


def _longest(tokens: list[str], place: int, lengths: Iterable[int], known: Container[str]) -> int:
    """Return the length of the longest known name that begins at `place`, 0 for none."""
    fitting = sorted((n for n in lengths if place + n <= len(tokens)), reverse=True)
    return next((n for n in fitting if " ".join(tokens[place : place + n]) in known), 0)
