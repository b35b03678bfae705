"""Key phrases: what a passage talks about, in the document's own words."""

import re
from collections.abc import Iterator, Sequence

from graphs.evidence.text import STOP_WORDS, codes, is_cjk, normalise, sentences, tagged

_NOUN = frozenset({"n", "nz", "nt", "ns", "nr", "ng", "nrt", "vn", "an", "j", "l", "b"})
_VERB = frozenset({"v", "vd"})
_LONGEST = 12
_RUN = 3
_ENGLISH = re.compile(r"[a-z][a-z0-9'-]*")
_NUMBERING = re.compile(
    r"^\s*(?:第[零〇一二三四五六七八九十百\d]+[章节条编篇部]|[一二三四五六七八九十]+、|[(（][^)）]{1,4}[)）]"
    r"|\d+(?:\.\d+)*[.、．]?)\s*"
)
_BORDERS = STOP_WORDS | {
    "also",
    "each",
    "every",
    "per",
    "only",
    "other",
    "both",
    "within",
    "without",
}


def key_phrases(headings: Sequence[str], text: str) -> dict[str, bool]:
    """Return the phrases of a passage; True marks those that stand in a heading.

    Chinese: runs of one to three nouns or verbal nouns, two to twelve characters. English: one to
    three words, lower case, no stop word at a border. Codes as they are, upper case.
    """
    found: dict[str, bool] = {}
    for start, end in sentences(text):
        for phrase in _phrases(text[start:end]):
            found.setdefault(phrase, False)
    for heading in headings:
        whole = normalise(_NUMBERING.sub("", heading))
        if 2 <= len(whole) <= _LONGEST and is_cjk(whole):
            found[whole] = True
        for phrase in _phrases(heading):
            found[phrase] = True
    return found


def _phrases(sentence: str) -> Iterator[str]:
    yield from codes(sentence)
    if is_cjk(sentence):
        yield from _chinese(sentence)
    yield from _english(normalise(sentence))


def _chinese(sentence: str) -> Iterator[str]:
    words = tagged(sentence)
    for start in range(len(words)):
        phrase = ""
        for position in range(start, min(start + _RUN, len(words))):
            word, flag = words[position]
            if not is_cjk(word) or word in STOP_WORDS or not (flag in _NOUN or flag in _VERB):
                break
            phrase += word
            if len(phrase) > _LONGEST:
                break
            if len(phrase) >= 2 and _names(words[start : position + 1]):
                yield phrase


def _names(run: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a run of words names something: it holds a noun, verbs only in company."""
    if run[-1][1] == "b":
        return False
    if len(run) == 1:
        word, flag = run[0]
        return flag in _NOUN and len(word) >= 2
    nouns = sum(flag in _NOUN for _, flag in run)
    verbs = [word for word, flag in run if flag in _VERB]
    return nouns > 0 and len(verbs) <= 1 and all(len(word) >= 2 for word in verbs)


def _english(sentence: str) -> Iterator[str]:
    for part in re.split(r"[^a-z0-9' -]+", sentence):
        words = _ENGLISH.findall(part)
        for start in range(len(words)):
            if words[start] in _BORDERS:
                continue
            for stop in range(start + 1, min(start + _RUN, len(words)) + 1):
                if words[stop - 1] not in _BORDERS:
                    phrase = " ".join(words[start:stop])
                    if len(phrase) > 2:
                        yield phrase
