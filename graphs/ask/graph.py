"""The graph of one question. Wiring only: this file reads like the diagram."""

from dataclasses import dataclass
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import RetryPolicy

from graphs.ask.nodes.analyze_query import AnalyzeQuery
from graphs.ask.nodes.answer_directly import AnswerDirectly
from graphs.ask.nodes.base import Judging
from graphs.ask.nodes.check_answer import CheckAnswer
from graphs.ask.nodes.finalize import Finalize, Models
from graphs.ask.nodes.generate_answer import GenerateAnswer
from graphs.ask.nodes.grade_evidence import GradeEvidence
from graphs.ask.nodes.report_insufficient import ReportInsufficient
from graphs.ask.nodes.report_unrecognized import ReportUnrecognized
from graphs.ask.nodes.retrieve import RetrieveAgain, RetrieveInitial
from graphs.ask.nodes.rewrite import RewriteQuery
from graphs.ask.nodes.search_web import SearchWeb
from graphs.ask.recovery import NAME, Recover
from graphs.ask.routing import by_check, by_decision, by_decision_or_web, by_intent
from graphs.ask.state import AskInput, AskOutput, AskState
from graphs.errors import StoreUnavailable
from graphs.evidence.calibration import ConfidenceModel
from graphs.policy import Policy
from graphs.ports import Library
from graphs.reasoners.base import Reasoner
from graphs.retrieval.hybrid import HybridSearch
from graphs.retrieval.second import SecondSearch
from graphs.retrieval.web import WebLibrary
from graphs.web_ports import Web

Branch = Literal["initial", "precise", "broaden", "web"]
BRANCHES: tuple[Branch, ...] = ("initial", "precise", "broaden")
STORE_RETRIES = RetryPolicy(max_attempts=3, initial_interval=0.1, retry_on=StoreUnavailable)
AskGraph = StateGraph[AskState, None, AskInput, AskOutput]


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the nodes need, bound when the graph is built."""

    library: Library
    reasoner: Reasoner
    search: HybridSearch
    policy: Policy
    models: Models
    confidence: ConfidenceModel
    web: Web | None = None
    """Present where a provider is configured: only then the graph has a web branch."""
    retries: RetryPolicy = STORE_RETRIES


def build_graph(with_: Collaborators) -> AskGraph:
    """Return the graph, not yet compiled: the service adds a checkpointer, Studio does not."""
    graph: AskGraph = StateGraph(AskState, input_schema=AskInput, output_schema=AskOutput)
    graph.set_node_defaults(retry_policy=with_.retries)
    reasoner, policy, web = with_.reasoner, with_.policy, with_.web
    library = WebLibrary(with_.library, web.pages, with_.search.embedder) if web else with_.library
    branches: tuple[Branch, ...] = (*BRANCHES, "web") if web else BRANCHES

    def add(name: str, node: Any) -> None:
        graph.add_node(name, node)

    add("analyze_query", AnalyzeQuery("analyze_query", library, reasoner, policy, with_.models.key))
    add("answer_directly", AnswerDirectly("answer_directly", library, policy))
    add("retrieve_initial", RetrieveInitial("retrieve_initial", library, with_.search, policy))
    for strategy, profile in (("precise", policy.precise), ("broaden", policy.broaden)):
        rewrite, retrieve = f"rewrite_{strategy}", f"retrieve_{strategy}"
        second = SecondSearch(with_.search)
        add(rewrite, RewriteQuery(rewrite, strategy, library, reasoner, policy))  # type: ignore[arg-type]  # the two literals of the loop
        add(retrieve, RetrieveAgain(retrieve, library, second, profile, policy))
    if web:
        add("search_web", SearchWeb("search_web", library, with_.search, web, policy))
    judging = Judging(with_.confidence, with_.models.key)
    for x in branches:
        grade, last = f"grade_{x}", x == "web"
        add(grade, GradeEvidence(grade, library, reasoner, policy, judging, last))
        for partial, kind in ((False, ""), (True, "partial_")):
            write, check = f"generate_{kind}{x}", f"check_{kind}{x}"
            add(write, GenerateAnswer(write, partial, library, reasoner, policy, judging))
            add(check, CheckAnswer(check, partial, library, reasoner, policy))
        report = f"report_insufficient_{x}"
        add(report, ReportInsufficient(report, library, policy))
    add("report_unrecognized", ReportUnrecognized("report_unrecognized", policy))
    add("finalize", Finalize("finalize", library, policy, with_.models))

    graph.add_edge(START, "analyze_query")
    graph.add_conditional_edges(
        "analyze_query", by_intent, {"retrieve": "retrieve_initial", "direct": "answer_directly"}
    )
    graph.add_edge("answer_directly", "finalize")
    for x in branches:
        if x == "web":
            graph.add_edge("search_web", "grade_web")
            graph.add_conditional_edges("grade_web", by_decision, _after_last_grade(x))
        else:
            graph.add_edge(f"retrieve_{x}", f"grade_{x}")
            router = by_decision_or_web if web else by_decision
            graph.add_conditional_edges(f"grade_{x}", router, _after_grade(x, bool(web)))
        for kind in ("", "partial_"):
            graph.add_edge(f"generate_{kind}{x}", f"check_{kind}{x}")
            graph.add_conditional_edges(
                f"check_{kind}{x}",
                by_check,
                {
                    "supported": "finalize",
                    "partly_supported": "finalize",
                    "unsupported": f"report_insufficient_{x}",
                },
            )
        graph.add_edge(f"report_insufficient_{x}", "finalize")
    graph.add_edge("rewrite_precise", "retrieve_precise")
    graph.add_edge("rewrite_broaden", "retrieve_broaden")
    graph.add_edge("report_unrecognized", "finalize")
    graph.add_edge("finalize", END)
    _catch_errors(graph, Recover(policy))
    return graph


def _catch_errors(graph: AskGraph, recover: Recover) -> None:
    """Let one visible node take over from every node that fails.

    `set_node_defaults(error_handler=…)` adds its node at each `compile()` and refuses the second
    one; `add_node(error_handler=…)` draws a handler beside each node.
    """
    regular = list(graph.nodes.values())
    handler: Any = recover  # langgraph's types know handlers only as an argument of `add_node`
    graph.add_node(NAME, handler)
    graph.nodes[NAME].is_error_handler = True
    for spec in regular:
        spec.error_handler_node = NAME


def _after_grade(branch: Branch, web: bool) -> dict[Any, str]:
    again = {"rewrite": "rewrite_precise", "retry_broaden": "rewrite_broaden"}
    return _after_last_grade(branch) | again | ({"web": "search_web"} if web else {})


def _after_last_grade(branch: Branch) -> dict[Any, str]:
    return {
        "answer": f"generate_{branch}",
        "partial_answer": f"generate_partial_{branch}",
        "insufficient": f"report_insufficient_{branch}",
        "unrecognized": "report_unrecognized",
    }
