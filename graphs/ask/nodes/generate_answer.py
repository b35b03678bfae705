"""Draft the answer from the passages behind the notes; send each line that a program vouches for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from langgraph.config import get_stream_writer

from graphs.ask.nodes.base import Judging, Step, add_notice, begin, open_case
from graphs.ask.records import Facet, Note, Notice, Statement
from graphs.ask.state import AskState
from graphs.evidence.assessment import assess, best_covering
from graphs.evidence.citations import unsupported
from graphs.evidence.decision import decide
from graphs.evidence.passages import Passage
from graphs.evidence.plainness import self_evident
from graphs.evidence.writing import AnswerWriter
from graphs.policy import Policy
from graphs.ports import Library
from graphs.reasoners.base import Case, Reasoner


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the draft is written from. `enough` is false where the evidence fell below the gate."""

    case: Case
    changed: bool
    enough: bool


@dataclass(frozen=True, slots=True)
class GenerateAnswer:
    """Write statements with quotes; a partial answer speaks only of what is covered."""

    name: str
    partial: bool
    library: Library
    reasoner: Reasoner
    policy: Policy
    judging: Judging

    async def __call__(self, state: AskState) -> AskState:
        """Return the draft. Lines that a program can judge are sent while it grows."""
        step = begin(self.name, state, self.policy)
        reading = await self._read(state, step)
        case = reading.case
        notices = self._notices(state, case, reading.changed)
        statements: list[Statement] = []
        if reading.enough:
            # An older version among the sources may yet add an opening line: then nothing goes early.
            stale = any(item.passage.superseded_by for item in case.evidence)
            codes = [notice["code"] for notice in notices]
            sender = _Sender(AnswerWriter(case.language), case, codes, stale)
            async for statement in self.reasoner.generate(case, self.partial, step.meter):
                statements.append(statement)
                sender.offer(statement)
        return step.done(AskState(statements=statements, notices=notices))

    async def _read(self, state: AskState, step: Step) -> _Reading:
        """Open the passages to read; if one vanished, all that is left is graded again."""
        kb = await self.library.open(state["kb"])
        assessment = state["assessment"]
        covered = assessment["covered"] if assessment else {}
        limit = self.policy.passages_read
        ids = passages_to_read(state["notes"], covered, state["facets"], limit)
        opened = await open_case(state, kb, ids)
        if not opened.changed:
            return _Reading(opened.case, changed=False, enough=True)
        whole = (await open_case(state, kb)).case
        reading = await self.reasoner.grade(whole, step.meter)
        facets = list(state["facets"])
        again = assess(
            whole.evidence,
            facets,
            reading,
            state["threshold"],
            self.policy.weights,
            await self.judging.of(kb),
        )
        covering = best_covering(whole.evidence, facets, reading)
        verdict = decide(again, facets, False, reading.bindable, self.policy, covering)
        left = {item.passage.id for item in whole.evidence}
        notes = [note for note in state["notes"] if note["id"] in left]
        ids = passages_to_read(notes, again["covered"], state["facets"], limit)
        evidence = [item for item in whole.evidence if item.passage.id in ids]
        case = replace(whole, evidence=evidence, covered=again["covered"])
        return _Reading(case, changed=True, enough=verdict.decision != "insufficient")

    def _notices(self, state: AskState, case: Case, changed: bool) -> list[Notice]:
        notices = list(state["notices"])
        assessment = state["assessment"]
        if changed:
            add_notice(notices, "evidence_changed")
        if assessment and assessment["confidence"] < assessment["threshold"]:
            add_notice(notices, "low_confidence_generation")
        covering = {id_ for ids in case.covered.values() for id_ in ids}
        relied = [item for item in case.evidence if item.passage.id in covering] or case.evidence
        weak = [item for item in relied if item.score < self.policy.answer_passage]
        if len(weak) * 2 > len(relied):
            add_notice(notices, "potential_noise")
        return notices


class _Sender:
    """Sends checked lines; the first that must wait holds back itself and all later ones."""

    def __init__(self, writer: AnswerWriter, case: Case, codes: Sequence[str], held: bool) -> None:
        self._writer = writer
        self._case = case
        self._codes = codes
        self._held = held
        self._passages: Mapping[str, Passage] = {i.passage.id: i.passage for i in case.evidence}

    def offer(self, statement: Statement) -> None:
        """Send a line now, or hold it for the checker."""
        sound = unsupported(statement, self._passages, self._case.question) is None
        self._held = self._held or not (sound and self_evident(statement, self._passages))
        if self._held:
            return
        opening = "" if self._writer.text else self._writer.open(self._codes)
        get_stream_writer()({"type": "line", "text": opening + self._writer.statement(statement)})


def passages_to_read(
    notes: Sequence[Note],
    covered: Mapping[str, Sequence[str]],
    facets: Sequence[Facet],
    limit: int,
) -> list[str]:
    """Return at most `limit` passage ids.

    Every facet's best passage comes first, then what lists ask for, since a list may lie in several
    passages, then the other covering passages, then notes by weight: a passage that covers nothing by
    its words may still hold the clause that answers.
    """
    required = [facet for facet in facets if covered.get(facet["id"])]
    chosen = {covered[facet["id"]][0]: None for facet in required}
    lists = [covered[facet["id"]] for facet in required if facet["field"] == "list"]
    others = [covered[facet["id"]] for facet in required if facet["field"] != "list"]
    for group in (lists, others):
        for rank in range(1, limit):
            chosen |= {ids[rank]: None for ids in group if rank < len(ids)}
    chosen |= {note["id"]: None for note in notes}
    return list(chosen)[:limit]
