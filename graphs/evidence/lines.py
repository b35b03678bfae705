"""A passage taken apart into lines, and how words, phrases and values stand in them."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from graphs.evidence.blocks import Row, header_line, row_at, rows
from graphs.evidence.lexicon import Lexicon as Lexicon
from graphs.evidence.passages import Passage
from graphs.evidence.ranges import holds_value
from graphs.evidence.text import fold, is_cjk, latin_terms, sentences

Shares = NDArray[np.float32]

_SAME_LANGUAGE = (0.35, 0.70)
_CROSS_LANGUAGE = (0.14, 0.42)
_CROSS_SENTENCES = (0.28, 0.52)
"""Cosines between which meaning goes from "unrelated" to "the same", for the default embedder."""
_DENIAL = re.compile(
    r"无关|没有关系|不相关|\b(?:unrelated|not related|nothing to do)\b", re.IGNORECASE
)
_NUMBERED_WORD = re.compile(r"^[a-z]+ (?:\d|[a-z]$)|^\d+号")
_LOOSE = 0.6
"""What a two-character word is worth whose characters stand a little apart (先查 in 优先检查)."""


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a passage. `start` and `end` count within the passage's text."""

    start: int
    end: int
    text: str
    folded: str
    terms: frozenset[str]
    """Index terms that are not Chinese: Chinese words are looked for in `folded`."""
    kind: str = "text"
    """As `blocks.Row.kind`."""
    above: str = ""
    """What the line stands under: the heading before it, its table's header, its list's lead."""


@dataclass(frozen=True, slots=True, eq=False)
class PassageText:
    """A passage taken apart once, for all facets; equal only to itself, so that it hashes fast."""

    heading: Line
    lines: tuple[Line, ...]
    language: str
    lead: Line | None = None
    """The header of the table that the passage goes on with."""


@lru_cache(maxsize=2048)
def take_apart(passage: Passage) -> PassageText:
    """Return the passage's heading and sentences with their terms."""
    heading = " ".join((passage.title, *passage.section, *passage.codes))
    layout = rows(passage.text)
    lines = []
    for start, end in sentences(passage.text):
        row = row_at(layout, start)
        above = _above(passage, layout, start, row)
        lines.append(
            line_of(passage.text[start:end], start, end, row.kind if row else "text", above)
        )
    lead = line_of(passage.heading_row, 0, 0, "header") if passage.lead else None
    return PassageText(line_of(heading, 0, 0), tuple(lines), passage.language, lead)


def _above(passage: Passage, layout: list[Row], start: int, row: Row | None) -> str:
    """Return what a line stands under: the heading before it, its table's header, its list's lead."""
    text = passage.text
    over = [r for r in layout if r.kind == "heading" and r.end <= start][-1:]
    if row and row.kind == "item":
        over.extend([r for r in layout if r.start < row.start and r.kind == "text"][-1:])
    shown = [text[r.start : r.end] for r in over]
    if row and row.kind == "row":
        shown.append(header_line(layout, row, text, passage.lead))
    return "\n".join(filter(None, shown))


@lru_cache(maxsize=8192)
def line_of(text: str, start: int, end: int, kind: str = "text", above: str = "") -> Line:
    """Return a line with its folded text and terms; cached, since lines come back for each facet."""
    return Line(start, end, text, fold(text), frozenset(latin_terms(text)), kind, above)


@lru_cache(maxsize=1024)
def _numbered(word: str) -> re.Pattern[str]:
    """Return the pattern of a name with its number: no longer number counts (part 5, part 50)."""
    parts = [re.escape(part) for part in re.split(r"\s+|(?<=\d)(?=号)", word)]
    return re.compile(r"(?<![\w.])" + r"\s*".join(parts) + r"(?![\d.]*\d)(?![a-z])", re.IGNORECASE)


@lru_cache(maxsize=4096)
def _kind(word: str) -> str:
    if _NUMBERED_WORD.search(word):
        return "numbered"
    return "chinese" if is_cjk(word) else "latin"


@lru_cache(maxsize=4096)
def _apart(word: str) -> re.Pattern[str]:
    """Return the pattern of two characters with up to three others between them."""
    return re.compile(f"{word[0]}.{{1,3}}{word[1]}")


def presence(word: str, line: Line) -> float:
    """Return how far a word stands in a line: 1, less where only its parts stand there."""
    kind = _kind(word)
    if kind == "numbered":
        return 1.0 if _numbered(word).search(line.text) else 0.0
    if kind == "latin":
        return 1.0 if word in line.terms else 0.0
    if word in line.folded:
        return 1.0
    if len(word) == 2:
        # Most lines lack one of the two: no pattern is tried on them.
        near = word[0] in line.folded and word[1] in line.folded
        return _LOOSE if near and _apart(word).search(line.folded) else 0.0
    if len(word) < 3:
        return 0.0
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    return 0.8 * sum(pair in line.folded for pair in pairs) / len(pairs)


@lru_cache(maxsize=16384)
def presences(word: str, text: PassageText) -> tuple[float, ...]:
    """Return `presence` in the heading, then in every line: read once for all that asks for a word."""
    return (presence(word, text.heading), *(presence(word, line) for line in text.lines))


def stands_for(phrases: Mapping[str, float], line: Line) -> float:
    """Return how far a line holds a (folded) phrase for the user's word, unless it denies it."""
    if not phrases or _DENIAL.search(line.text):
        return 0.0
    return max((v for phrase, v in phrases.items() if phrase in line.folded), default=0.0)


def soft(cosine: float, same_language: bool, whole: bool = False) -> float:
    """Map a cosine to [0, 1]: how sure one is that two texts mean the same.

    `whole`: both are sentences; otherwise one is a short phrase, which lies farther off.
    """
    across = _CROSS_SENTENCES if whole else _CROSS_LANGUAGE
    low, high = _SAME_LANGUAGE if same_language else across
    return float(min(1.0, max(0.0, (cosine - low) / (high - low))))


def coverage(words: Sequence[str], lines: Sequence[tuple[Line, float]], lexicon: Lexicon) -> float:
    """Return the rarity-weighted share of `words` that stand in `lines` (each with a factor)."""
    total = sum(lexicon.weight(word) for word in words)
    if total <= 0:
        return 0.0
    held = sum(
        lexicon.weight(word)
        * max((factor * presence(word, line) for line, factor in lines), default=0.0)
        for word in words
    )
    return held / total


class Standing:
    """How the words and values of a question stand in every line of one passage.

    `shares` has shape (items, lines), `heading` shape (items,), `above` shape (items, lines); all in
    [0, 1]. `weights` has shape (items,).
    """

    def __init__(
        self,
        text: PassageText,
        words: Sequence[tuple[str, float, Mapping[str, float]]],
        values: Sequence[str],
        lexicon: Lexicon,
    ) -> None:
        rare = math.log1p(lexicon.passages)
        weights = [lexicon.weight(word) * factor for word, factor, _ in words]
        self.weights = np.array([*weights, *(rare for _ in values)], dtype=np.float32)
        # one header or lead stands over many lines
        over = {line.above: line_of(line.above, 0, 0) for line in text.lines if line.above}
        read: list[Sequence[float]] = [presences(word, text) for word, _, _ in words]
        whole = _matrix([text.heading, *text.lines], read, words, values)
        self.heading, self.shares = whole[:, 0], whole[:, 1:]
        read = [[presence(word, line) for line in over.values()] for word, _, _ in words]
        above = _matrix(list(over.values()), read, words, values)
        places = {said: i for i, said in enumerate(over)}
        under = [i for i, line in enumerate(text.lines) if line.above]
        self.above = np.zeros_like(self.shares)
        self.above[:, under] = above[:, [places[text.lines[i].above] for i in under]]

    def asked(self, neighbours: float, rest: float) -> Shares | None:
        """Return for every line the weighted share of the items that stand in or near it.

        Headings, a table's header and a list's lead count 0.9, the lines beside it `neighbours`, all
        others `rest`. None where nothing is asked.
        """
        total = float(self.weights.sum())
        if total <= 0.0:
            return None
        best = np.maximum(self.shares, 0.9 * self.heading[:, None])
        best = np.maximum(best, 0.9 * self.above)
        if self.shares.shape[1] > 1:
            best[:, 1:] = np.maximum(best[:, 1:], neighbours * self.shares[:, :-1])
            best[:, :-1] = np.maximum(best[:, :-1], neighbours * self.shares[:, 1:])
            best = np.maximum(best, rest * self.shares.max(axis=1, keepdims=True))
        return np.asarray(self.weights @ best / total, dtype=np.float32)


def _matrix(
    lines: Sequence[Line],
    read: Sequence[Sequence[float]],
    words: Sequence[tuple[str, float, Mapping[str, float]]],
    values: Sequence[str],
) -> Shares:
    """Return shape (items, lines); `read` holds the presence of every word in every line."""
    shares = np.zeros((len(words) + len(values), len(lines)), dtype=np.float32)
    for i, (_, _, phrases) in enumerate(words):
        shares[i] = read[i]
        if phrases:
            bound = [stands_for(phrases, line) for line in lines]
            shares[i] = [max(pair) for pair in zip(read[i], bound, strict=True)]
    for i, value in enumerate(values, start=len(words)):
        for j, line in enumerate(lines):
            shares[i, j] = 1.0 if holds_value(value, line.text) else 0.0
    return shares
