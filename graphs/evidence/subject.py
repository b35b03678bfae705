"""The subject of a question, part by part, and how far a passage holds it."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from graphs.ask.records import Facet, SubQuestion
from graphs.evidence.lines import (
    Lexicon,
    PassageText,
    presences,
    soft,
    stands_for,
    take_apart,
)
from graphs.evidence.names import term_weight
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Passage
from graphs.evidence.siblings import foreign, sibling_lines
from graphs.evidence.text import codes, fold, language
from graphs.ports import Matrix, Vector

LITERAL = 0.35
"""After a broadening, the share of the subject's words that one passage must hold literally."""
_SOME_LITERAL = 0.12
"""The share that every passage must hold to be judged with the help of bindings."""
_NOT_LITERAL = 0.4
_ACROSS = 0.8
"""How far the meaning of the whole question vouches for the subject in another language."""
SHARED = 0.7
"""How much the context counts beside what a part names itself."""
_SIBLING = 0.2
"""What a passage holds of a subject at most whose siblings alone it speaks of."""
_NAMED = 0.3
"""A sub-question names something itself from this share of a rare word's weight on."""


class Subject:
    """The constraints of one question: what it is about, as opposed to what it asks for.

    `vectors` maps a facet id to its unit vector, "" to the question's; `bindings` maps a facet id to
    phrases of the knowledge base that stand for it after a broadening, each with a strength in
    [0, 0.85]. `question` is the user's, `sub_questions` are its parts.
    """

    def __init__(
        self,
        question: str,
        facets: Sequence[Facet],
        vectors: Mapping[str, Vector],
        lexicon: Lexicon,
        bindings: Mapping[str, Mapping[str, float]] | None = None,
        sub_questions: Sequence[SubQuestion] = (),
    ) -> None:
        self.language = language(question)
        self._question = question
        self.parts = list(dict.fromkeys(f["sub_question"] for f in facets if f["sub_question"]))
        self.bindings = {
            facet: {fold(phrase): value for phrase, value in phrases.items()}
            for facet, phrases in (bindings or {}).items()
        }
        self._facets = facets
        self._texts = {sub["id"]: sub["text"] for sub in sub_questions}
        self._vectors = vectors
        self._lexicon = lexicon
        self._anchored = False
        self._constraints: dict[tuple[str, str], float] = {}
        self._scopes: dict[str, list[tuple[Facet, float]]] = {}

    def anchor(self, sub_questions: Sequence[str], passages: Sequence[Passage]) -> None:
        """Tell whether bindings may count: some passage must hold enough of the user's own words.

        A broadening may explain some of the user's words, never all of them: otherwise every
        question would find something that is "near".
        """
        self._anchored = any(
            self._literal(sub, passage) >= LITERAL for sub in sub_questions for passage in passages
        )

    def share(self, sub_question: str, passage: Passage, matrix: Matrix) -> float:
        """Return how much of a sub-question's subject the passage holds, in [0, 1].

        Own entities count full, shared context 0.7, those of earlier sub-questions 0.4, or full
        where there are no own ones; a code that is missing rules the passage out.
        """
        total = held = 0.0
        for facet, factor in self.scope(sub_question):
            share = self.constraint(facet, passage, matrix)
            if facet["kind"] == "code" and share == 0.0:
                return 0.0
            weight = self._weight(facet) * factor
            total += weight
            held += weight * share
        share = held / total if total else 1.0
        text = take_apart(passage)
        if text.language != self.language:
            # Across languages single words lie far from sentences; the whole question does not.
            share = max(share, _ACROSS * self._meaning("", matrix, text))
        if foreign(self._texts.get(sub_question, self._question), text):
            return min(share, _SIBLING)
        if self.bindings and not (
            self._anchored and self._literal(sub_question, passage) >= _SOME_LITERAL
        ):
            return min(share, _NOT_LITERAL)
        return share

    def constraint(self, facet: Facet, passage: Passage, matrix: Matrix) -> float:
        """Return how far a passage holds an entity, code, number or time facet, in [0, 1].

        `matrix` holds the passage's sentence vectors. Every part of a question asks again.
        """
        key = facet["id"], passage.id
        if key not in self._constraints:
            self._constraints[key] = self._constraint(facet, passage, matrix)
        return self._constraints[key]

    def _constraint(self, facet: Facet, passage: Passage, matrix: Matrix) -> float:
        text = take_apart(passage)
        if facet["kind"] == "code":
            held = {*passage.codes, *codes(passage.text), *codes(text.heading.text)}
            return 1.0 if facet["text"] in held else 0.0
        if facet["kind"] in ("number", "time"):
            return self._value(facet, passage)
        lexical = self._lexical(facet["terms"], text)
        meaning = self._meaning(facet["id"], matrix, text)
        return max(lexical, 0.9 * meaning, self._bound(facet, text))

    def siblings(self, facet: Facet, text: PassageText) -> frozenset[int]:
        """Return the lines that speak of siblings of what the facet's part of the question names."""
        return sibling_lines(self._texts.get(facet["sub_question"], self._question), text)

    def scope(self, sub_question: str) -> list[tuple[Facet, float]]:
        """Return the facets that make up the subject of a sub-question, with their factors.

        Earlier sub-questions together count at most half of what the own entities do.
        """
        if sub_question not in self._scopes:
            self._scopes[sub_question] = self._scope(sub_question)
        return self._scopes[sub_question]

    def _scope(self, sub_question: str) -> list[tuple[Facet, float]]:
        facets = [facet for facet in self._facets if facet["kind"] != "field"]
        own = [facet for facet in facets if facet["sub_question"] == sub_question != ""]
        shared = [(facet, SHARED) for facet in facets if not facet["sub_question"]]
        # A part with a code of its own stands alone.
        if any(facet["kind"] == "code" for facet in own):
            return [(facet, 1.0) for facet in own] + shared
        before = self.parts[: self.parts.index(sub_question)] if sub_question in self.parts else []
        earlier = [facet for facet in facets if facet["sub_question"] in before]
        named = any(self._weight(f) > _NAMED * math.log1p(self._lexicon.passages) for f in own)
        factor = 0.4 if named or shared else 1.0
        if named and earlier:
            earlier = [facet for facet in earlier if facet["kind"] != "code"]
            mass = sum(self._weight(facet) for facet in earlier)
            factor = min(factor, 0.5 * sum(self._weight(facet) for facet in own) / max(mass, 1e-6))
        return [(f, 1.0) for f in own] + shared + [(f, factor) for f in earlier]

    def _weight(self, facet: Facet) -> float:
        """Return how much a facet says of the subject: its heaviest word."""
        if facet["kind"] == "code":
            return math.log1p(self._lexicon.passages)
        if facet["kind"] in ("number", "time"):
            return 0.5
        return max((self._lexicon.weight(word) for word in facet["terms"]), default=0.0)

    def _lexical(self, words: Sequence[str], text: PassageText) -> float:
        """Return the rarity-weighted share of the words that stand anywhere in the passage."""
        total = sum(self._lexicon.weight(word) for word in words)
        if total <= 0:
            return 0.0
        held = sum(self._lexicon.weight(word) * max(presences(word, text)) for word in words)
        return held / total

    def _literal(self, sub_question: str, passage: Passage) -> float:
        """Return the share of the subject's words that stand in the passage as the user said them."""
        text = take_apart(passage)
        words = {
            word
            for facet, _ in self.scope(sub_question)
            if facet["kind"] == "entity"
            for word in facet["terms"]
            if term_weight(word) >= 1.0
        }
        held = sum(max(presences(word, text)) >= 1.0 for word in words)
        return held / len(words) if words else 1.0

    def _meaning(self, facet_id: str, matrix: Matrix, text: PassageText) -> float:
        vector = self._vectors.get(facet_id)
        if vector is None or not len(matrix):
            return 0.0
        best = float(np.max(matrix @ vector))
        return soft(best, text.language == self.language, whole=not facet_id)

    def _bound(self, facet: Facet, text: PassageText) -> float:
        phrases = self.bindings.get(facet["id"], {})
        return max((stands_for(phrases, line) for line in (text.heading, *text.lines)), default=0.0)

    @staticmethod
    def _value(facet: Facet, passage: Passage) -> float:
        held = claims(" ".join((passage.title, *passage.section, passage.date or "", passage.text)))
        if facet["kind"] == "time":
            dates = [claim.value for claim in held if claim.kind == "date"]
            return 1.0 if any(date.startswith(facet["text"]) for date in dates) else 0.0
        value, _, unit = facet["text"].partition(" ")
        return 1.0 if any(c.value == value and c.unit in ("", unit) for c in held) else 0.0
