"""The answer-bearing sentence scorer: one reading of a passage, used for grading and extraction.

For every sentence it combines how much of the asked words stands there (weighted by rarity, with
the headings above it and half of its neighbours), how near its meaning is, and whether it is of the
kind that is asked for. A passage counts for a sub-question only as far as it holds the subject.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from graphs.ask.records import Facet
from graphs.evidence import asks
from graphs.evidence.lines import (
    Lexicon,
    Line,
    PassageText,
    Standing,
    coverage,
    line_of,
    presence,
    soft,
    take_apart,
)
from graphs.evidence.names import SOURCE_WORDS
from graphs.evidence.passages import Passage
from graphs.evidence.prices import lacks_price
from graphs.evidence.subject import SHARED, Subject
from graphs.evidence.table_rows import Key, strangers
from graphs.ports import Matrix, Vector

COVERED = 0.5
"""A facet counts as covered from this strength on."""
LACKING = 0.45
"""The most that a sentence is worth which lacks the attribute that is asked for."""
_UNDER_SUBJECT = 0.5
_STRANGER = 2.0
"""More than any rank: a row about something else comes after every other sentence."""
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
    """Reads passages for one question: how far their sentences answer what its parts ask for.

    `vectors` is as in `Subject`; `question` is the user's.
    """

    def __init__(
        self,
        question: str,
        facets: Sequence[Facet],
        vectors: Mapping[str, Vector],
        lexicon: Lexicon,
        subject: Subject,
    ) -> None:
        self._question = question
        self._facets = facets
        self._vectors = vectors
        self._lexicon = lexicon
        self._subject = subject

    def vector(self, facet_id: str) -> Vector | None:
        """Return the vector of a facet, or of the question for ""."""
        return self._vectors.get(facet_id)

    def field(self, facet: Facet, passage: Passage, matrix: Matrix) -> FieldReading:
        """Return how the passage answers a field facet, sentence by sentence."""
        text = take_apart(passage)
        subject = self._subject.share(facet["sub_question"], passage, matrix)
        standing = Standing(
            text, self._words_for(facet), self._values_for(facet["sub_question"]), self._lexicon
        )
        around = standing.asked(neighbours=0.6, rest=0.3)
        alone = standing.asked(neighbours=0.3, rest=0.1)
        own, whole = self._cosines(facet["id"], matrix, text), self._cosines("", matrix, text)
        others = strangers(passage, self._keys(facet)) | self._subject.siblings(facet, text)
        scores = tuple(
            self._sentence(
                facet,
                text,
                index,
                _NOTHING_ASKED if around is None else float(around[index]),
                _NOTHING_ASKED if alone is None else float(alone[index]),
                own[index],
                whole[index],
                index in others,
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
        stranger: bool,
    ) -> SentenceScore:
        line = text.lines[index]
        # The whole question says nothing of a part: another part may be what it is near to.
        near = own if len(self._subject.parts) > 1 else max(own, whole)
        meaning = soft(near, text.language == self._subject.language, whole=True)
        cue = self._cue(facet, text, line)
        strength = max(around, 0.9 * meaning, 0.65 * around + 0.45 * meaning)
        strength = min(1.0, strength) * (1.0 if cue else 0.55)
        if meaning < 0.75 and self._lacks_attribute(facet, text, index):
            strength = min(strength, LACKING)
        rank = 0.6 * alone + 0.3 * max(0.0, own) + 0.3 * max(0.0, whole) + (0.25 if cue else 0.0)
        if stranger:
            strength, rank = min(strength, LACKING), rank - _STRANGER
        return SentenceScore(index, line.start, line.end, strength, rank, cue)

    def _lacks_attribute(self, facet: Facet, text: PassageText, index: int) -> bool:
        """Tell whether the attribute that is asked for stands nowhere near the sentence.

        It is the strongest sign that a passage treats the subject but not the question. Where a
        kind of source is asked for (缺陷, policy), the headings must be of that kind.
        """
        if text.language != self._subject.language:
            return False
        wanted = () if facet["field"] == "label" else asks.attribute(facet["text"])
        kinds = [word for word in facet["terms"] if word in SOURCE_WORDS]
        if (
            facet["field"] == "list"
            and kinds
            and max(presence(word, text.heading) for word in kinds) < 1.0
        ):
            return True
        if lacks_price(facet["text"], f"{text.lines[index].above}\n{text.lines[index].text}"):
            return True
        near = [text.heading, *text.lines[max(0, index - 2) : index + 3]]
        if text.lines[index].above:
            near.append(line_of(text.lines[index].above, 0, 0))
        return any(max(presence(word, line) for line in near) < 0.5 for word in wanted)

    def _words_for(self, facet: Facet) -> list[tuple[str, float, Mapping[str, float]]]:
        """Return (word, factor, phrases that stand for it) of a facet and of its subject."""
        found = {
            word: (1.0, self._subject.bindings.get(facet["id"], {})) for word in facet["terms"]
        }
        for other, factor in self._subject.scope(facet["sub_question"]):
            if other["kind"] == "entity":
                phrases = self._subject.bindings.get(other["id"], {})
                for word in other["terms"]:
                    found.setdefault(word, (0.5 * min(1.0, factor / SHARED), phrases))
        return [(word, factor, phrases) for word, (factor, phrases) in sorted(found.items())]

    def _keys(self, facet: Facet) -> list[Key]:
        """Return what may name the row of a table that a facet asks for."""
        found: dict[tuple[str, str], float] = {}
        dated = False
        for other, factor in self._subject.scope(facet["sub_question"]):
            if other["kind"] in ("code", "time"):
                dated = dated or other["kind"] == "time"
                found[other["kind"], other["text"]] = math.log1p(self._lexicon.passages)
            elif other["kind"] == "entity":
                for word in other["terms"]:
                    found.setdefault(("word", word), factor * self._lexicon.weight(word))
        for word in facet["terms"]:
            if word.isdigit() and not dated:
                found.setdefault(("word", word), self._lexicon.weight(word))
        return [Key(kind, text, weight) for (kind, text), weight in found.items()]

    def _subject_words(self, facet: Facet) -> list[str]:
        """Return the words of what a part is about, without those that only ask."""
        found = {
            term
            for other, factor in self._subject.scope(facet["sub_question"])
            if other["kind"] == "entity" and factor >= SHARED
            for term in other["terms"]
        }
        return sorted(found)

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
        if facet["field"] in ("list", "procedure", "fact") and line.kind in ("item", "row"):
            # A list answers as a whole where it stands under the subject, a row where it names it.
            over = [(text.heading, 1.0)]
            if line.above:
                over.append((line_of(line.above, 0, 0), 1.0))
            named = self._subject_words(facet)
            place = over if line.kind == "item" else [*over, (line, 1.0)]
            under = coverage(named, place, self._lexicon) >= _UNDER_SUBJECT
            if not named or under or self._subject.bindings:
                return True
        if line.kind == "row" and line.above and self._column(facet, line_of(line.above, 0, 0)):
            return True
        if facet["field"] == "code" and asks.answers_field("code", text.heading.text, ""):
            return True
        return asks.answers_field(facet["field"], line.text, self._question)

    def _column(self, facet: Facet, header: Line) -> bool:
        """Tell whether a column of a table is what a facet asks for (SP-1122 的供应商是谁)."""
        named = facet["terms"][-1:] if self._subject.language == "zh" else facet["terms"]
        return any(not word.isdigit() and presence(word, header) >= 1.0 for word in named)

    def _cosines(self, facet_id: str, matrix: Matrix, text: PassageText) -> list[float]:
        """Return the cosine of every line with a facet, 0 where there is no vector."""
        vector = self._vectors.get(facet_id)
        found = [float(c) for c in matrix @ vector] if vector is not None and len(matrix) else []
        return found[: len(text.lines)] + [0.0] * (len(text.lines) - len(found))
