"""Tokenising's one home: normalisation, index terms, sentences, codes, language."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from threading import Lock

import jieba
import jieba.posseg
import snowballstemmer

from graphs.evidence.codes import codes as codes
from graphs.evidence.codes import without_codes as without_codes
from graphs.evidence.script import fingerprint, simplified
from graphs.evidence.stop_words import STOP_WORDS as STOP_WORDS

CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK_CHAR = re.compile(f"[{CJK}]")
_WORD = re.compile(rf"[{CJK}]+|[a-z0-9]+(?:[-_./][a-z0-9]+)*(?:%)?", re.IGNORECASE)
_PARTS = re.compile(r"[-_./]")
_WORD_BUILDING = frozenset("给上下内外过前后中")
"""Stop words that also begin words (给煤, 外漏)."""
_SENTENCE_END = re.compile(r"[。！？!?；;]+[”’\"')）】]*|\.(?=\s|$)[”’\"')]*|\n+")

TERMS = f"terms3-{fingerprint()}"
"""Names the way in which terms are made: what was indexed in another way is indexed anew."""


@lru_cache(maxsize=4096)
def normalise(text: str) -> str:
    """Return a search copy of `text`: NFKC, lower case, simplified characters, white space folded.

    Offsets do not survive.
    """
    return " ".join(simplified(unicodedata.normalize("NFKC", text).lower()).split())


def fold(text: str) -> str:
    """Return `text` for identity: `normalise` without any white space."""
    return "".join(normalise(text).split())


def is_cjk(text: str) -> bool:
    """Tell whether `text` holds a CJK ideograph."""
    return bool(_CJK_CHAR.search(text))


def language(text: str) -> str:
    """Return "zh" or "en" by the share of ideographs among letters."""
    ideographs = len(_CJK_CHAR.findall(text))
    latin = len(re.findall(r"[A-Za-z]+", text))
    return "zh" if ideographs * 2 >= latin and ideographs else "en"


def load() -> None:
    """Load jieba's dictionaries now instead of at the first question."""
    jieba.setLogLevel(60)
    jieba.initialize()
    jieba.posseg.lcut("有据")


_STEMMER = snowballstemmer.stemmer("english")
_STEMMING = Lock()
"""A stemmer keeps the word it is at in itself, and passages are read in several threads."""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """Return the Snowball (Porter2) stem of a lower-case English word; other words unchanged."""
    if not (word.isascii() and word.isalpha()):
        return word
    with _STEMMING:
        return str(_STEMMER.stemWord(word))


def index_terms(text: str) -> list[str]:
    """Return the terms of `text` in order, with repeats, for the keyword index.

    Chinese: jieba search words (two or more characters or single ones) **and** character bigrams,
    which recover what segmentation splits differently; bigrams that are words come once.
    English: stems. Codes come whole, lower case, beside their parts.
    """
    terms: list[str] = []
    for code in codes(text):
        terms.append(code.lower())
    for match in _WORD.finditer(normalise(text)):
        run = match.group()
        if is_cjk(run):
            words = jieba.lcut_for_search(run)
            terms.extend(words)
            known = set(words)
            terms.extend(pair for i in range(len(run) - 1) if (pair := run[i : i + 2]) not in known)
        else:
            terms.extend(stem(part) for part in _PARTS.split(run) if part)
    return terms


def latin_terms(text: str) -> list[str]:
    """Return the index terms of `text` that are not Chinese; needs no segmentation."""
    terms = [code.lower() for code in codes(text)]
    for match in _WORD.finditer(normalise(text)):
        if not is_cjk(match.group()):
            terms.extend(stem(part) for part in _PARTS.split(match.group()) if part)
    return terms


def query_terms(text: str) -> list[str]:
    """Return the distinct terms of a query without stop words, in order of first use.

    Bigrams that lie across two words are kept only where both are single characters, which the
    document may hold as one word (甲 + 泵); so "检查" + "系统" does not search for "查系".
    """
    seen: dict[str, None] = {}
    for code in codes(text):
        seen[code.lower()] = None
    for match in _WORD.finditer(normalise(text)):
        run = match.group()
        if is_cjk(run):
            seen.update(dict.fromkeys(_chinese_terms(jieba.lcut(run))))
        else:
            for part in _PARTS.split(run):
                if part and part not in STOP_WORDS:
                    seen[stem(part)] = None
    return list(seen)


def _chinese_terms(run: list[str]) -> Iterator[str]:
    before = ""
    for word in run:
        if word not in STOP_WORDS:
            if len(before) == len(word) == 1:
                yield before + word
            yield from (part for part in jieba.lcut_for_search(word) if part not in STOP_WORDS)
            if len(word) > 2:
                pairs = (word[i : i + 2] for i in range(len(word) - 1))
                yield from (pair for pair in pairs if pair not in STOP_WORDS)
        before = word if word not in STOP_WORDS or word in _WORD_BUILDING else ""


def words(text: str) -> list[str]:
    """Return the distinct content words of `text` in order: jieba words, English stems.

    Stop words and codes are left out; these are the units in which coverage is counted.
    """
    return list(_words(text))


@lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    seen: dict[str, None] = {}
    for match in _WORD.finditer(normalise(without_codes(text))):
        run = match.group()
        if is_cjk(run):
            for word in jieba.lcut(run):
                trimmed = word[:-1] if len(word) > 2 and word[-1] in "时后前中" else word
                if trimmed not in STOP_WORDS:
                    seen[trimmed] = None
        else:
            for part in _PARTS.split(run):
                if part and part not in STOP_WORDS:
                    seen[stem(part)] = None
    return tuple(seen)


def spoken(text: str, terms: Sequence[str]) -> list[str]:
    """Return `terms` as `text` writes them: stems and folded characters are for matching only."""
    written = {stem(word): word for word in re.findall(r"[a-z]+", normalise(text))}
    plain = simplified(text)
    places = {term: plain.find(term) for term in terms if is_cjk(term)}
    return [
        text[place : place + len(term)]
        if (place := places.get(term, -1)) >= 0
        else written.get(term, term)
        for term in terms
    ]


def sentences(text: str) -> list[tuple[int, int]]:
    """Return (start, end) of each sentence, list item or table row, without outer white space.

    Line ends always divide; "；" divides as well, since Chinese procedures chain steps with it.
    Every span is non-empty and `text[start:end]` is the sentence.
    """
    spans: list[tuple[int, int]] = []
    begin = 0
    for match in _SENTENCE_END.finditer(text):
        _push(text, begin, match.end(), spans)
        begin = match.end()
    _push(text, begin, len(text), spans)
    return spans


def _push(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end and any(ch.isalnum() for ch in text[start:end]):
        spans.append((start, end))


@lru_cache(maxsize=4096)
def tagged(text: str) -> tuple[tuple[str, str], ...]:
    """Return jieba's (word, part of speech) pairs of the normalised text."""
    return tuple((pair.word, pair.flag) for pair in jieba.posseg.lcut(normalise(text)))


@lru_cache(maxsize=2048)
def trigrams(text: str) -> frozenset[tuple[str, ...]]:
    """Return word 3-grams for near-duplicate detection; short texts give one shorter gram."""
    words: list[str] = []
    for match in _WORD.finditer(normalise(text)):
        run = match.group()
        words.extend(jieba.lcut(run) if is_cjk(run) else [run])
    if len(words) < 3:
        return frozenset({tuple(words)}) if words else frozenset()
    return frozenset(tuple(words[i : i + 3]) for i in range(len(words) - 2))


def jaccard(left: Iterable[object], right: Iterable[object]) -> float:
    """Return |A ∩ B| / |A ∪ B|, 0 for two empty sets."""
    a, b = set(left), set(right)
    union = len(a | b)
    return len(a & b) / union if union else 0.0
