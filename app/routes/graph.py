"""The graph as text: nothing is drawn by a service outside."""

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query
from fastapi.responses import PlainTextResponse, Response

from app import diagram
from app.deps import ServicesDep
from app.resources import GraphEdgeOut, GraphNodeOut, GraphOut
from app.runs import Graph

router = APIRouter(tags=["service"])


def describe(graph: Graph) -> GraphOut:
    """Return nodes, edges and the Mermaid text of a compiled graph."""
    edges = [
        GraphEdgeOut(
            source=edge.source,
            target=edge.target,
            conditional=edge.key is not None,
            label=edge.key,
        )
        for edge in diagram.edges(graph)
    ]
    nodes = [GraphNodeOut(id=name) for name in diagram.nodes(graph)]
    return GraphOut(nodes=nodes, edges=edges, mermaid=diagram.mermaid(graph))


@router.get(
    "/graph",
    response_model=None,
    responses={
        200: {
            "model": GraphOut,
            "description": "Mermaid text, or JSON where `Accept` or `format` ask for it.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
    },
)
async def get_graph(
    services: ServicesDep,
    form: Annotated[Literal["mermaid", "json"] | None, Query(alias="format")] = None,
    accept: Annotated[str, Header()] = "",
) -> Response:
    """Show the graph that answers questions."""
    drawn = describe(services.graph)
    as_json = form == "json" or (form is None and "application/json" in accept.lower())
    if as_json:
        return Response(drawn.model_dump_json(), media_type="application/json")
    return PlainTextResponse(drawn.mermaid)
