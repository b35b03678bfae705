"""Whether a value of a statement stands in a quote, in the same sentence or row as its subject."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from graphs.evidence.blocks import Row, cells, header_line, header_of, row_at, rows
from graphs.evidence.contrast import marks, opposed
from graphs.evidence.numbers import Claim, blanked, claims, supports
from graphs.evidence.passages import Passage
from graphs.evidence.text import fold, is_cjk, sentences, tagged, words

_CLAUSE = re.compile(r"[，,、：:]|\band\b|\s-\s", re.I)
_LETTERS_OF_NUMBER = re.compile(r"(?<![A-Za-z])[A-Za-z]{1,4}(?=-?\d)")
_UNIT_OF_COLUMN = re.compile(r"[(（\[/]\s*([^()（）\[\]/]{1,8}?)\s*[)）\]]?\s*$")
_NAMING = frozenset("nlijtbsz")
"""First letters of the tags of nouns, phrases, abbreviations, times, attributes and places."""
_BARE = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Line:
    """A quoted sentence or row; `above` is its table's header where that is quoted too, or stands
    before the passage."""

    text: str
    above: str
    header: bool = False
    """It is a table's header, which says nothing by itself."""

    @property
    def clauses(self) -> list[str]:
        """The parts that each say something of their own; a cell with the name of its column."""
        if not self.above:
            return [*cells(self.text)] if self._is_row else list(_clauses(self.text))
        names = cells(self.above)
        values = cells(self.text)
        return [
            f"{name} {_with_unit(value, name)}" for name, value in zip(names, values, strict=False)
        ]

    @property
    def _is_row(self) -> bool:
        return self.text.startswith("|") and self.text.endswith("|")


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A value of a statement with the clause around it and what tells its subject apart."""

    claim: Claim
    clause: str
    sentence: str
    around: set[str]
    marks: set[str]


def stands(
    claim: Claim, text: str, quoted: Sequence[Line], headings: Sequence[str], question: str
) -> bool:
    """Tell whether a value stands in a quoted sentence that speaks of the value's subject.

    The sentence must share a content word with what the statement says around the value, name the
    same one of several things (pump B), say it from the same side (at least, at most), and no
    sentence without the value may hold all those words and more: then the value is another's.
    """
    wanted = _wanted(claim, text)
    known = " ".join((*(f"{line.above} {line.text}" for line in quoted), *headings, question))
    if not wanted.marks <= marks(known):
        return False
    strange = nouns(wanted.sentence) - _held(nouns(wanted.sentence), known)
    holding: list[set[str]] = []
    others: list[set[str]] = []
    for line in quoted:
        held = _held(wanted.around, " ".join((line.text, line.above, *headings)))
        if not _in(claim, _values(line)):
            others.append(held)
        elif _says(wanted, line) and not (strange and _another_row(text, line)):
            holding.append(held)
    for held in holding:
        if not wanted.around or (held and not any(other > held for other in others)):
            return True
    return any(_in(claim, claims(heading)) for heading in headings) and claim.kind in ("code", "date")  # fmt: skip


def quoted_lines(passage: Passage, start: int, end: int, whole: Sequence[Row]) -> list[Line]:
    """Return the sentences and rows of `passage.text[start:end]`; `whole` are the rows quoted whole."""
    layout = rows(passage.text)
    quote = passage.text[start:end]
    found: list[Line] = []
    for begin, stop in sentences(quote):
        row = row_at(layout, start + begin)
        above = ""
        if row and row.kind == "row":
            header = header_of(layout, row)
            if not header or header in whole:
                above = header_line(layout, row, passage.text, passage.lead)
        heads = row is not None and row.kind == "header"
        found.append(Line(quote[begin:stop], above, heads))
    return found


def _wanted(claim: Claim, text: str) -> _Wanted:
    start, sentence = _sentence_at(text, claim.start)
    place = claim.start - start
    begin = max((m.end() for m in _CLAUSE.finditer(sentence[:place])), default=0)
    end = _CLAUSE.search(sentence, claim.end - start)
    clause = sentence[begin : end.start() if end else len(sentence)]
    told = marks(clause)
    if not told:  # "pump B runs slowly, at 5 kPa": the nearest clause before it tells
        before = list(_clauses(sentence[:begin]))
        told = next((found for part in reversed(before) if (found := marks(part))), set())
    return _Wanted(claim, clause, sentence, _around(clause, sentence), told)


def _says(wanted: _Wanted, line: Line) -> bool:
    """Tell whether a clause of a line gives the value to the same thing in the same way."""
    parts = line.clauses
    told = [marks(part) for part in parts]
    everywhere = marks(line.text)
    for number, part in enumerate(parts):
        if not _in(wanted.claim, claims(part)) or opposed(wanted.clause, part):
            continue
        near = told[number] or next((found for found in reversed(told[:number]) if found), set())
        own = everywhere if line.above else near or everywhere
        if wanted.marks and own and not wanted.marks & own:
            continue
        if not _anothers(wanted, part, parts):
            return True
    # a value that lies across clauses, as a date with a comma does
    split = not any(_in(wanted.claim, claims(part)) for part in parts)
    return split and not opposed(wanted.clause, line.text)


def _another_row(text: str, line: Line) -> bool:
    """Tell whether a row is of another thing than a statement that names what stands nowhere."""
    key = cells(line.text)[0] if line.above else ""
    return bool(key) and fold(key) not in fold(text)


def _anothers(wanted: _Wanted, part: str, parts: Sequence[str]) -> bool:
    """Tell whether a clause with another value of the same kind holds more of the words around.

    A clause that names nothing itself ("now at 5 kPa") goes on with what was named before.
    """
    held = _held(wanted.around, part)
    if not held and not nouns(part):
        return False
    return any(
        _held(wanted.around, other) > held
        for other in parts
        if not _in(wanted.claim, found := claims(other))
        and any((c.kind, c.unit) == (wanted.claim.kind, wanted.claim.unit) for c in found)
    )


def _values(line: Line) -> list[Claim]:
    found = claims(line.text)
    return [*found, *(c for part in line.clauses for c in claims(part))] if line.above else found


def _with_unit(value: str, column: str) -> str:
    """Return a bare number with the unit that its column's name gives: 5 under 压力 (kPa)."""
    unit = _UNIT_OF_COLUMN.search(column)
    return f"{value} {unit.group(1)}" if unit and _BARE.fullmatch(value) else value


def _in(claim: Claim, known: Sequence[Claim]) -> bool:
    return any(supports(other, claim) for other in known)


def _clauses(sentence: str) -> Iterator[str]:
    start = 0
    for match in _CLAUSE.finditer(sentence):
        if not _within_number(sentence, match):
            yield sentence[start : match.start()]
            start = match.end()
    yield sentence[start:]


def _within_number(sentence: str, match: re.Match[str]) -> bool:
    before, after = sentence[: match.start()], sentence[match.end() :]
    return match.group() in ",:" and before[-1:].isdigit() and after[:1].isdigit()


def _around(clause: str, sentence: str) -> set[str]:
    """Return the content words of a clause, or of its sentence where it has none."""
    for part in (clause, sentence):
        if found := set(words(_without_values(part))):
            return found
    return set()


def _without_values(text: str) -> str:
    """Return `text` with its values blanked out, and the letters of E0130: they are no word."""
    lettered = _LETTERS_OF_NUMBER.sub(lambda m: " " * len(m.group()), text)
    return blanked(lettered, claims(text))


def nouns(text: str) -> set[str]:
    """Return the words of a text that may name things: all but verbs, adverbs and the like.

    A technical term is often no noun to the tagger; of Latin words every one is taken.
    """
    said = _without_values(text)
    named = {word for word, flag in tagged(said) if flag == "vn" or flag[:1] in _NAMING}
    return {word for word in words(said) if word in named or word.isascii()}


def _held(wanted: set[str], text: str) -> set[str]:
    known = set(words(text))
    folded = fold(text)
    return {word for word in wanted if word in known or (is_cjk(word) and word in folded)}


def _sentence_at(text: str, place: int) -> tuple[int, str]:
    for start, end in sentences(text):
        if start <= place < end:
            return start, text[start:end]
    return 0, text
