"""The answer-bearing sentence scorer: one reading of a passage, used for grading and extraction.

For every sentence it combines how much of the asked words stands there (weighted by rarity, with
the headings above it and half of its neighbours), how near its meaning is, and whether it is of the
kind that is asked for. A passage counts for a sub-question only as far as it holds the subject.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from graphs.ask.state import Facet
from graphs.evidence import asks
from graphs.evidence.blocks import header_of, row_at, rows
from graphs.evidence.facets import SOURCE_WORDS, term_weight
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes, fold, index_terms, is_cjk, language, sentences
from graphs.ports import Matrix, Vector

COVERED = 0.5
"""A facet counts as covered from this strength on."""
LITERAL = 0.35
"""After a broadening, the share of the subject's words that one passage must hold literally."""
_SOME_LITERAL = 0.12
"""The share that every passage must hold to be judged with the help of bindings."""
_NOT_LITERAL = 0.4
_ACROSS = 0.8
"""How far the meaning of the whole question vouches for the subject in another language."""
_DENIAL = re.compile(
    r"无关|没有关系|不相关|\b(?:unrelated|not related|nothing to do)\b", re.IGNORECASE
)
_NAMED = 0.3
"""A sub-question names something itself from this share of a rare word's weight on."""
LACKING = 0.45
"""The most that a sentence is worth which lacks the attribute that is asked for."""
_NOTHING_ASKED = 0.75
"""What a sentence is worth where the question has no words beyond its codes and its kind."""
_SAME_LANGUAGE = (0.35, 0.70)
_CROSS_LANGUAGE = (0.14, 0.42)
_CROSS_SENTENCES = (0.28, 0.52)
"""Cosines between which meaning goes from "unrelated" to "the same", for the default embedder."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """How rare words are in a knowledge base of `passages` passages."""

    passages: int
    frequency: Mapping[str, int]

    def weight(self, word: str) -> float:
        """Return the smoothed inverse document frequency times the word's own weight.

        Words that the knowledge base does not know weigh most: they tell that it may not answer.
        """
        held = self.frequency.get(word, 0)
        return math.log1p(self.passages / (held + 0.5)) * term_weight(word)


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence of a passage. `start` and `end` count within the passage's text."""

    start: int
    end: int
    text: str
    folded: str
    terms: frozenset[str]
    kind: str = "text"
    """As `blocks.Row.kind`."""
    above: str = ""
    """What the line stands under: its table's header, or the sentence that leads to its list."""


@dataclass(frozen=True, slots=True)
class PassageText:
    """A passage taken apart once, for all facets."""

    heading: Line
    lines: tuple[Line, ...]
    language: str


@dataclass(frozen=True, slots=True)
class SentenceScore:
    """How well one sentence answers one field facet.

    `strength`, in [0, 1], reads the sentence in its surroundings and tells whether the facet is
    covered; `rank` reads it alone and tells which sentence answers.
    """

    line: int
    start: int
    end: int
    strength: float
    rank: float
    cue: bool


@dataclass(frozen=True, slots=True)
class FieldReading:
    """How a passage answers one field facet: `strength` is its best sentence's, subject included."""

    subject: float
    strength: float
    sentences: tuple[SentenceScore, ...]


@lru_cache(maxsize=2048)
def take_apart(passage: Passage) -> PassageText:
    """Return the passage's heading and sentences with their terms."""
    heading = " ".join((passage.title, *passage.section, *passage.codes))
    layout = rows(passage.text)
    lines = []
    for start, end in sentences(passage.text):
        row = row_at(layout, start)
        above = ""
        if row and row.kind == "row" and (header := header_of(layout, row)):
            above = passage.text[header.start : header.end]
        elif row and row.kind == "item":
            leads = [r for r in layout if r.start < row.start and r.kind == "text"]
            above = passage.text[leads[-1].start : leads[-1].end] if leads else ""
        lines.append(_line(passage.text[start:end], start, end, row.kind if row else "text", above))
    return PassageText(_line(heading, 0, 0), tuple(lines), passage.language)


@lru_cache(maxsize=8192)
def _line(text: str, start: int, end: int, kind: str = "text", above: str = "") -> Line:
    return Line(start, end, text, fold(text), frozenset(index_terms(text)), kind, above)


@lru_cache(maxsize=8192)
def values_of(text: str) -> frozenset[str]:
    """Return the values of a text without their units, signs kept."""
    return frozenset(claim.value for claim in claims(text))


def presence(word: str, line: Line) -> float:
    """Return how far a word stands in a line: 1, or the share of its bigrams for long words."""
    if not is_cjk(word):
        return 1.0 if word in line.terms else 0.0
    if word in line.folded:
        return 1.0
    if len(word) < 3:
        return 0.0
    pairs = [word[i : i + 2] for i in range(len(word) - 1)]
    return 0.8 * sum(pair in line.folded for pair in pairs) / len(pairs)


def _stands_for(phrases: Mapping[str, float], line: Line) -> float:
    """Return how far a line holds a phrase that stands for the user's word, unless it denies it."""
    if not phrases or _DENIAL.search(line.text):
        return 0.0
    return max((v for phrase, v in phrases.items() if fold(phrase) in line.folded), default=0.0)


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


class Scorer:
    """Reads passages for one question.

    `vectors` maps a facet id to its unit vector, "" to the question's; `bindings` maps an entity facet id to phrases of
    the knowledge base that stand for it after a broadening, each with a strength in [0, 0.85]. `question` is the user's.
    """

    def __init__(
        self,
        question: str,
        facets: Sequence[Facet],
        vectors: Mapping[str, Vector],
        lexicon: Lexicon,
        bindings: Mapping[str, Mapping[str, float]] | None = None,
    ) -> None:
        self._question = question
        self._language = language(question)
        self._facets = facets
        self._vectors = vectors
        self._lexicon = lexicon
        self._bindings = bindings or {}
        self.anchored = False

    def constraint(self, facet: Facet, passage: Passage, matrix: Matrix) -> float:
        """Return how far a passage holds an entity, code, number or time facet, in [0, 1]."""
        text = take_apart(passage)
        if facet["kind"] == "code":
            held = {*passage.codes, *codes(passage.text), *codes(text.heading.text)}
            return 1.0 if facet["text"] in held else 0.0
        if facet["kind"] in ("number", "time"):
            return self._value(facet, passage)
        lines = [(text.heading, 1.0), *((line, 1.0) for line in text.lines)]
        lexical = coverage(facet["terms"], lines, self._lexicon)
        meaning = self._meaning(facet["id"], matrix, text)
        return max(lexical, 0.9 * meaning, self._bound(facet, text))

    def subject(self, sub_question: str, passage: Passage, matrix: Matrix) -> float:
        """Return how much of a sub-question's subject the passage holds, in [0, 1].

        Own entities count full, shared context 0.7, those of earlier sub-questions 0.4, or full
        where there are no own ones; a code that is missing rules the passage out.
        """
        total = held = 0.0
        for facet, factor in self._scope(sub_question):
            share = self.constraint(facet, passage, matrix)
            if facet["kind"] == "code" and share == 0.0:
                return 0.0
            weight = self.weight(facet) * factor
            total += weight
            held += weight * share
        share = held / total if total else 1.0
        text = take_apart(passage)
        if text.language != self._language:
            # Across languages single words lie far from sentences; the whole question does not.
            share = max(share, _ACROSS * self._meaning("", matrix, text))
        if self._bindings and not (
            self.anchored and self.literal(sub_question, passage) >= _SOME_LITERAL
        ):
            return min(share, _NOT_LITERAL)
        return share

    def anchor(self, sub_questions: Sequence[str], passages: Sequence[Passage]) -> None:
        """Tell whether bindings may count: some passage must hold enough of the user's own words.

        A broadening may explain some of the user's words, never all of them: otherwise every
        question would find something that is "near".
        """
        self.anchored = any(
            self.literal(sub, passage) >= LITERAL for sub in sub_questions for passage in passages
        )

    def literal(self, sub_question: str, passage: Passage) -> float:
        """Return the share of the subject's words that stand in the passage as the user said them."""
        text = take_apart(passage)
        words = {
            word
            for facet, _ in self._scope(sub_question)
            if facet["kind"] == "entity"
            for word in facet["terms"]
            if term_weight(word) >= 1.0
        }
        lines = (text.heading, *text.lines)
        held = sum(max(presence(word, line) for line in lines) >= 1.0 for word in words)
        return held / len(words) if words else 1.0

    def _scope(self, sub_question: str) -> list[tuple[Facet, float]]:
        """Return the facets that make up the subject of a sub-question, with their factors."""
        facets = [facet for facet in self._facets if facet["kind"] != "field"]
        own = [(facet, 1.0) for facet in facets if facet["sub_question"] == sub_question != ""]
        shared = [(facet, 0.7) for facet in facets if not facet["sub_question"]]
        # A part with codes of its own stands alone: it was made one for each code.
        alone = any(facet["kind"] == "code" for facet, _ in own)
        named = any(self.weight(f) > _NAMED * math.log1p(self._lexicon.passages) for f, _ in own)
        earlier = [
            (facet, 0.4 if named or shared else 1.0)
            for facet in facets
            if facet["sub_question"] and facet["sub_question"] < sub_question and not alone
        ]
        return own + shared + earlier

    def weight(self, facet: Facet) -> float:
        """Return how much a facet says of the subject: its heaviest word."""
        if facet["kind"] == "code":
            return math.log1p(self._lexicon.passages)
        if facet["kind"] in ("number", "time"):
            return 0.5
        return max((self._lexicon.weight(word) for word in facet["terms"]), default=0.0)

    def field(self, facet: Facet, passage: Passage, matrix: Matrix) -> FieldReading:
        """Return how the passage answers a field facet, sentence by sentence."""
        text = take_apart(passage)
        subject = self.subject(facet["sub_question"], passage, matrix)
        scores = tuple(
            self._sentence(facet, text, index, matrix)
            for index, line in enumerate(text.lines)
            if line.kind != "heading"
        )
        best = max((score.strength for score in scores), default=0.0)
        return FieldReading(subject, best * min(1.0, subject / 0.6), scores)

    def _sentence(
        self, facet: Facet, text: PassageText, index: int, matrix: Matrix
    ) -> SentenceScore:
        line = text.lines[index]
        around = self._asked(facet, text, index, neighbours=0.6, rest=0.3)
        alone = self._asked(facet, text, index, neighbours=0.3, rest=0.1)
        own, whole = self._cosine(facet["id"], matrix, index), self._cosine("", matrix, index)
        meaning = soft(max(own, whole), text.language == self._language, whole=True)
        cue = self._cue(facet, text, line)
        strength = max(around, 0.9 * meaning, 0.65 * around + 0.45 * meaning)
        strength = min(1.0, strength) * (1.0 if cue else 0.55)
        if meaning < 0.75 and self._lacks_attribute(facet, text, index):
            strength = min(strength, LACKING)
        rank = 0.6 * alone + 0.3 * max(0.0, own) + 0.3 * max(0.0, whole) + (0.25 if cue else 0.0)
        return SentenceScore(index, line.start, line.end, strength, rank, cue)

    def _asked(
        self, facet: Facet, text: PassageText, index: int, neighbours: float, rest: float
    ) -> float:
        """Return the share of what is asked that stands in or near a sentence.

        The facet's own words count full, the subject's half, values that the question names as much
        as the rarest word; headings, a table's header and a list's lead count 0.9, other sentences
        `neighbours` or `rest`.
        """
        line = text.lines[index]
        near = [(line, 1.0), (text.heading, 0.9)]
        if line.above:
            near.append((_line(line.above, 0, 0), 0.9))
        for place, other in enumerate(text.lines):
            if other is not line:
                near.append((other, neighbours if abs(place - index) == 1 else rest))
        total = held = 0.0
        for word, factor, phrases in self._words_for(facet):
            weight = self._lexicon.weight(word) * factor
            total += weight
            held += weight * max(
                share * max(presence(word, place), _stands_for(phrases, place))
                for place, share in near
            )
        for value in self._values_for(facet["sub_question"]):
            weight = math.log1p(self._lexicon.passages)
            total += weight
            held += weight * max(
                (s for place, s in near if value in values_of(place.text)), default=0.0
            )
        return held / total if total else _NOTHING_ASKED

    def _lacks_attribute(self, facet: Facet, text: PassageText, index: int) -> bool:
        """Tell whether the attribute that is asked for stands nowhere near the sentence.

        It is the strongest sign that a passage treats the subject but not the question. Where a
        kind of source is asked for (缺陷, policy), the headings must be of that kind.
        """
        if text.language != self._language:
            return False
        wanted = asks.attribute(facet["text"])
        kinds = [word for word in facet["terms"] if word in SOURCE_WORDS]
        if kinds and max(presence(word, text.heading) for word in kinds) < 1.0:
            return True
        near = [text.heading, *text.lines[max(0, index - 2) : index + 3]]
        if text.lines[index].above:
            near.append(_line(text.lines[index].above, 0, 0))
        return any(max(presence(word, line) for line in near) < 0.5 for word in wanted)

    def _words_for(self, facet: Facet) -> list[tuple[str, float, Mapping[str, float]]]:
        """Return (word, factor, phrases that stand for it) of a facet and of its subject."""
        found = {word: (1.0, self._bindings.get(facet["id"], {})) for word in facet["terms"]}
        for other, _ in self._scope(facet["sub_question"]):
            if other["kind"] == "entity":
                phrases = self._bindings.get(other["id"], {})
                for word in other["terms"]:
                    found.setdefault(word, (0.5, phrases))
        return [(word, factor, phrases) for word, (factor, phrases) in sorted(found.items())]

    def _values_for(self, sub_question: str) -> list[str]:
        return [
            facet["text"].split(" ")[0]
            for facet in self._facets
            if facet["kind"] == "number" and facet["sub_question"] in ("", sub_question)
        ]

    def _cue(self, facet: Facet, text: PassageText, line: Line) -> bool:
        """Tell whether a sentence is of the kind that is asked for."""
        if facet["field"] == "label":
            near = [(text.heading, 1.0), (line, 1.0)]
            if line.above:
                near.append((_line(line.above, 0, 0), 1.0))
            return coverage(facet["terms"], near, self._lexicon) >= 0.75
        if facet["field"] in ("list", "procedure") and line.kind == "item":
            return True
        if facet["field"] == "code" and asks.answers_field("code", text.heading.text, ""):
            return True
        return asks.answers_field(facet["field"], line.text, self._question)

    def _cosine(self, facet_id: str, matrix: Matrix, index: int) -> float:
        vector = self._vectors.get(facet_id)
        if vector is None or index >= len(matrix):
            return 0.0
        return float(matrix[index] @ vector)

    def _meaning(self, facet_id: str, matrix: Matrix, text: PassageText) -> float:
        vector = self._vectors.get(facet_id)
        if vector is None or not len(matrix):
            return 0.0
        best = float(np.max(matrix @ vector))
        return soft(best, text.language == self._language, whole=not facet_id)

    def _bound(self, facet: Facet, text: PassageText) -> float:
        phrases = self._bindings.get(facet["id"], {})
        return max(
            (_stands_for(phrases, line) for line in (text.heading, *text.lines)), default=0.0
        )

    @staticmethod
    def _value(facet: Facet, passage: Passage) -> float:
        held = claims(" ".join((passage.title, *passage.section, passage.date or "", passage.text)))
        if facet["kind"] == "time":
            dates = [claim.value for claim in held if claim.kind == "date"]
            return 1.0 if any(date.startswith(facet["text"]) for date in dates) else 0.0
        value, _, unit = facet["text"].partition(" ")
        return 1.0 if any(c.value == value and c.unit in ("", unit) for c in held) else 0.0
