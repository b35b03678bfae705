"""The compiled graph as nodes, labelled edges and Mermaid text.

LangGraph's own drawing keeps one label where two keys of a router lead to the same node; here every
key is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from app.runs import Graph

START, END = "__start__", "__end__"


@dataclass(frozen=True, slots=True)
class Edge:
    """One edge; `key` is what the router returns to lead along it, None for an edge always taken."""

    source: str
    target: str
    key: str | None


def nodes(graph: Graph) -> list[str]:
    """Return the nodes in the order in which they were added, start first and end last."""
    return [START, *graph.builder.nodes, END]


def edges(graph: Graph) -> Iterator[Edge]:
    """Yield every edge, in the order of the nodes."""
    builder = graph.builder
    order = nodes(graph)
    for source in order:
        targets = (end for start, end in builder.edges if start == source)
        for target in sorted(targets, key=order.index):
            yield Edge(source, target, None)
        for branch in builder.branches.get(source, {}).values():
            for key, target in (branch.ends or {}).items():
                yield Edge(source, target, str(key))
        # where a node itself commands to go: the handler of failed nodes
        if source in builder.nodes:
            for target in builder.nodes[source].ends or ():
                yield Edge(source, target, None)


def mermaid(graph: Graph) -> str:
    """Return the graph as a Mermaid flowchart; conditional edges are dotted and carry their keys."""
    keys: dict[tuple[str, str], list[str]] = {}
    for edge in edges(graph):
        found = keys.setdefault((edge.source, edge.target), [])
        if edge.key is not None:
            found.append(edge.key)
    lines = ["graph TD"]
    for name in nodes(graph):
        shape = f"([{name}])" if name in (START, END) else f"[{name}]"
        lines.append(f"    {name}{shape}")
    for (source, target), found in keys.items():
        arrow = f"-. {' / '.join(found)} .->" if found else "-->"
        lines.append(f"    {source} {arrow} {target}")
    return "\n".join(lines) + "\n"
