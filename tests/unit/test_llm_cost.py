"""The cost benchmark over the real model server, and the program that writes its replies."""

import pytest

from benchmarks import careful_model, llm_cost
from benchmarks.llm_cost import Spent
from graphs.reasoners.llm_schemas import CheckOut, GradeOut
from prompts import load

PASSAGES = '<passage n=1 title="a">\n## 泵\n泵每年检修一次。\n</passage>\n<passage n=2 title="b">\n阀。\n</passage>'


def said(name: str, **values: str) -> str:
    (_, system), (_, user) = load(name).render(**values)
    return careful_model.reply_to(system, user)


def test_replies_fit_the_products_own_prompts() -> None:
    facets = '- f1: constraint (entity) "泵"\n- f2: required field (amount) "多久检修一次"'
    graded = said("grade_evidence", question="泵多久检修一次？", facets=facets, passages=PASSAGES)
    reply = GradeOut.model_validate_json(graded)
    assert [entry.facet for entry in reply.facets] == ["f1", "f2"]
    assert reply.relevance == [5, 3]
    draft = said(
        "generate_answer", question="泵多久检修一次？", facets=facets, passages=PASSAGES,
        language="Chinese",
    )  # fmt: skip
    assert draft == "泵每年检修一次。 [P1]\n"
    lines = "1. 泵每年检修。\n   quote: 泵每年检修一次。 (a)\n2. 阀。\n   quote: 阀。 (b)"
    checked = said("check_answer", question="泵多久检修一次？", statements=lines)
    assert [v.index for v in CheckOut.model_validate_json(checked).verdicts] == [1, 2]


async def test_costs_are_counted_by_the_real_server() -> None:
    report = await llm_cost.measure("tiny")
    assert report.met, [target for target in report.targets if not target.met]
    on, off = report.details["on"], report.details["off"]
    assert 1 <= len(on) <= len(off) <= 6
    for each in (*on, *off):
        assert each["plain"] > 500  # the prompt alone has as many
        assert each["writing"] <= each["tokens"]
        assert (each["calls"] == 0) == (each["tokens"] == 0)
    assert report.figures["all_on"]["calls"] < report.figures["all_off"]["calls"]


@pytest.mark.parametrize(
    ("asked", "retrievals", "path"),
    [
        ({"generate_initial"}, 1, "sure, answered"),
        ({"grade_initial", "generate_initial"}, 1, "open, answered"),
        ({"grade_initial"}, 2, "refused"),
        (set(), 1, "refused"),
        ({"generate_initial", "check_initial"}, 1, "with analysis or check"),
        ({"analyze_query"}, 1, "with analysis or check"),
        ({"grade_initial", "rewrite_precise", "generate_precise"}, 2, "two rounds"),
    ],
)
def test_path_shows_in_which_nodes_asked_the_model(
    asked: set[str], retrievals: int, path: str
) -> None:
    nodes = {"retrieve_initial": {"calls": 0}} | {name: {"calls": 1} for name in asked}
    usage = {"nodes": nodes, "retrievals": retrievals}
    assert llm_cost.path_of({"usage": usage}) == path


def test_ratio_compares_with_plain_rag() -> None:
    spent = Spent("q", "sure, answered", "answered", False, 1, 500, 500, 1000)
    assert spent.ratio == 0.5
