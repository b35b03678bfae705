"""From a model's draft to statements: one line, its markers, the sentences that carry it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from graphs.ask.state import Citation, Facet, Statement
from graphs.evidence.citations import modality, quote_of
from graphs.evidence.numbers import Claim, claims, supports
from graphs.evidence.passages import Passage
from graphs.evidence.text import fold, sentences, words
from graphs.reasoners.base import Case

_MARKER = re.compile(
    r"\s*[\[【［]\s*(P\s*\d{1,2}(?:\s*[,，、;；&]\s*P?\s*\d{1,2})*)\s*[\]】］]", re.IGNORECASE
)
_BULLET = re.compile(r"^\s*(?:[-*•+]|>)\s+")
_EMPHASIS = re.compile(r"\*\*|__|`")
_SPACE_BEFORE_STOP = re.compile(r"\s+(?=[。！？；，.!?;,]$)")
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
        line = line.strip()
        if line.startswith("#"):
            self.heading = _plain(_MARKER.sub("", line.lstrip("#")))
            return None
        cited = self._cited(line)
        text = _plain(_BULLET.sub("", _MARKER.sub("", line)))
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
        """Return the facets that a statement addresses.

        A cited passage must cover the facet, and its words must stand in the statement, a quote or
        a heading; what a field asks for ("how much") need not be named by the text that answers it.
        """
        ids = {passage.id for passage in cited}
        places = {passage.id: passage for passage in cited}
        held = fold(
            " ".join(
                [text, *(_quoted(c, places[c["passage"]]) for c in citations)]
                + [" ".join((p.title, *p.section, *p.codes)) for p in cited]
            )
        )
        stems = set(words(held)) | set(words(text))
        found = []
        for facet in self.case.facets:
            covering = self.case.covered.get(facet["id"])
            if covering is not None and not ids & set(covering):
                continue
            if covering is None and self.case.covered:
                continue
            named = any(term in stems or fold(term) in held for term in facet["terms"])
            if named or (facet["kind"] == "field" and covering):
                found.append(facet)
        return found


def quotes(text: str, cited: Sequence[Passage]) -> list[Citation]:
    """Return for each passage the sentences that best carry `text`.

    The sentence with the most shared words comes first, a tie going to the one with more of the
    statement's values; further sentences are added only for values that no quote holds yet.
    """
    open_values = list(claims(text))
    asked = set(words(text))
    citations: list[Citation] = []
    for passage in cited:
        for start, end in _spans(passage, asked, open_values):
            citations.append(quote_of(passage, start, end))
            held = claims(passage.text[start:end])
            open_values = [value for value in open_values if not _held(value, held)]
    return citations


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
    return _SPACE_BEFORE_STOP.sub("", _EMPHASIS.sub("", text)).strip()
