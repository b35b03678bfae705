"""A document that is taken in anew while a question runs: its quotes are found again."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from fakes import FakeEmbedder, FakeReasoner, ask, compiled, full, plant
from langgraph.checkpoint.memory import InMemorySaver
from memory_kb import MemoryKnowledgeBase

from graphs.ask.records import Statement
from graphs.evidence.citations import unsupported
from graphs.evidence.passages import Passage
from graphs.reasoners.base import Case, Check

PREFACE = "新的前言。\n"


@dataclass
class VersionedKnowledgeBase(MemoryKnowledgeBase):
    """Keeps every version's canonical text, as the stores do."""

    texts: dict[tuple[str, str], str] = field(default_factory=dict)

    async def canonical_text(self, document_id: str, version: str) -> str | None:
        return self.texts.get((document_id, version))


def verified(case: Case, statements: Sequence[Statement]) -> Check:
    passages = {item.passage.id: item.passage for item in case.evidence}
    kept = [s for s in statements if unsupported(s, passages, case.question) is None]
    return Check(kept, [], [])


def placed(items: Sequence[Passage], version: str, before: str) -> tuple[list[Passage], str]:
    """Return the passages of one document one after the other, and the text that they make."""
    text, found = before, []
    for item in items:
        start = len(text)
        found.append(replace(item, version=version, start=start, end=start + len(item.text)))
        text += item.text + "\n"
    return found, text


async def _asked(before: str, change: Any) -> tuple[dict[str, Any], VersionedKnowledgeBase]:
    """Stop before a node, take the documents in anew with `change` of each text, go on."""
    base = VersionedKnowledgeBase(FakeEmbedder(), plant())
    documents = dict.fromkeys(item.document_id for item in base.items)

    def take_in(version: str, preface: str) -> None:
        items: list[Passage] = []
        for document in documents:
            own = [item for item in base.items if item.document_id == document]
            found, base.texts[document, version] = placed(own, version, preface)
            items += found
        base.items = items

    take_in("v1", "")
    reasoner = FakeReasoner(readings=deque([full]), checks=deque([verified]))
    graph = compiled(reasoner, base, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke(ask(), config, interrupt_before=[before])
    base.items = [replace(item, text=change(item.text)) for item in base.items]
    take_in("v2", PREFACE)
    return (await graph.ainvoke(None, config))["result"], base


@pytest.mark.parametrize("before", ["check_initial", "finalize"])
async def test_quote_that_moved_is_cited_at_its_new_place(before: str) -> None:
    result, base = await _asked(before, lambda text: text)
    assert result["status"] == "answered"
    assert result["warnings"] == []
    assert result["citations"]
    for citation in result["citations"]:
        assert citation["version"] == "v2"
        text = base.texts[citation["document_id"], "v2"]
        assert text[citation["start"] : citation["end"]] == citation["quote"] != ""


async def test_quote_whose_words_changed_is_not_cited() -> None:
    result, _ = await _asked("finalize", lambda text: text.replace("压力", "压强")[::-1])
    assert result["status"] == "insufficient"
    assert result["citations"] == []
    assert [warning["code"] for warning in result["warnings"]] == ["evidence_changed"]
