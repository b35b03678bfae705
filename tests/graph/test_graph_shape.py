import copy
from typing import Any

import pytest
from fakes import FakeReasoner, builder, compiled, knowledge_base

from graphs.ask.routing import by_check, by_decision, by_intent

# The contract's table, written out. An edge without a label is no decision.
EDGES: set[tuple[str, str, str]] = {
    ("__start__", "", "analyze_query"),
    ("analyze_query", "retrieve", "retrieve_initial"),
    ("analyze_query", "direct", "answer_directly"),
    ("answer_directly", "", "finalize"),
    ("retrieve_initial", "", "grade_initial"),
    ("grade_initial", "answer", "generate_initial"),
    ("grade_initial", "rewrite", "rewrite_precise"),
    ("grade_initial", "retry_broaden", "rewrite_broaden"),
    ("grade_initial", "partial_answer", "generate_partial_initial"),
    ("grade_initial", "insufficient", "report_insufficient_initial"),
    ("grade_initial", "unrecognized", "report_unrecognized"),
    ("generate_initial", "", "check_initial"),
    ("check_initial", "supported", "finalize"),
    ("check_initial", "partly_supported", "finalize"),
    ("check_initial", "unsupported", "report_insufficient_initial"),
    ("generate_partial_initial", "", "check_partial_initial"),
    ("check_partial_initial", "supported", "finalize"),
    ("check_partial_initial", "partly_supported", "finalize"),
    ("check_partial_initial", "unsupported", "report_insufficient_initial"),
    ("report_insufficient_initial", "", "finalize"),
    ("rewrite_precise", "", "retrieve_precise"),
    ("retrieve_precise", "", "grade_precise"),
    ("grade_precise", "answer", "generate_precise"),
    ("grade_precise", "rewrite", "rewrite_precise"),
    ("grade_precise", "retry_broaden", "rewrite_broaden"),
    ("grade_precise", "partial_answer", "generate_partial_precise"),
    ("grade_precise", "insufficient", "report_insufficient_precise"),
    ("grade_precise", "unrecognized", "report_unrecognized"),
    ("generate_precise", "", "check_precise"),
    ("check_precise", "supported", "finalize"),
    ("check_precise", "partly_supported", "finalize"),
    ("check_precise", "unsupported", "report_insufficient_precise"),
    ("generate_partial_precise", "", "check_partial_precise"),
    ("check_partial_precise", "supported", "finalize"),
    ("check_partial_precise", "partly_supported", "finalize"),
    ("check_partial_precise", "unsupported", "report_insufficient_precise"),
    ("report_insufficient_precise", "", "finalize"),
    ("rewrite_broaden", "", "retrieve_broaden"),
    ("retrieve_broaden", "", "grade_broaden"),
    ("grade_broaden", "answer", "generate_broaden"),
    ("grade_broaden", "rewrite", "rewrite_precise"),
    ("grade_broaden", "retry_broaden", "rewrite_broaden"),
    ("grade_broaden", "partial_answer", "generate_partial_broaden"),
    ("grade_broaden", "insufficient", "report_insufficient_broaden"),
    ("grade_broaden", "unrecognized", "report_unrecognized"),
    ("generate_broaden", "", "check_broaden"),
    ("check_broaden", "supported", "finalize"),
    ("check_broaden", "partly_supported", "finalize"),
    ("check_broaden", "unsupported", "report_insufficient_broaden"),
    ("generate_partial_broaden", "", "check_partial_broaden"),
    ("check_partial_broaden", "supported", "finalize"),
    ("check_partial_broaden", "partly_supported", "finalize"),
    ("check_partial_broaden", "unsupported", "report_insufficient_broaden"),
    ("report_insufficient_broaden", "", "finalize"),
    ("report_unrecognized", "", "finalize"),
    ("finalize", "", "__end__"),
}
NODES = {name for source, _, target in EDGES for name in (source, target)}
HANDLER = {"recover"}
"""Takes over from every node and goes to `finalize`: no edge leads to it, none is drawn from it."""


def test_nodes_and_labelled_edges_are_those_of_the_contract() -> None:
    graph = builder(FakeReasoner(), knowledge_base())
    drawn = {
        (source, key, target)
        for source, branches in graph.branches.items()
        for branch in branches.values()
        for key, target in (branch.ends or {}).items()
    }
    plain = {(source, "", target) for source, target in graph.edges}
    assert drawn | plain == EDGES
    assert set(graph.nodes) | {"__start__", "__end__"} == NODES | HANDLER


def test_picture_of_the_graph_shows_the_same_nodes_and_edges() -> None:
    picture = compiled(FakeReasoner()).get_graph()
    assert set(picture.nodes) == NODES | HANDLER
    pairs = {(edge.source, edge.target) for edge in picture.edges}
    assert pairs == {(source, target) for source, _, target in EDGES}
    labels = {(e.source, e.target): str(e.data) for e in picture.edges if e.data}
    for source, key, target in EDGES:
        if key and key != target and key not in ("supported", "partly_supported"):
            assert labels[source, target] == key


def test_every_node_has_the_handler_and_the_handler_has_none() -> None:
    graph = builder(FakeReasoner(), knowledge_base())
    handlers = {name: spec.error_handler_node for name, spec in graph.nodes.items()}
    assert handlers.pop("recover") is None
    assert set(handlers.values()) == HANDLER


def test_builder_can_be_compiled_more_than_once() -> None:
    graph = builder(FakeReasoner(), knowledge_base())
    assert set(graph.compile().nodes) == set(graph.compile().nodes)


@pytest.mark.parametrize(
    ("router", "field", "keys"),
    [
        (by_intent, "intent", ("retrieve", "direct")),
        (
            by_decision,
            "decision",
            ("answer", "rewrite", "retry_broaden", "partial_answer", "insufficient", "unrecognized"),
        ),
        (by_check, "check", ("supported", "partly_supported", "unsupported")),
    ],
)  # fmt: skip
def test_router_only_reads_its_field(router: Any, field: str, keys: tuple[str, ...]) -> None:
    for key in keys:
        state = {field: key, "path": ["a"], "rounds": 1}
        before = copy.deepcopy(state)
        assert router(state) == router({field: key}) == key
        assert state == before
