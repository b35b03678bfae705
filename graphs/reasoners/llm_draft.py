"""From a model's draft to statements: one line, its markers, the sentences that carry it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphs.ask.records import Citation, Facet, Statement
from graphs.evidence.asks import answers_field
from graphs.evidence.citations import modality, quote_of
from graphs.evidence.numbers import Claim, claims, supports
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.text import fold, sentences, words
from graphs.reasoners.base import Case

_MARKER = re.compile(
    r"\s*[\[【［（(]\s*(P\s*\d{1,2}(?:\s*[,，、;；&]\s*P?\s*\d{1,2})*)\s*[\]】］）)]", re.IGNORECASE
)
_STRAY = re.compile(
    r"\s*[\[【［]\s*P?\s*\d{1,2}\s*(?:[-–~]\s*P?\s*\d{1,2}\s*)?[\]】］](?=\s*[。.!！?？;；]?\s*$)",
    re.IGNORECASE,
)
"""A marker that names no passage, at the end of a line."""
_BULLET = re.compile(r"^\s*(?:[-*•+]|>)\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[。！？；，.!?;,]$)")
_NAMED = ("", "label", "fact")
"""Facets that show by their words; other fields show by the kind of the statement."""
_CARRIES = 0.5
"""A cited passage carries a statement if it holds half of what the best cited one holds."""
_UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
"""Characters that show nothing, or change the direction of what is shown."""
_EDGE = re.compile(r"^[\s\d.、)）(（一二三四五六七八九十]+|[\s:：?？。.!！]+$")
_QUOTES_PER_PASSAGE = 3
_SHORT = 300
"""A passage up to this many characters is quoted whole where no sentence stands out."""


@dataclass(slots=True)
class Draft:
    """Turns lines into statements, remembering the heading they stand under."""

    case: Case
    shown: Sequence[Passage]
    heading: str = ""
    _seen: set[str] = field(default_factory=set)

    def read(self, line: str) -> Statement | None:
        """Return the statement of a finished line; None for headings, repeats and bare lines."""
        line = _UNSEEN.sub("", line).strip()
        if line.startswith("#"):
            self.heading = self._known(_plain(_MARKER.sub("", line.lstrip("#"))))
            return None
        cited = self._cited(line)
        text = _plain(_BULLET.sub("", _STRAY.sub("", _MARKER.sub("", line))))
        if not cited or not text or fold(text) in self._seen:
            return None
        self._seen.add(fold(text))
        citations = quotes(text, cited)
        facets = self._facets(text, cited, citations)
        return Statement(
            text=text,
            citations=citations,
            modality=modality(text),
            facets=[facet["id"] for facet in facets],
            sub_question=next((f["sub_question"] for f in facets if f["sub_question"]), ""),
            heading=self.heading,
        )

    def _known(self, heading: str) -> str:
        """Return a heading that the question or a document words like this, else none.

        A heading has no citation, so that it may say nothing of its own.
        """
        said = [self.case.question, *(f["text"] for f in self.case.facets)]
        said += [sub["text"] for sub in self.case.sub_questions]
        said += [part for passage in self.shown for part in (passage.title, *passage.section)]
        bare = _EDGE.sub("", fold(heading))
        return heading if bare and any(bare in fold(text) for text in said) else ""

    def _cited(self, line: str) -> list[Passage]:
        numbers = [
            int(number)
            for marker in _MARKER.finditer(line)
            for number in re.findall(r"\d+", marker.group(1))
        ]
        valid = [n for n in dict.fromkeys(numbers) if 1 <= n <= len(self.shown)]
        return [self.shown[n - 1] for n in valid]

    def _facets(
        self, text: str, cited: Sequence[Passage], citations: Sequence[Citation]
    ) -> list[Facet]:
        """Return the facets that a statement addresses, of those that a cited passage covers.

        Its words must stand in the statement, a quote or a heading; where a kind is asked for, the
        statement must be of it or hold half of the words ("all costs" answers how much). Where no
        facet gives such a sign, those that ask for no kind are meant.
        """
        ids = {passage.id for passage in cited}
        unjudged = () if self.case.covered else ids
        open_ = [
            facet
            for facet in self.case.facets
            if ids & set(self.case.covered.get(facet["id"], unjudged))
        ]
        places = {passage.id: passage for passage in cited}
        parts = [text, *(_quoted(c, places[c["passage"]]) for c in citations)]
        parts += [" ".join((p.title, *p.section, *p.codes)) for p in cited]
        held = fold(" ".join(parts))
        stems = {word for part in parts for word in words(part)}
        signs = [f for f in open_ if self._shows(f, text, held, stems)]
        fields = [f for f in open_ if f["kind"] == "field"]
        if any(f["kind"] == "field" for f in signs):
            return signs
        named = [f for f in fields if f["field"] in _NAMED]
        return [*(f for f in signs if f not in fields), *named]

    def _shows(self, facet: Facet, text: str, held: str, stems: set[str]) -> bool:
        if facet["field"] in _NAMED:
            return any(term in stems or fold(term) in held for term in facet["terms"])
        shared = sum(term in words(text) or fold(term) in fold(text) for term in facet["terms"])
        return answers_field(facet["field"], text, self.case.question) or (
            shared * 2 >= len(facet["terms"]) > 0
        )


def covering(case: Case) -> list[Evidence]:
    """Return the passages that cover something; all of them where none does.

    A model writes of what it is shown and pays for it by the token, so that a passage which only might
    hold a clause is left to the embedded reasoner, which weighs every clause.
    """
    ids = {id_ for covered in case.covered.values() for id_ in covered}
    return [item for item in case.evidence if item.passage.id in ids] or list(case.evidence)


def quotes(text: str, cited: Sequence[Passage]) -> list[Citation]:
    """Return for each passage the sentences that best carry `text`.

    The sentence with the most shared words comes first, a tie going to the one with more of the
    statement's values; further sentences are added only for values that no quote holds yet. A further
    passage that shares little and brings no such value carries nothing: it is not cited.
    """
    open_values = list(claims(text))
    asked = set(words(text))
    citations: list[Citation] = []
    shares = {passage.id: _share(passage, asked, open_values) for passage in cited}
    best = max(shares.values(), default=0.0)
    for passage in cited:
        if shares[passage.id] < _CARRIES * best:
            continue
        for start, end in _spans(passage, asked, open_values):
            citations.append(quote_of(passage, start, end))
            held = claims(passage.text[start:end])
            open_values = [value for value in open_values if not _held(value, held)]
    return citations


def _share(passage: Passage, asked: set[str], values: Sequence[Claim]) -> float:
    """Return how much of a statement a passage's best sentence holds: its words and its values."""
    held = [
        _overlap(passage.text[a:b], asked)
        + sum(_held(value, claims(passage.text[a:b])) for value in values)
        for a, b in sentences(passage.text)
    ]
    return max(held, default=0) / max(1, len(asked) + len(values))


def _spans(passage: Passage, asked: set[str], values: Sequence[Claim]) -> list[tuple[int, int]]:
    """Return at most three sentence spans of a passage, in reading order."""
    spans = sentences(passage.text)
    if not spans:
        return [(0, len(passage.text))] if passage.text else []
    shared = [_overlap(passage.text[a:b], asked) for a, b in spans]
    holds = [
        {i for i, value in enumerate(values) if _held(value, claims(passage.text[a:b]))}
        for a, b in spans
    ]
    best = max(range(len(spans)), key=lambda i: (shared[i] + len(holds[i]), -i))
    if not shared[best] and not holds[best]:
        return [_whole_or_first(spans)]
    chosen, missing = [best], set().union(*holds) - holds[best]
    while missing and len(chosen) < _QUOTES_PER_PASSAGE:
        more = max(range(len(spans)), key=lambda i: (len(holds[i] & missing), shared[i], -i))
        chosen.append(more)
        missing -= holds[more]
    return [spans[i] for i in sorted(set(chosen))]


def _whole_or_first(spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return what to quote where nothing is shared (another language): all that is not too long."""
    end = spans[0][1]
    for _, stop in spans:
        if stop - spans[0][0] > _SHORT:
            break
        end = stop
    return spans[0][0], end


def _overlap(sentence: str, asked: set[str]) -> int:
    return len(asked & set(words(sentence)))


def _held(value: Claim, quoted: Sequence[Claim]) -> bool:
    return any(supports(claim, value) for claim in quoted)


def _quoted(citation: Citation, passage: Passage) -> str:
    return passage.text[citation["start"] - passage.start : citation["end"] - passage.start]


def _plain(text: str) -> str:
    return _SPACE_BEFORE_STOP.sub("", _EMPHASIS.sub("", _UNSEEN.sub("", text))).strip()
