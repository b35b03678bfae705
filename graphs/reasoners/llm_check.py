"""Which statements only a language model can judge, and what its verdicts remove."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from graphs.ask.records import Statement
from graphs.errors import ModelOutputInvalid
from graphs.evidence.citations import quote_text
from graphs.evidence.number_words import spelled
from graphs.evidence.numbers import claims, supports
from graphs.evidence.plainness import self_evident
from graphs.evidence.text import language
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
        quotes = "\n".join(
            f"   quote: {unfenced(quote)} ({unfenced(place)})"
            for quote, place in _quotes(case, statement)
        )
        blocks.append(f"{index}. {unfenced(statement['text'])}\n{quotes}")
    return "\n".join(blocks)


def foreign(case: Case, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements in another language than everything they quote.

    A program can't match their words with the quotes', so only a model can say whether they stand.
    """
    return [
        statement
        for statement in statements
        if (quotes := _quotes(case, statement))
        and language(statement["text"]) not in {language(quote) for quote, _ in quotes}
    ]


def values_stand(case: Case, statement: Statement) -> bool:
    """Tell whether every number, date and code stands in a quote, its heading or the question."""
    known = claims(case.question)
    for quote, place in _quotes(case, statement):
        known += [*claims(quote), *spelled(quote), *claims(place)]
    return all(any(supports(k, claim) for k in known) for claim in claims(statement["text"]))


def merge(
    case: Case,
    statements: Sequence[Statement],
    local: Check,
    reasons: Mapping[int, str],
    kept: Collection[int],
) -> Check:
    """Return the statements of `kept` in their order, and what was lost with the others.

    `reasons` and `kept` hold identities (`id`) of statements: equal ones may be judged differently.
    """
    standing = [s for s in statements if id(s) in kept and id(s) not in reasons]
    addressed = {facet for statement in standing for facet in statement["facets"]}
    covered = [f["id"] for f in case.facets if f["required"] and case.covered.get(f["id"])]
    return replace(
        local,
        kept=standing,
        dropped=[
            *local.dropped,
            *(f"{s['text']}: {reasons[id(s)]}" for s in statements if id(s) in reasons),
        ],
        lost=[f for f in dict.fromkeys([*local.lost, *covered]) if f not in addressed],
    )


def judged(statements: Sequence[Statement], reply: CheckOut) -> dict[int, str]:
    """Return the identity of each statement that the model found unsupported, with the reason.

    Raises ModelOutputInvalid where a verdict is missing or names no statement.
    """
    verdicts = {verdict.index: verdict for verdict in reply.verdicts}
    if verdicts.keys() != set(range(1, len(statements) + 1)):
        raise ModelOutputInvalid("the verdicts do not fit the statements")
    reasons = {}
    for index, statement in enumerate(statements, start=1):
        if not verdicts[index].supported:
            reasons[id(statement)] = "not supported by its quote"
        elif not verdicts[index].modality_kept:
            reasons[id(statement)] = "more certain than its quote"
    return reasons


def _quotes(case: Case, statement: Statement) -> list[tuple[str, str]]:
    """Return each quote that stands at its place, with title, section and codes of its passage."""
    passages = {item.passage.id: item.passage for item in case.evidence}
    found = []
    for citation in statement["citations"]:
        passage = passages.get(citation["passage"])
        quote = quote_text(citation, passage) if passage else None
        if passage and quote:
            place = " / ".join((passage.title, *passage.section, *passage.codes))
            found.append((quote, place))
    return found
