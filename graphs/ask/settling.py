"""What still stands at the end: a document may change between the check and the last step."""

from collections.abc import Mapping, Sequence

from graphs.ask.nodes.base import add_notice
from graphs.ask.records import Citation, Statement
from graphs.ask.state import AskState
from graphs.evidence.citations import quote_of, quote_text
from graphs.evidence.ledger import Ledger, missing_of, refusal_text
from graphs.evidence.passages import Passage
from graphs.ports import KnowledgeBase


async def follow(
    statements: Sequence[Statement], passages: Mapping[str, Passage], kb: KnowledgeBase
) -> list[Statement]:
    """Return the statements with each quote at its place in the newest version of its document.

    A document that was taken in anew often keeps the quoted words at other places. A quote that is
    gone stays as it was, and falls where it is checked.
    """
    return [
        Statement(
            **{**said, "citations": [await _followed(c, passages, kb) for c in said["citations"]]}
        )
        for said in statements
    ]


async def _followed(
    citation: Citation, passages: Mapping[str, Passage], kb: KnowledgeBase
) -> Citation:
    passage = passages.get(citation["passage"])
    if passage is None or passage.version == citation["version"]:
        return citation
    before = await kb.canonical_text(citation["document_id"], citation["version"])
    quote = (before or "")[citation["start"] : citation["end"]]
    place = passage.text.find(quote) if quote else -1
    return citation if place < 0 else quote_of(passage, place, place + len(quote))


def settle(state: AskState, passages: Mapping[str, Passage], contact: str = "") -> AskState:
    """Return the state without the statements whose quotes are gone from `passages`.

    What they addressed is missing then, and the answer partial; with no required facet left it is
    a refusal. A state that says nothing, or whose quotes all stand, comes back as it is.
    """
    if state["status"] not in ("answered", "partial"):
        return state
    standing = [s for s in state["statements"] if _stands(s, passages)]
    if len(standing) == len(state["statements"]):
        return state
    notices = list(state["notices"])
    add_notice(notices, "evidence_changed")
    addressed = {facet for statement in standing for facet in statement["facets"]}
    fell = {facet for s in state["statements"] for facet in s["facets"]} - addressed
    required = {facet["id"] for facet in state["facets"] if facet["required"]}
    searched = [query for r in state["retrievals"] for query in r["queries"]]
    language = state["language"]
    known = {entry["content"] for entry in state["missing"]}
    lost = missing_of(
        [f for f in state["facets"] if f["id"] in fell], {}, [], sorted(fell), searched, language
    )
    missing = [*state["missing"], *(entry for entry in lost if entry["content"] not in known)]
    enough = bool(standing) and (not required or bool(addressed & required))
    update = AskState(
        statements=standing if enough else [],
        status="partial" if enough else "insufficient",
        missing=missing,
        notices=notices,
        message=refusal_text(
            language,
            Ledger(
                retrievals=state["retrievals"],
                nearest=state["nearest"],
                missing=missing,
                sub_questions=state["sub_questions"],
                facets=state["facets"],
                contact=contact,
            ),
        ),
    )
    return AskState(**{**state, **update})


def _stands(statement: Statement, passages: Mapping[str, Passage]) -> bool:
    return all(
        (passage := passages.get(citation["passage"])) is not None
        and quote_text(citation, passage) is not None
        for citation in statement["citations"]
    )
