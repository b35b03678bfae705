"""The answer-bearing sentence scorer: one reading of a passage, used for grading and extraction.

For every sentence it combines how much of the asked words stands there (weighted by rarity, with
the headings above it and half of its neighbours), how near its meaning is, and whether it is of the
kind that is asked for. A passage counts for a sub-question only as far as it holds the subject.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphs.ask.state import Facet
from graphs.evidence import asks
from graphs.evidence.facets import SOURCE_WORDS, term_weight
from graphs.evidence.lines import (
    Lexicon,
    Line,
    PassageText,
    Standing,
    coverage,
    line_of,
    presence,
    soft,
    stands_for,
    take_apart,
)
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Passage
from graphs.evidence.text import codes, fold, language
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
_SHARED = 0.7
"""How much the context counts beside what a part names itself."""
_NAMED = 0.3
"""A sub-question names something itself from this share of a rare word's weight on."""
LACKING = 0.45
"""The most that a sentence is worth which lacks the attribute that is asked for."""
_NOTHING_ASKED = 0.75
"""What a sentence is worth where the question has no words beyond its codes and its kind."""


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
        self._order = list(dict.fromkeys(f["sub_question"] for f in facets if f["sub_question"]))
        self._vectors = vectors
        self._lexicon = lexicon
        self._bindings = {
            facet: {fold(phrase): value for phrase, value in phrases.items()}
            for facet, phrases in (bindings or {}).items()
        }
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
        """Return the facets that make up the subject of a sub-question, with their factors.

        Earlier sub-questions together count at most half of what the own entities do.
        """
        facets = [facet for facet in self._facets if facet["kind"] != "field"]
        own = [facet for facet in facets if facet["sub_question"] == sub_question != ""]
        shared = [(facet, _SHARED) for facet in facets if not facet["sub_question"]]
        # A part with a code of its own stands alone.
        if any(facet["kind"] == "code" for facet in own):
            return [(facet, 1.0) for facet in own] + shared
        before = (
            self._order[: self._order.index(sub_question)] if sub_question in self._order else []
        )
        earlier = [facet for facet in facets if facet["sub_question"] in before]
        named = any(self.weight(f) > _NAMED * math.log1p(self._lexicon.passages) for f in own)
        factor = 0.4 if named or shared else 1.0
        if named and earlier:
            earlier = [facet for facet in earlier if facet["kind"] != "code"]
            mass = sum(self.weight(facet) for facet in earlier)
            factor = min(factor, 0.5 * sum(self.weight(facet) for facet in own) / max(mass, 1e-6))
        return [(f, 1.0) for f in own] + shared + [(f, factor) for f in earlier]

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
        standing = Standing(
            text, self._words_for(facet), self._values_for(facet["sub_question"]), self._lexicon
        )
        around = standing.asked(neighbours=0.6, rest=0.3)
        alone = standing.asked(neighbours=0.3, rest=0.1)
        own, whole = self._cosines(facet["id"], matrix, text), self._cosines("", matrix, text)
        scores = tuple(
            self._sentence(
                facet,
                text,
                index,
                _NOTHING_ASKED if around is None else float(around[index]),
                _NOTHING_ASKED if alone is None else float(alone[index]),
                own[index],
                whole[index],
            )
            for index, line in enumerate(text.lines)
            if line.kind != "heading"
        )
        best = max((score.strength for score in scores), default=0.0)
        return FieldReading(subject, best * min(1.0, subject / 0.6), scores)

    def _sentence(
        self,
        facet: Facet,
        text: PassageText,
        index: int,
        around: float,
        alone: float,
        own: float,
        whole: float,
    ) -> SentenceScore:
        line = text.lines[index]
        # The whole question says nothing of a part: another part may be what it is near to.
        near = own if len(self._order) > 1 else max(own, whole)
        meaning = soft(near, text.language == self._language, whole=True)
        cue = self._cue(facet, text, line)
        strength = max(around, 0.9 * meaning, 0.65 * around + 0.45 * meaning)
        strength = min(1.0, strength) * (1.0 if cue else 0.55)
        if meaning < 0.75 and self._lacks_attribute(facet, text, index):
            strength = min(strength, LACKING)
        rank = 0.6 * alone + 0.3 * max(0.0, own) + 0.3 * max(0.0, whole) + (0.25 if cue else 0.0)
        return SentenceScore(index, line.start, line.end, strength, rank, cue)

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
            near.append(line_of(text.lines[index].above, 0, 0))
        return any(max(presence(word, line) for line in near) < 0.5 for word in wanted)

    def _words_for(self, facet: Facet) -> list[tuple[str, float, Mapping[str, float]]]:
        """Return (word, factor, phrases that stand for it) of a facet and of its subject."""
        found = {word: (1.0, self._bindings.get(facet["id"], {})) for word in facet["terms"]}
        for other, factor in self._scope(facet["sub_question"]):
            if other["kind"] == "entity":
                phrases = self._bindings.get(other["id"], {})
                for word in other["terms"]:
                    found.setdefault(word, (0.5 * min(1.0, factor / _SHARED), phrases))
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
                near.append((line_of(line.above, 0, 0), 1.0))
            return coverage(facet["terms"], near, self._lexicon) >= 0.75
        if facet["field"] in ("list", "procedure") and line.kind == "item":
            return True
        if facet["field"] == "code" and asks.answers_field("code", text.heading.text, ""):
            return True
        return asks.answers_field(facet["field"], line.text, self._question)

    def _cosines(self, facet_id: str, matrix: Matrix, text: PassageText) -> list[float]:
        """Return the cosine of every line with a facet, 0 where there is no vector."""
        vector = self._vectors.get(facet_id)
        found = [float(c) for c in matrix @ vector] if vector is not None and len(matrix) else []
        return found[: len(text.lines)] + [0.0] * (len(text.lines) - len(found))

    def _meaning(self, facet_id: str, matrix: Matrix, text: PassageText) -> float:
        vector = self._vectors.get(facet_id)
        if vector is None or not len(matrix):
            return 0.0
        best = float(np.max(matrix @ vector))
        return soft(best, text.language == self._language, whole=not facet_id)

    def _bound(self, facet: Facet, text: PassageText) -> float:
        phrases = self._bindings.get(facet["id"], {})
        return max((stands_for(phrases, line) for line in (text.heading, *text.lines)), default=0.0)

    @staticmethod
    def _value(facet: Facet, passage: Passage) -> float:
        held = claims(" ".join((passage.title, *passage.section, passage.date or "", passage.text)))
        if facet["kind"] == "time":
            dates = [claim.value for claim in held if claim.kind == "date"]
            return 1.0 if any(date.startswith(facet["text"]) for date in dates) else 0.0
        value, _, unit = facet["text"].partition(" ")
        return 1.0 if any(c.value == value and c.unit in ("", unit) for c in held) else 0.0
