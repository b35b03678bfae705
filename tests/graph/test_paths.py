import logging
import time
from collections import deque
from dataclasses import replace
from typing import Any

import pytest
from fakes import (
    CountingKnowledgeBase,
    FailingKnowledgeBase,
    FailingLibrary,
    FakeEmbedder,
    FakeReasoner,
    analysis,
    ask,
    compiled,
    drop_last,
    final_state,
    foreign,
    full,
    half,
    knowledge_base,
    off_topic,
    plant,
    quote,
    weak,
)
from langgraph.checkpoint.memory import InMemorySaver
from memory_kb import MemoryLibrary
from scenarios import SCENARIOS, START, Scenario, options

from graphs.ask.recovery import Recover
from graphs.errors import UnknownKnowledgeBase
from graphs.policy import Policy
from graphs.reasoners.base import Case, Check, Reading


def codes(result: dict[str, Any]) -> list[str]:
    return [warning["code"] for warning in result["warnings"]]


@pytest.mark.parametrize("name", SCENARIOS)
async def test_each_path_ends_as_the_table_says(name: str) -> None:
    scenario = SCENARIOS[name]
    reasoner = scenario.reasoner()
    done = await compiled(reasoner).ainvoke(ask(**options(scenario)))
    result = done["result"]
    assert tuple(result["path"]) == scenario.path
    assert result["status"] == scenario.status
    assert reasoner.calls.count("generate") == scenario.generated
    assert [entry["content"] for entry in result["missing"]] == list(scenario.missing)
    assert codes(result) == list(scenario.warnings)
    assert not reasoner.readings, "a grading was never asked for"
    assert len(result["decisions"]) == reasoner.calls.count("grade")
    assert len(result["retrievals"]) == len([n for n in scenario.path if n.startswith("retrieve")])
    for entry in result["missing"]:
        assert entry["content"] in result["answer"]
    for statement in result["statements"]:
        assert result["answer"][statement["start"] : statement["end"]] == statement["text"]
        assert statement["citations"]
    if scenario.status not in ("answered", "partial"):
        assert result["statements"] == []
        assert result["citations"] == []


def test_every_node_of_the_graph_lies_on_some_path() -> None:
    reached = {node for scenario in SCENARIOS.values() for node in scenario.path}
    assert reached == set(compiled(FakeReasoner()).builder.nodes) - {"recover"}


@pytest.mark.parametrize("name", [n for n in SCENARIOS if SCENARIOS[n].status == "insufficient"])
async def test_refusal_names_what_was_searched_and_what_was_near(name: str) -> None:
    scenario = SCENARIOS[name]
    done = await compiled(scenario.reasoner()).ainvoke(ask(**options(scenario)))
    result = done["result"]
    assert result["nearest"]
    for query in [q for r in result["retrievals"] for q in r["queries"]]:
        assert query in result["answer"]
        assert query in result["missing"][0]["searched"]


async def test_unrecognized_verdict_is_kept_word_for_word_and_nothing_is_stated() -> None:
    done = await compiled(SCENARIOS["initial-unrecognized"].reasoner()).ainvoke(ask())
    result = done["result"]
    assert result["decisions"][-1]["proposed"] == "maybe later"
    assert result["decisions"][-1]["decision"] == "unrecognized"
    assert "maybe later" in result["answer"]


@pytest.mark.parametrize(
    ("rounds", "expected"),
    [
        (0, (*START, "report_insufficient_initial", "finalize")),
        (1, (*START, "rewrite_precise", "retrieve_precise", "grade_precise",
             "report_insufficient_precise", "finalize")),
    ],
)  # fmt: skip
async def test_max_rounds_bounds_the_second_retrievals(
    rounds: int, expected: tuple[str, ...]
) -> None:
    reasoner = FakeReasoner(readings=deque([weak] * (rounds + 1)))
    result = (await compiled(reasoner).ainvoke(ask(max_rounds=rounds)))["result"]
    assert tuple(result["path"]) == expected
    assert "generate" not in reasoner.calls


async def test_default_limit_allows_one_second_retrieval() -> None:
    reasoner = FakeReasoner(readings=deque([weak, weak]))
    result = (await compiled(reasoner).ainvoke(ask()))["result"]
    assert result["usage"]["retrievals"] == 2


async def test_direct_question_searches_nothing() -> None:
    base = CountingKnowledgeBase(FakeEmbedder(), plant())
    result = (await compiled(SCENARIOS["direct"].reasoner(), base).ainvoke(ask("你好")))["result"]
    assert base.searches == 0
    assert result["retrievals"] == []
    assert "kb" in result["answer"]


async def test_unresolved_reference_asks_back_with_a_warning() -> None:
    unclear = analysis(
        "那它呢？", intent="direct", direct_reason="unresolved_reference", facets=[],
        sub_questions=[], first_query="",
    )  # fmt: skip
    reasoner = FakeReasoner(analyses=deque([unclear]))
    result = (await compiled(reasoner).ainvoke(ask("那它呢？")))["result"]
    assert (result["status"], codes(result)) == ("direct", ["unresolved_reference"])
    assert "那它呢？" in result["answer"]


async def test_empty_knowledge_base_says_how_to_fill_it() -> None:
    reasoner = FakeReasoner(readings=deque([foreign]))
    result = (await compiled(reasoner, knowledge_base([])).ainvoke(ask()))["result"]
    assert result["status"] == "insufficient"
    assert "youju ingest" in result["answer"]
    assert set(result["assessment"]["dimensions"].values()) == {0.0}


async def test_statement_that_keeps_silent_about_a_covered_facet_makes_the_answer_partial() -> None:
    """The checker may forget to say what was lost; the node does not."""

    def forgetful(case: Case, statements: Any) -> Check:
        return Check(list(statements[:1]), [], [])

    reasoner = FakeReasoner(readings=deque([full]), checks=deque([forgetful]))
    result = (await compiled(reasoner).ainvoke(ask()))["result"]
    assert result["status"] == "partial"
    assert [entry["content"] for entry in result["missing"]] == ["处理措施"]


# Second retrievals


@pytest.mark.parametrize("name", [n for n in SCENARIOS if "precise" in n or "broaden" in n])
async def test_passages_that_were_seen_never_come_again(name: str) -> None:
    scenario = SCENARIOS[name]
    state = await final_state(compiled(scenario.reasoner()), ask(**options(scenario)))
    ids = [ref["id"] for ref in state["evidence"]]
    variants = [v for ref in state["evidence"] for v in ref["variants"]]
    assert len(ids) == len(set(ids))
    assert not set(ids) & set(variants)
    rounds = [ref["round"] for ref in state["evidence"]]
    assert rounds == sorted(rounds)
    assert state["retrievals"][1]["new"] == rounds.count(1)


async def test_later_round_searches_for_what_is_new_and_says_so_when_there_is_nothing() -> None:
    two = plant()[:2]
    reasoner = FakeReasoner(readings=deque([half, half]))
    result = (await compiled(reasoner, knowledge_base(two)).ainvoke(ask()))["result"]
    assert result["retrievals"][1]["new"] == 0
    assert result["retrievals"][1]["note"] == "nothing new was found"
    assert result["status"] == "partial"


async def test_queries_of_the_rewriter_are_searched_and_never_the_judge() -> None:
    seen: list[str] = []

    def reading(case: Case) -> Reading:
        seen.append(case.question)
        return half(case) if len(seen) == 1 else full(case)

    reasoner = FakeReasoner(
        readings=deque([reading, reading]), precise=deque([["换一种说法", "a", "b", "c"]])
    )
    result = (await compiled(reasoner).ainvoke(ask("问题原文是什么？")))["result"]
    assert seen == ["问题原文是什么？", "问题原文是什么？"]
    assert result["retrievals"][1]["queries"] == ["换一种说法", "a", "b"]


async def test_excluded_document_is_never_found() -> None:
    reasoner = FakeReasoner(readings=deque([half, full]))
    graph = compiled(reasoner)
    state = await final_state(graph, ask(exclude_documents=["d0", "d1"]))
    left = {p.id for p in plant() if p.document_id not in ("d0", "d1")}
    assert {ref["id"] for ref in state["evidence"]} <= left


async def test_unreadable_vector_index_leaves_keyword_search_and_a_warning() -> None:
    base = knowledge_base()
    base.dense_broken = True
    reasoner = FakeReasoner(readings=deque([half, full]))
    result = (await compiled(reasoner, base).ainvoke(ask()))["result"]
    assert result["status"] == "answered"
    assert codes(result) == ["dense_unavailable"]


# Threads


async def test_second_question_starts_from_clean_fields_and_keeps_the_turns() -> None:
    reasoner = FakeReasoner(readings=deque([half, half, foreign]))
    graph = compiled(reasoner, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    first = (await final_state(graph, ask(), config))["result"]
    second = await final_state(graph, ask("食堂几点开门？", max_rounds=0), config)
    result = second["result"]
    assert first["status"] == "partial"
    assert tuple(result["path"]) == (*START, "report_insufficient_initial", "finalize")
    assert result["warnings"] == []
    assert len(result["decisions"]) == len(result["retrievals"]) == 1
    assert second["rounds"] == 0
    assert {ref["round"] for ref in second["evidence"]} == {0}
    assert [turn["question"] for turn in second["turns"]] == [ask()["question"], "食堂几点开门？"]
    assert [turn["status"] for turn in second["turns"]] == ["partial", "insufficient"]
    assert reasoner.turns_seen[1] == second["turns"][:1]


async def test_thread_keeps_the_last_five_turns() -> None:
    reasoner = FakeReasoner(readings=deque([foreign] * 7))
    graph = compiled(reasoner, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    for number in range(7):
        state = await final_state(graph, ask(f"第{number}问？", max_rounds=0), config)
    assert [t["question"] for t in state["turns"]] == [f"第{n}问？" for n in range(2, 7)]


async def test_follow_up_is_searched_judged_and_shown_as_it_was_meant() -> None:
    meant = analysis("一号泵的处理措施是什么？")
    reasoner = FakeReasoner(readings=deque([full, full]), analyses=deque([analysis("a"), meant]))
    graph = compiled(reasoner, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke(ask(), config)
    result = (await graph.ainvoke(ask("那它的处理措施呢？"), config))["result"]
    assert result["question"] == "那它的处理措施呢？"
    assert result["question_resolved"] == "一号泵的处理措施是什么？"
    assert result["retrievals"][0]["queries"] == ["一号泵的处理措施是什么？"]


# Budget


@pytest.mark.parametrize(("reading", "status"), [(half, "partial"), (weak, "insufficient")])
async def test_deadline_in_the_past_ends_labelled(reading: Any, status: str) -> None:
    reasoner = FakeReasoner(readings=deque([reading]))
    policy = Policy(question_seconds=-1.0, max_rounds=3)
    result = (await compiled(reasoner, policy=policy).ainvoke(ask()))["result"]
    assert result["status"] == status
    assert "budget_exhausted" in codes(result)
    assert result["usage"]["retrievals"] == 1


@pytest.mark.parametrize(("reading", "status"), [(half, "partial"), (weak, "insufficient")])
async def test_used_up_model_budget_leaves_no_round(reading: Any, status: str) -> None:
    reasoner = FakeReasoner(readings=deque([reading]), exhausts=frozenset({"grade"}))
    result = (await compiled(reasoner).ainvoke(ask(max_rounds=3)))["result"]
    assert result["status"] == status
    assert "budget_exhausted" in codes(result)
    assert result["usage"]["retrievals"] == 1


async def test_budget_is_counted_over_all_nodes() -> None:
    left: list[tuple[int, int]] = []

    class Spender(FakeReasoner):
        async def grade(self, case: Case, meter: Any) -> Reading:
            left.append((meter.calls_left, meter.tokens_left))
            meter.record(100, 20)
            return await super().grade(case, meter)

    reasoner = Spender(readings=deque([half, full]))
    policy = Policy(model_calls=7, model_tokens=1000)
    result = (await compiled(reasoner, policy=policy).ainvoke(ask()))["result"]
    assert left == [(7, 1000), (6, 880)]
    assert result["usage"]["llm_calls"] == 2
    assert (result["usage"]["input_tokens"], result["usage"]["output_tokens"]) == (200, 40)


async def test_clock_of_a_question_starts_anew_on_each_turn() -> None:
    reasoner = FakeReasoner(readings=deque([full]))
    graph = compiled(reasoner, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    await graph.aupdate_state(config, {"started_at": 1.0}, as_node="finalize")
    state = await final_state(graph, ask(), config)
    assert time.time() - state["started_at"] < 60
    assert codes(state["result"]) == []


# Store errors


async def test_store_that_fails_once_is_asked_again() -> None:
    base = FailingKnowledgeBase(FakeEmbedder(), plant(), failures=1)
    result = (await compiled(FakeReasoner(readings=deque([full])), base).ainvoke(ask()))["result"]
    assert result["status"] == "answered"
    assert tuple(result["path"]) == SCENARIOS["initial-supported"].path
    assert base.failures == 0


# Each node opens the knowledge base once; report_unrecognized and a text without statements don't.
OPENERS = {
    name: [n for n in scenario.path if n not in ("report_unrecognized", "finalize")]
    for name, scenario in SCENARIOS.items()
}
BROKEN = [
    (name, count)
    for name in ("initial-supported", "precise-partial-supported", "broaden-unsupported", "direct")
    for count in range(len(OPENERS[name]))
]


@pytest.mark.parametrize(("name", "healthy"), BROKEN)
async def test_store_that_is_gone_ends_in_a_refusal_that_names_no_fact(
    name: str, healthy: int, caplog: pytest.LogCaptureFixture
) -> None:
    scenario = SCENARIOS[name]
    library = FailingLibrary({"kb": knowledge_base()}, opens=healthy)
    with caplog.at_level(logging.ERROR, logger="graphs.ask.recovery"):
        done = await compiled(scenario.reasoner(), library).ainvoke(ask(**options(scenario)))
    result = done["result"]
    failed = OPENERS[name][healthy]
    assert result["status"] == "insufficient"
    assert result["statements"] == []
    assert "处理过程中出错" in result["answer"]
    assert result["path"] == [*scenario.path[: healthy + 1], "finalize"]
    assert result["path"][-2] == failed
    (record,) = caplog.records
    assert failed in record.message
    assert record.exc_info is not None
    assert "the catalogue can't be read" in str(record.exc_info[1])


async def test_statements_that_were_checked_survive_as_partial() -> None:
    """`finalize` fails three times, then the store is back."""
    scenario = SCENARIOS["initial-supported"]
    library = FailingLibrary({"kb": knowledge_base()}, opens=5, failures=3)
    result = (await compiled(scenario.reasoner(), library).ainvoke(ask()))["result"]
    assert result["status"] == "partial"
    assert result["path"] == [*scenario.path, "finalize"]
    assert len(result["statements"]) == 2


async def test_checked_statements_that_can_not_be_cited_are_left_out() -> None:
    scenario = SCENARIOS["initial-supported"]
    library = FailingLibrary({"kb": knowledge_base()}, opens=5)
    result = (await compiled(scenario.reasoner(), library).ainvoke(ask()))["result"]
    assert result["status"] == "insufficient"
    assert result["path"] == [*scenario.path, "finalize", "finalize"]
    assert result["statements"] == result["citations"] == []


async def test_failure_on_the_next_turn_shows_nothing_of_the_last_one() -> None:
    library = FailingLibrary({"kb": knowledge_base()}, opens=6)
    reasoner = FakeReasoner(readings=deque([full]))
    graph = compiled(reasoner, library, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    first = (await graph.ainvoke(ask(), config))["result"]
    second = (await graph.ainvoke(ask("第二问是什么？"), config))["result"]
    assert first["status"] == "answered"
    assert second["status"] == "insufficient"
    assert second["question_resolved"] == "第二问是什么？"
    assert second["path"] == ["analyze_query", "finalize"]
    assert second["statements"] == second["decisions"] == second["retrievals"] == []
    turns = (await graph.aget_state(config)).values["turns"]
    assert [turn["status"] for turn in turns] == ["answered", "insufficient"]


async def test_unexpected_error_of_a_reasoner_ends_labelled_too() -> None:
    def broken(case: Case) -> Reading:
        raise ZeroDivisionError("a bug")

    result = (await compiled(FakeReasoner(readings=deque([broken]))).ainvoke(ask()))["result"]
    assert (result["status"], result["path"]) == ("insufficient", [*START, "finalize"])
    assert "a bug" not in result["answer"]


async def test_unknown_knowledge_base_is_the_callers_mistake_and_raised() -> None:
    graph = compiled(FakeReasoner(), MemoryLibrary({}))
    with pytest.raises(UnknownKnowledgeBase):
        await graph.ainvoke(ask())


async def test_error_that_comes_back_from_a_checkpoint_as_text_is_no_second_error() -> None:
    class Stored:
        node = "grade_initial"
        error = "StoreUnavailable('gone')"

    state = await final_state(compiled(FakeReasoner(readings=deque([full]))), ask())
    command = await Recover(Policy())(state, Stored())  # type: ignore[arg-type]
    assert command.goto == "finalize"
    assert command.update["path"][-1] == "grade_initial"  # type: ignore[index]


# Documents that change while a question runs


async def _changed(name: str, before: str, keep: Any, **given: Any) -> dict[str, Any]:
    """Stop before a node, change the knowledge base, go on."""
    base = knowledge_base()
    reasoner = FakeReasoner(**given)
    graph = compiled(reasoner, base, checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke(ask(**options(SCENARIOS[name])), config, interrupt_before=[before])
    state = (await graph.aget_state(config)).values
    base.items = [item for item in base.items if keep(item, state)]
    result = (await graph.ainvoke(None, config))["result"]
    return {**result, "calls": reasoner.calls}


def _not_best(item: Any, state: dict[str, Any]) -> bool:
    return bool(item.id != state["evidence"][0]["id"])


async def test_passage_that_vanished_before_grading_is_dropped_and_told() -> None:
    result = await _changed("initial-supported", "grade_initial", _not_best, readings=deque([full]))
    assert result["status"] == "answered"
    assert codes(result) == ["evidence_changed"]


async def test_passage_that_vanished_before_generation_is_graded_again() -> None:
    result = await _changed(
        "initial-supported", "generate_initial", _not_best, readings=deque([full, full])
    )
    assert result["calls"].count("grade") == 2
    assert result["status"] == "answered"
    assert codes(result) == ["evidence_changed"]
    assert len(result["statements"]) == 2


async def test_generator_is_not_called_where_the_vanished_passage_was_all_there_was() -> None:
    result = await _changed(
        "initial-supported", "generate_initial", _not_best, readings=deque([full, foreign])
    )
    assert "generate" not in result["calls"]
    assert result["status"] == "insufficient"
    assert codes(result) == ["evidence_changed"]


async def test_facet_that_vanished_with_its_passage_is_named_as_missing() -> None:
    result = await _changed(
        "initial-supported", "generate_initial", _not_best, readings=deque([full, half])
    )
    assert result["status"] == "partial"
    assert [entry["content"] for entry in result["missing"]] == ["处理措施"]


async def test_quotes_that_vanished_before_the_end_are_not_cited() -> None:
    result = await _changed(
        "initial-supported", "finalize", lambda *_: False, readings=deque([full])
    )
    assert result["path"][-2:] == ["check_initial", "finalize"]
    assert (result["status"], result["statements"], result["citations"]) == ("insufficient", [], [])
    assert codes(result) == ["evidence_changed"]
    assert [entry["content"] for entry in result["missing"]] == ["额定压力", "处理措施"]


async def test_quote_that_vanished_before_the_end_leaves_the_other_statements() -> None:
    def two(case: Case) -> Reading:
        a, b = (item.passage.id for item in case.evidence[:2])
        return replace(full(case), covered={"f0": [a], "f1": [a], "f2": [b]})

    result = await _changed("initial-supported", "finalize", _not_best, readings=deque([two]))
    assert result["status"] == "partial"
    assert [s["facet_ids"] for s in result["statements"]] == [["f2"]]
    assert [entry["content"] for entry in result["missing"]] == ["额定压力"]
    assert codes(result) == ["evidence_changed"]
    assert result["citations"][0]["n"] == 1


# Warnings


def disputed(case: Case) -> Reading:
    a, b = (item.passage.id for item in case.evidence[:2])
    return replace(full(case), contradictions=[(a, b)], claims=4)


async def test_contradiction_with_both_sides_cited_is_warned_of_and_does_not_refuse() -> None:
    def both(case: Case) -> list[Any]:
        held = [f["id"] for f in case.facets if f["required"]]
        return [quote(item, held) for item in case.evidence[:2]]

    def disputed_and_covered(case: Case) -> Reading:
        a, b = (item.passage.id for item in case.evidence[:2])
        return replace(disputed(case), covered={"f0": [a], "f1": [a], "f2": [b]})

    reasoner = FakeReasoner(readings=deque([disputed_and_covered]), drafts=deque([both]))
    result = (await compiled(reasoner).ainvoke(ask()))["result"]
    assert result["status"] == "answered"
    assert len(result["citations"]) == 2
    assert codes(result) == ["conflicting_evidence"]


async def test_contradiction_with_one_side_cited_is_not_warned_of() -> None:
    reasoner = FakeReasoner(readings=deque([disputed]))
    result = (await compiled(reasoner).ainvoke(ask()))["result"]
    assert result["status"] == "answered"
    assert len(result["citations"]) == 1
    assert codes(result) == []


async def test_low_confidence_opens_the_answer() -> None:
    result = (await compiled(FakeReasoner(readings=deque([full, full]))).ainvoke(
        ask(threshold=0.999)
    ))["result"]  # fmt: skip
    assert result["status"] == "partial"
    assert result["missing"] == []
    assert codes(result) == ["low_confidence_generation"]
    assert result["answer"].startswith("注意：")


async def test_partial_answer_that_loses_one_of_two_statements_names_only_what_is_unsaid() -> None:
    def two(case: Case) -> list[Any]:
        return [quote(case.evidence[0], ["f1"]), quote(case.evidence[0], ["f1"], "另一句话")]

    def second_falls(case: Case, statements: Any) -> Check:
        return Check(list(statements[:1]), [statements[1]["text"]], [])

    reasoner = FakeReasoner(
        readings=deque([half]), drafts=deque([two]), checks=deque([second_falls])
    )
    result = (await compiled(reasoner).ainvoke(ask(max_rounds=0)))["result"]
    assert result["status"] == "partial"
    assert [entry["content"] for entry in result["missing"]] == ["处理措施"]


async def test_partial_answer_that_loses_a_covered_facet_names_it_too() -> None:
    def both(case: Case) -> Reading:
        return replace(full(case), strengths={"f0": 1.0, "f1": 1.0, "f2": 0.6})

    reasoner = FakeReasoner(readings=deque([both]), checks=deque([drop_last]))
    result = (await compiled(reasoner).ainvoke(ask(max_rounds=0, threshold=0.999)))["result"]
    assert result["path"][3:5] == ["generate_partial_initial", "check_partial_initial"]
    assert [entry["content"] for entry in result["missing"]] == ["处理措施"]


async def test_off_topic_evidence_without_a_round_is_refused() -> None:
    scenario = Scenario((), "insufficient", (off_topic,), max_rounds=0)
    result = (await compiled(scenario.reasoner()).ainvoke(ask(max_rounds=0)))["result"]
    assert tuple(result["path"]) == (*START, "report_insufficient_initial", "finalize")
