"""What speaks for a clause as the answer to a question: signs of it, its sentence and its passage."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphs.evidence import asks
from graphs.evidence.candidates import AnswerCandidate, Wanted, candidates_in, places_of
from graphs.evidence.clauses import quotable
from graphs.evidence.lines import Lexicon, Line, take_apart
from graphs.evidence.text import is_cjk, words
from graphs.evidence.values import Value, agree
from graphs.ports import Candidate, RerankQuery

SIGNS = (
    "value_typed",  # strength of the best new candidate, where a time or number is asked for
    "value_named",  # the same where a person, place, organisation or title is
    "value_any",  # the same where any thing is
    "fit_typed", "fit_named",  # how well its kind fits
    "near",  # how near it stands to the question's words
    "coverage",  # rarity-weighted share of the question's words in the clause
    "sentence", "around", "passage",  # in its sentence, beside it too (0.6), in the passage
    "rarest_sentence", "rarest_passage",  # whether the rarest word stands there
    "numbers",  # share of the question's numbers in the passage; 0.5 without any
    "meaning", "meaning_best",  # cosine of the sentence, and of the passage's nearest one
    "agree_kind", "agree_any",  # other passages with the same candidate, up to three
    "length", "length_squared", "length_value",  # log of its length over the usual
    "whole", "opens",  # it is a whole sentence; it opens one
    "place",  # how far down the passage its sentence stands
    "year",  # its sentence names a year asked about: 1, only other years: -1
    "asks",  # it is a question itself
    "chinese",  # its passage is Chinese
)  # fmt: skip
_BESIDE = 0.6
_USUAL = {True: 25.0, False: 80.0}
_FITS = 0.45
"""Candidates that fit less agree with nothing."""
_TYPED = ("time", "number", "percent")
_NAMED = ("person", "place", "organisation", "title")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_MOST_AGREEING = 3


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """What may be quoted of a passage. `start` and `end` count within the passage's text.

    `score` is the log odds that it answers; `line` numbers its sentence in `take_apart`.
    """

    passage: str
    line: int
    start: int
    end: int
    text: str
    score: float
    value: Value | None


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question taken apart once."""

    wanted: Wanted
    weights: Mapping[str, float]
    total: float
    rarest: str
    numbers: frozenset[str]
    years: frozenset[str]

    @staticmethod
    def of(query: RerankQuery) -> "_Asked":
        lexicon = Lexicon(query.passages, query.frequency)
        asked = words(asks.strip_cues(query.text)) or words(query.text)
        weights = {word: lexicon.weight(word) for word in asked}
        return _Asked(
            Wanted.of(query.text),
            weights,
            sum(weights.values()) or 1.0,
            max(weights, key=lambda word: weights[word], default=""),
            frozenset(re.findall(r"\d+", query.text)),
            frozenset(_YEAR.findall(query.text)),
        )

    def share(self, held: set[str]) -> float:
        return sum(self.weights[word] for word in held) / self.total


class _Read:
    """One passage read for one question."""

    def __init__(self, asked: _Asked, query: RerankQuery, candidate: Candidate) -> None:
        passage = candidate.passage
        text = take_apart(passage)
        self.asked = asked
        self.id = passage.id
        self.chinese = passage.language == "zh"
        self.lines = text.lines
        self.over = {word for word in asked.weights if places_of(word, text.heading.text)}
        self.places = [
            {word: places_of(word, line.text) for word in asked.weights} for line in text.lines
        ]
        self.held = [
            {word for word in asked.weights if places[word]} | self.over | self._above(line)
            for places, line in zip(self.places, text.lines, strict=True)
        ]
        self.anywhere = set().union(*self.held)
        self.candidates = [
            candidates_in(line.text, asked.wanted, asked.weights) for line in text.lines
        ]
        whole = " ".join((passage.title, *passage.section, passage.text))
        count = sum(number in whole for number in asked.numbers)
        self.numbers = count / len(asked.numbers) if asked.numbers else 0.5
        self.meaning = np.zeros(len(text.lines), dtype=np.float32)
        cosines = candidate.sentence_vectors @ query.vector
        self.meaning[: len(cosines)] = cosines[: len(self.meaning)]

    def _above(self, line: Line) -> set[str]:
        return {word for word in self.asked.weights if line.above and places_of(word, line.above)}

    def brings(self) -> list[Value]:
        """Return the new values of the asked kind."""
        return [c.value for found in self.candidates for c in found if c.new and c.fit >= _FITS]


def signs_of(
    query: RerankQuery, candidates: Sequence[Candidate]
) -> list[tuple[AnswerSpan, list[float]]]:
    """Return every span, its score still 0, with its signs in the order of SIGNS."""
    asked = _Asked.of(query)
    reads = [_Read(asked, query, candidate) for candidate in candidates]
    brought = [read.brings() for read in reads]
    return [
        entry
        for number, read in enumerate(reads)
        for entry in _spans(read, [b for i, b in enumerate(brought) if i != number])
    ]


def _spans(read: _Read, others: Sequence[Sequence[Value]]) -> list[tuple[AnswerSpan, list[float]]]:
    asked = read.asked
    typed = float(asked.wanted.name in _TYPED)
    named = float(asked.wanted.name in _NAMED)
    loose = float(asked.wanted.name == "any")
    covered = asked.share(read.anywhere)
    found: list[tuple[AnswerSpan, list[float]]] = []
    for number, line in enumerate(read.lines):
        if line.kind in ("heading", "header", "rule"):
            continue
        spans = quotable(line.text) if line.kind == "text" else ((0, len(line.text)),)
        sentence = _sentence_signs(read, number, covered)
        for start, end in spans:
            best = _best(read.candidates[number], start, end)
            strength, fit, near = (best.strength, best.fit, best.nearness) if best else (0.0,) * 3
            agreeing = _agreeing(best, others)
            length = math.log((end - start) / _USUAL[is_cjk(line.text)])
            inside = {
                word
                for word, places in read.places[number].items()
                if any(start <= a and b <= end for a, b in places)
            }
            quoted = line.text[start:end]
            row = [
                strength * typed, strength * named, strength * loose, fit * typed, fit * named, near,
                asked.share(inside | read.over), *sentence,
                agreeing * (typed + named), agreeing * loose,
                length, length * length, length * (typed + named),
                float(not any(a <= start and end <= b and (a, b) != (start, end) for a, b in spans)),
                float(not any(a < start < b for a, b in spans)),
                number / max(1, len(read.lines)), _year(asked, line.text),
                float(quoted.rstrip().endswith(("?", "？"))), float(read.chinese),
            ]  # fmt: skip
            value = best.value if best and best.fit >= _FITS else None
            places = line.start + start, line.start + end
            span = AnswerSpan(read.id, number, *places, quoted, 0.0, value)
            found.append((span, row))
    return found


def _sentence_signs(read: _Read, number: int, covered: float) -> list[float]:
    """Return the signs from `sentence` to `meaning_best`."""
    asked, held = read.asked, read.held[number]
    beside = set().union(*read.held[max(0, number - 1) : number + 2]) - held
    share = asked.share(held)
    return [
        share,
        share + _BESIDE * asked.share(beside),
        covered,
        float(asked.rarest in held),
        float(asked.rarest in read.anywhere),
        read.numbers,
        float(read.meaning[number]),
        float(read.meaning.max()),
    ]


def _best(found: Sequence[AnswerCandidate], start: int, end: int) -> AnswerCandidate | None:
    inside = [c for c in found if c.new and start <= c.value.start and c.value.end <= end]
    return max(inside, key=lambda candidate: candidate.strength, default=None)


def _agreeing(best: AnswerCandidate | None, others: Sequence[Sequence[Value]]) -> float:
    """Return in how many other passages a candidate stands, up to three, as a share of three."""
    if best is None or best.fit < _FITS:
        return 0.0
    count = sum(any(agree(best.value, value) for value in values) for values in others)
    return min(count, _MOST_AGREEING) / _MOST_AGREEING


def _year(asked: _Asked, sentence: str) -> float:
    said = set(_YEAR.findall(sentence))
    if not asked.years or not said:
        return 0.0
    return 1.0 if said & asked.years else -1.0
