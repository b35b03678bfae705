"""Key phrases: what a passage talks about, in the document's own words."""

import re
from collections.abc import Iterator, Sequence

from graphs.evidence.text import STOP_WORDS, codes, is_cjk, normalise, sentences, tagged

_NOUN = frozenset({"n", "nz", "nt", "ns", "nr", "ng", "nrt", "vn", "an", "j", "l", "b"})
_VERB = frozenset({"v", "vd"})
_LONGEST = 12
_RUN = 3
_TOKEN = re.compile(r"[a-z0-9](?:[a-z0-9'-]*[a-z0-9])?")
_NUMBERING = re.compile(
    r"^\s*(?:第[零〇一二三四五六七八九十百\d]+[章节条编篇部]|[一二三四五六七八九十]+、|[(（][^)）]{1,4}[)）]"
    r"|\d+(?:\.\d+)*[.、．]?)\s*"
)
_BORDERS = STOP_WORDS | frozenset(
    """all after also another any back because before both each either else enough every few first
    further however last least less long longer many neither never next none off once one only
    other others own per second several since still third two three four five six seven eight nine
    ten too until upon up very via well while within without yet""".split()
)


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
        if start and _is_torn(words[start - 1], words[start]):
            continue
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


def _is_torn(before: tuple[str, str], word: tuple[str, str]) -> bool:
    """Tell whether two single characters are one word to the reader (排|汽): no phrase begins here."""
    return before[1] in _VERB and len(before[0]) == len(word[0]) == 1


def _names(run: Sequence[tuple[str, str]]) -> bool:
    """Tell whether a run of words names something: it holds a noun, verbs only in company."""
    if run[-1][1] == "b":
        return False
    if len(run) == 1:
        word, flag = run[0]
        return flag in _NOUN and len(word) >= 2
    nouns = sum(flag in _NOUN for _, flag in run)
    verbs = [at for at, (_, flag) in enumerate(run) if flag in _VERB]
    whole = all(
        len(run[at][0]) >= 2 or (at + 1 < len(run) and _is_torn(run[at], run[at + 1]))
        for at in verbs
    )
    return nouns > 0 and len(verbs) <= 1 and whole


def _english(sentence: str) -> Iterator[str]:
    for part in re.split(r"[^a-z0-9' -]+", sentence):
        words = _TOKEN.findall(part)
        usable = [_is_word(words, at) for at in range(len(words))]
        for start in range(len(words)):
            for stop in range(start + 1, min(start + _RUN, len(words)) + 1):
                inner = words[start + 1 : stop - 1]
                if (
                    usable[start]
                    and usable[stop - 1]
                    and all(usable[start + 1 + at] or word == "of" for at, word in enumerate(inner))
                ):
                    yield " ".join(words[start:stop])


def _is_word(words: Sequence[str], at: int) -> bool:
    """Tell whether a word can name something: no number, no stop word, no unit or currency."""
    word = words[at]
    if len(word) < 3 or word in _BORDERS or any(ch.isdigit() for ch in word):
        return False
    beside = (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2])
    return len(word) > 3 or not any(near[0].isdigit() for near in beside)
