"""Which statements only a language model can judge, and what its verdicts remove."""

from collections.abc import Sequence

from graphs.ask.state import Statement
from graphs.errors import ModelOutputInvalid
from graphs.evidence.citations import quote_text, self_evident
from graphs.reasoners.base import Case, Check
from graphs.reasoners.llm_schemas import CheckOut
from graphs.reasoners.llm_text import unfenced

_MOST = 40


def unsure(case: Case, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements whose words don't plainly stand in what they quote, at most 40.

    Self-evident ones were sent while the draft grew; judging them again could only take them back.
    """
    passages = {item.passage.id: item.passage for item in case.evidence}
    return [s for s in statements if not self_evident(s, passages)][:_MOST]


def statement_lines(case: Case, statements: Sequence[Statement]) -> str:
    """Return the numbered statements, each with its quotes."""
    blocks = []
    for index, statement in enumerate(statements, start=1):
        quotes = "\n".join(f"   quote: {unfenced(quote)}" for quote in _quotes(case, statement))
        blocks.append(f"{index}. {unfenced(statement['text'])}\n{quotes}")
    return "\n".join(blocks)


def remove(local: Check, judged: Sequence[Statement], reply: CheckOut) -> Check:
    """Return `local` without the statements that the model found unsupported.

    Raises ModelOutputInvalid where a verdict is missing or names no statement.
    """
    verdicts = {verdict.index: verdict for verdict in reply.verdicts}
    if verdicts.keys() != set(range(1, len(judged) + 1)):
        raise ModelOutputInvalid("the verdicts do not fit the statements")
    reasons = {
        id(statement): "more certain than its quote"
        if verdicts[index].supported
        else "not supported by its quote"
        for index, statement in enumerate(judged, start=1)
        if not (verdicts[index].supported and verdicts[index].modality_kept)
    }
    kept = [statement for statement in local.kept if id(statement) not in reasons]
    fallen = [statement for statement in local.kept if id(statement) in reasons]
    standing = {facet for statement in kept for facet in statement["facets"]}
    lost = [f for statement in fallen for f in statement["facets"] if f not in standing]
    return Check(
        kept=kept,
        dropped=[*local.dropped, *(f"{s['text']} ({reasons[id(s)]})" for s in fallen)],
        lost=list(dict.fromkeys([*local.lost, *lost])),
    )


def _quotes(case: Case, statement: Statement) -> list[str]:
    passages = {item.passage.id: item.passage for item in case.evidence}
    found = []
    for citation in statement["citations"]:
        passage = passages.get(citation["passage"])
        quote = quote_text(citation, passage) if passage else None
        if passage and quote:
            place = " > ".join((passage.title, *passage.section))
            found.append(f"{quote} ({place})")
    return found
