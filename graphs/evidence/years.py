"""Years: which ones a question is about, and whether a document or a sentence is of them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from graphs.ask.records import Facet, SubQuestion
from graphs.evidence.lines import Line, take_apart
from graphs.evidence.numbers import claims
from graphs.evidence.passages import Evidence, Passage
from graphs.evidence.scorer import FieldReading, SentenceScore

_YEAR = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_SPAN = re.compile(
    r"(?<!\d)((?:19|20)\d{2})\s*年?\s*(?:[-–—~～/]|至|到|to)\s*((?:19|20)\d{2})(?!\d)"
)
_LONGEST_SPAN = 30
_BOUND_BEFORE = re.compile(
    r"(?:\b(?:since|until|till|before|after|from|by|between|than|to|up to)|截至|截止|直到|至|到|自|从)"
    r"\s*(?:the\s+)?(?:year\s+|end of\s+)?$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"^\s*年?(?:\s*\d{1,2}\s*月)?(?:\s*\d{1,2}\s*[日号])?\s*(?:底|初|末)?\s*"
    r"(?:以[前后来上]|之[前后]|[前后起]|至|到|[-–—~～]\s*(?:19|20)\d|\b(?:and|or) (?:later|earlier|before|after)\b)"
)
"""A year that only bounds a time (since 2021, 2023年以前) names no edition."""
_NAMES_TIME = re.compile(
    r"\b(?:in|during|for|throughout|as of)\s+(?:the\s+)?(?:(?:fiscal|calendar)\s+)?(?:year\s+)?$",
    re.IGNORECASE,
)
_NAMES_EDITION = re.compile(
    r"^\s*年?度?\s*(?:版|修订|(?:edition|version|revision)\b)", re.IGNORECASE
)
_HEADING_MARK = re.compile(r"^\s*#+\s+", re.MULTILINE)
"""Else the year of "## 2023" would be read as the number of a heading."""
_RECORD_YEAR = re.compile(r"^[^：:\n]{1,20}[：:]\s*(?:FY\s?)?(?:19|20)\d\d\s*年?度?\s*$")
_CLOSE = re.compile(r"^\s*年")


@lru_cache(maxsize=4096)
def years(text: str) -> frozenset[str]:
    """Return the years that a text names, those inside a span included; measures are none."""
    text = _HEADING_MARK.sub("", text)
    found = set()
    for claim in claims(text):
        written = text[claim.start : claim.end].strip()
        if claim.kind == "date":
            found.add(claim.value[:4])
        elif claim.kind == "number" and not claim.unit and _YEAR.fullmatch(written):
            found.add(claim.value)
        elif claim.kind == "code" and _YEAR.search(claim.value) and claim.value.startswith("FY"):
            found.update(_YEAR.findall(claim.value))
    for span in _SPAN.finditer(text):
        first, last = int(span[1]), int(span[2])
        if first <= last <= first + _LONGEST_SPAN:
            found.update(map(str, range(first, last + 1)))
    return frozenset(found)


def code_years(codes: Iterable[str]) -> frozenset[str]:
    """Return the years that stand in codes (QX-2025-094)."""
    return frozenset(year for code in codes for year in _YEAR.findall(code))


def years_asked(text: str) -> frozenset[str]:
    """Return the years that a question's part is about: not those that only bound a time."""
    named = years(text)
    spans = [span.span() for span in _SPAN.finditer(text)]
    found: set[str] = set()
    for match in _YEAR.finditer(text):
        before, after = text[: match.start()], text[match.end() :]
        spanned = any(start <= match.start() < end for start, end in spans)
        if not spanned and (_BOUND_BEFORE.search(before) or _BOUND_AFTER.match(after)):
            continue
        found |= named & {match.group()}
    return frozenset(found)


def _names_edition(text: str, year: str) -> bool:
    """Tell whether a year names an edition (2023年版, Policy 2023), not a time (in 2023)."""
    for match in re.finditer(year, text):
        before, after = text[: match.start()], text[match.end() :]
        if _NAMES_EDITION.match(after):
            return True
        if not _NAMES_TIME.search(before) and not _CLOSE.match(after):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Times:
    """The years that each part of a question is about, and what of the evidence is of them."""

    asked: dict[str, frozenset[str]]
    """Sub-question id to years; "" for what no part says."""
    editions: frozenset[str]
    """The years among them that name an edition."""
    owned: dict[str, tuple[frozenset[str], ...]]
    """Family of versions to the years of each of its documents found."""

    @classmethod
    def of(
        cls, question: str, sub_questions: Sequence[SubQuestion], evidence: Sequence[Evidence]
    ) -> "Times":
        """Read the years of a question; those of its context hold for every part without one."""
        context = question
        for sub in sub_questions:
            context = context.replace(sub["text"], " ")
        asked = {sub["id"]: years_asked(sub["text"]) for sub in sub_questions}
        asked[""] = years_asked(context)
        every = frozenset(year for named in asked.values() for year in named)
        owned: dict[str, dict[str, frozenset[str]]] = {}
        for passage in (item.passage for item in evidence):
            owned.setdefault(_family(passage), {})[passage.document_id] = own_years(passage)
        return cls(
            asked,
            frozenset(year for year in every if _names_edition(question, year)),
            {family: tuple(found.values()) for family, found in owned.items()},
        )

    def limit(self, facet: Facet, passage: Passage, reading: FieldReading) -> FieldReading:
        """Return a reading without the sentences that are of another time than is asked for."""
        wanted = self.asked.get(facet["sub_question"]) or self.asked[""]
        if not wanted:
            return reading
        lines = take_apart(passage).lines
        records = _said(passage, lines, _RECORD_YEAR)
        fitting = [s for s in reading.sentences if self._fits(wanted, passage, records[s.line])]
        kept = _nearest_said(wanted, fitting, _said(passage, lines))
        best = max((score.strength for score in reading.sentences), default=0.0)
        left = max((score.strength for score in kept), default=0.0)
        strength = reading.strength * left / best if best else 0.0
        return replace(reading, strength=strength, sentences=tuple(kept))

    @property
    def matter(self) -> bool:
        """Whether the question names a year at all."""
        return any(self.asked.values())

    def _fits(self, wanted: frozenset[str], passage: Passage, stated: frozenset[str]) -> bool:
        """Tell whether the year stands in a sentence, over it, or in its document.

        A sentence of another year does not fit. What states no year does, unless its document is
        of another one.
        """
        said = stated | years("\n".join(passage.section))
        if said & wanted or own_years(passage) & wanted:
            return True
        if said or _title_years(passage):
            return False
        if passage.date is None:
            return True
        versions = self.owned.get(_family(passage), ())
        if len(versions) < 2 and years(passage.text) & wanted:
            return True
        return self._in_force(wanted, passage.date[:4], versions)

    def _in_force(
        self, wanted: frozenset[str], since: str, versions: Sequence[frozenset[str]]
    ) -> bool:
        """Tell whether a document of an earlier year had no newer version yet in a year asked for."""
        return any(
            since < year
            and year not in self.editions
            and not any(since < other <= year for owned in versions for other in owned)
            for year in wanted
        )


def own_years(passage: Passage) -> frozenset[str]:
    """Return the years of a document: of its title, its codes, its date."""
    dated = {passage.date[:4]} if passage.date else set()
    return _title_years(passage) | dated


def _title_years(passage: Passage) -> frozenset[str]:
    return years(passage.title) | code_years(passage.codes)


def _family(passage: Passage) -> str:
    return passage.superseded_by or passage.document_id


def _nearest_said(
    wanted: frozenset[str], scores: Sequence[SentenceScore], said: Sequence[frozenset[str]]
) -> list[SentenceScore]:
    """Leave out sentences of other years where one of the passage is of the year asked for."""
    if not any(said[score.line] & wanted for score in scores):
        return list(scores)
    return [s for s in scores if not said[s.line] or said[s.line] & wanted]


def _said(
    passage: Passage, lines: Sequence[Line], leading: re.Pattern[str] | None = None
) -> list[frozenset[str]]:
    """Return the years that each line names or stands under.

    Where the document has no year of its own, a line goes on with the year of the lines before it
    (Year: 2023, then Budget: …), up to the next heading; only of `leading` ones where given.
    """
    found: list[frozenset[str]] = []
    before: frozenset[str] = frozenset()
    undated = not own_years(passage)
    for line in lines:
        named = years(f"{line.above}\n{line.text}")
        found.append(named or (before if undated and line.kind != "heading" else frozenset()))
        if line.kind == "heading":
            before = frozenset()
        elif named and (leading is None or leading.match(line.text)):
            before = named
    return found
