"""Facets of a question: what the evidence must hold, read from the user's own words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from graphs.ask.records import Facet, FacetKind, SubQuestion
from graphs.evidence import asks
from graphs.evidence.comparing import Sides, sides
from graphs.evidence.hops import Part, chain, pronoun
from graphs.evidence.names import noun_phrases, numbered_names
from graphs.evidence.numbers import claims
from graphs.evidence.phrasing import clauses
from graphs.evidence.script import simplified
from graphs.evidence.text import codes, is_cjk, without_codes, words

_AND = re.compile(r"和|与|及|、|以及|\band\b")
MOST_PARTS = 8
"""Parts of one question that are judged; what a longer question asks beyond them is left out."""
MOST_FACETS = 32
MOST_WORDS = 24
_CHOOSES = ("list", "yes_no")
"""Kinds of asking that only choose between the sides of a comparison."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """Facets and sub-questions of one question."""

    facets: list[Facet]
    sub_questions: list[SubQuestion]


def parse(question: str) -> Parsed:
    """Read the facets of `question`.

    Context clauses give shared entity facets (sub_question ""), asking clauses give sub-questions
    with their own entities and requested fields; several hops give one that waits for another, a
    comparison one for each side.
    """
    builder = _Builder(question)
    hops = chain(question)
    compared = None if hops else sides(question)
    if hops:
        builder.add_chain(hops)
    elif compared:
        builder.add_sides(compared)
    else:
        for clause in clauses(question):
            builder.add(clause)
    return builder.finish()


def parse_part(part: SubQuestion, number: int) -> list[Facet]:
    """Return the facets of one part alone, numbered from `number` on."""
    builder = _Builder(part["text"])
    builder.ask(part, part["text"])
    found = builder.finish().facets
    return [Facet(**{**facet, "id": f"f{number + at}"}) for at, facet in enumerate(found)]


class _Builder:
    """Collects facets clause by clause."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._facets: list[Facet] = []
        self._subs: list[SubQuestion] = []

    def add(self, clause: str) -> None:
        """Add one clause: context, or a sub-question of its own."""
        written, clause = clause, simplified(clause)
        if not asks.is_ask(clause):
            self._entities(clause, "")
            self._values(clause, "")
            return
        fields = asks.requested_fields(clause)
        if not (
            asks.pair(clause) or self._label_phrases(clause) or fields or asks.imperative(clause)
        ):
            self._entities(clause, "")
            self._values(clause, "")
            return
        if len(self._subs) >= MOST_PARTS:
            return
        if len(codes(clause)) < 2 and (hops := chain(written)):
            self.add_chain(hops)
            return
        before = self._subs[-1:]
        sub = SubQuestion(id=f"q{len(self._subs) + 1}", text=written, depends_on=[])
        if before and (slot := pronoun(written, before[0]["text"])):
            sub = SubQuestion(**{**sub, "depends_on": [before[0]["id"]], "slot": slot})
        self.ask(sub, clause)

    def add_chain(self, hops: Sequence[Part]) -> None:
        """Add hops, each of which waits for the one before it."""
        waits: list[str] = []
        for hop in hops:
            sub = SubQuestion(id=f"q{len(self._subs) + 1}", text=hop.text, depends_on=waits)
            if hop.slot:
                sub = SubQuestion(**{**sub, "slot": hop.slot})
            self.ask(sub, simplified(hop.text))
            waits = [sub["id"]]

    def add_sides(self, compared: Sides) -> None:
        """Ask the same of both sides of a comparison."""
        asked, content = simplified(compared.asked), simplified(compared.content)
        field = next((f for f in asks.requested_fields(asked) if f not in _CHOOSES), "fact")
        for name in compared.names:
            text = f"{name}{'：' if is_cjk(name + asked) else ': '}{compared.asked}"
            sub = SubQuestion(id=f"q{len(self._subs) + 1}", text=text, depends_on=[])
            self._subs.append(sub)
            self._facet("field", text, sub["id"], field=field, required=True, content=content)
            self._facet("entity", name, sub["id"])
            self._values(asked, sub["id"])

    def ask(self, sub: SubQuestion, clause: str) -> None:
        """Add a sub-question with what it asks for and what it names."""
        self._subs.append(sub)
        fields = asks.requested_fields(clause)
        both = asks.pair(clause)
        names = [] if both else self._label_phrases(clause)
        for name in names:
            field, content = asks.label_field(name)
            self._facet("field", name, sub["id"], field=field, required=True, content=content)
        for name in both:
            self._facet("field", name, sub["id"], field=fields[0], required=True)
        if not names and not both:
            for field in fields[:1] or ["fact"]:
                self._facet("field", sub["text"], sub["id"], field=field, required=True)
        self._entities(asks.strip_cues(clause), sub["id"], without=[*names, *both])
        self._values(clause, sub["id"])

    def finish(self) -> Parsed:
        """Return what was read; a question without an asking clause is one sub-question."""
        if not self._subs:
            text = self._question.strip()
            self._subs.append(SubQuestion(id="q1", text=text, depends_on=[]))
            self._facet("field", text, "q1", field="fact", required=True)
        self._one_for_each_code()
        return Parsed(self._facets, self._subs)

    def _one_for_each_code(self) -> None:
        """Ask a part that names several codes once for each of them."""
        for sub in list(self._subs):
            named = [
                facet
                for facet in self._facets
                if facet["kind"] == "code" and facet["sub_question"] in ("", sub["id"])
            ]
            if len(named) > 1:
                self._split(sub, named)
        for number, facet in enumerate(self._facets, start=1):
            facet["id"] = f"f{number}"

    def _split(self, sub: SubQuestion, named: list[Facet]) -> None:
        place = self._subs.index(sub)
        parts = [
            SubQuestion(id=f"{sub['id']}.{n}", text=f"{code['text']}: {sub['text']}", depends_on=[])
            for n, code in enumerate(named, start=1)
        ]
        self._subs[place : place + 1] = parts
        mine = [f for f in self._facets if f["sub_question"] == sub["id"] and f["kind"] != "code"]
        kept = [f for f in self._facets if f not in named and f not in mine]
        copies = [
            Facet(**{**facet, "sub_question": part["id"]})
            for part, code in zip(parts, named, strict=True)
            for facet in (code, *mine)
        ]
        # A code of the context still stands for the parts that come after.
        self._facets = [*kept, *copies]

    def _label_phrases(self, clause: str) -> list[str]:
        """Return the noun phrases of an asking clause that name a field (现场检查结果, 处理措施)."""
        if not is_cjk(clause):
            return []
        content = asks.strip_cues(clause)
        tail = re.split(r"的", content)[-1] if "的" in content else content
        found: list[str] = []
        for part in _AND.split(tail):
            text = re.sub(
                r"^.*\s|^(?:并|是|有|中|其|该|应|应该|需要)+|(?:是|有|呢|吗|为)+$",
                "",
                part.strip(" ？?。"),
            )
            if not 2 <= len(text) <= 12:
                continue
            if asks.LABEL_HEAD.search(text):
                found.append(text)
        return found

    def _entities(self, clause: str, sub: str, without: Sequence[str] = ()) -> None:
        clause = without_codes(clause)
        for name in without:
            clause = re.sub(re.escape(name), " ", clause, flags=re.IGNORECASE)
        for phrase in noun_phrases(clause):
            self._facet("entity", phrase, sub, required=False)
        for name in numbered_names(clause):
            self._facet("entity", name, sub, required=False)

    def _values(self, clause: str, sub: str) -> None:
        """Add codes, dates and numbers of a clause as constraints."""
        for code in codes(clause):
            self._facet("code", code, sub, required=False)
        for claim in claims(clause):
            if claim.kind == "date":
                self._facet("time", claim.value, sub, required=False)
            elif (
                claim.kind in ("number", "percent") and claim.unit and clause[claim.start].isascii()
            ):
                self._facet("number", f"{claim.value} {claim.unit}", sub, required=False)

    def _facet(
        self,
        kind: FacetKind,
        text: str,
        sub: str,
        field: str = "",
        required: bool = False,
        content: str | None = None,
    ) -> None:
        """Add a facet once; `content` is what its words are read from where that is not `text`."""
        source = text if content is None else content
        if kind == "entity" and numbered_names(text) == [text.lower()]:
            self._keep(kind, text, sub, field, required, [text.lower()])
            return
        terms = words(asks.strip_cues(source) if kind == "field" else source)[:MOST_WORDS]
        if len(self._facets) >= MOST_FACETS and not required:
            return
        if kind == "entity" and not terms:
            return
        self._keep(kind, text, sub, field, required, terms)

    def _keep(
        self, kind: FacetKind, text: str, sub: str, field: str, required: bool, terms: list[str]
    ) -> None:
        if any(
            f["kind"] == kind and f["text"] == text and f["sub_question"] == sub
            for f in self._facets
        ):
            return
        self._facets.append(
            Facet(
                id=f"f{len(self._facets) + 1}", kind=kind, text=text, terms=terms,
                required=required, sub_question=sub, field=field,
            )
        )  # fmt: skip
