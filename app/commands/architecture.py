"""The page on the graph, written from the compiled graph itself."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from app import diagram
from app.commands.boundary import CommandFailed
from app.routes.graph import describe
from app.runs import Graph
from app.settings import Settings
from app.wiring import open_core
from graphs.ask.graph import build_graph
from graphs.web_ports import Web

_HEAD = """# Architecture of the graph

Generated from the compiled graph by `youju graph --write docs/architecture.md` (`make docs`).
Don't edit it: `youju graph --check` fails where this page and the code differ.

## Picture

"""


async def draw(settings: Settings) -> tuple[dict[str, Any], str]:
    """Return the graph as the route gives it, and the page."""
    with tempfile.TemporaryDirectory(prefix="youju-graph-") as folder:
        # the page shows what every installation has: a folder of its own and the embedded brain
        own = settings.model_copy(update={"data_dir": Path(folder), "llm": "off"})
        async with open_core(own) as core:
            graph = core.builder.compile(name="ask")
            nobody: Any = None  # the page asks no provider and reads no page
            web = replace(core.collaborators, web=Web(nobody, nobody))
            page = page_of(graph, build_graph(web).compile(name="ask"))
            return describe(graph).model_dump(), page


def page_of(graph: Graph, with_web: Graph) -> str:
    """Return the page: picture, nodes with what they do, edges with the keys that lead there.

    `with_web` is the graph of a service with a provider of web search: what it has more comes last.
    """
    mermaid = diagram.mermaid(graph).strip()
    nodes, edges = _node_rows(graph), _edge_rows(graph)
    more_nodes = [row for row in _node_rows(with_web) if row not in nodes]
    more_edges = [row for row in _edge_rows(with_web) if row not in edges]
    return "\n".join(
        [
            f"{_HEAD}```mermaid\n{mermaid}\n```\n\n## Nodes\n",
            "| node | class | does |\n|---|---|---|",
            *nodes,
            "\n## Edges\n\nThe key is what the router returns; an edge without one is always taken.\n",
            "| from | key | to |\n|---|---|---|",
            *edges,
            *_handlers(graph),
            "\n## With a provider of web search\n\nThe same graph with one more branch.\n",
            "| node | class | does |\n|---|---|---|",
            *more_nodes,
            "\n| from | key | to |\n|---|---|---|",
            *more_edges,
            "",
        ]
    )


def compare(page: str, file: Path) -> None:
    """Raise CommandFailed where a file does not hold the page."""
    written = file.read_text("utf-8") if file.exists() else ""
    if written != page:
        raise CommandFailed(
            f"{file} does not show the graph as it is.", f"Run youju graph --write {file}."
        )


def _node_rows(graph: Graph) -> list[str]:
    return [f"| `{name}` | `{kind}` | {does} |" for name, kind, does in _nodes(graph)]


def _edge_rows(graph: Graph) -> list[str]:
    return [
        f"| `{edge.source}` | {f'`{edge.key}`' if edge.key else ''} | `{edge.target}` |"
        for edge in diagram.edges(graph)
    ]


def _nodes(graph: Graph) -> Iterator[tuple[str, str, str]]:
    for name, spec in graph.builder.nodes.items():
        # the wrapper hides the node object in `afunc`
        kind = type(spec.runnable.afunc)  # type: ignore[union-attr]
        yield name, kind.__name__, (kind.__doc__ or "").strip().partition("\n")[0]


def _handlers(graph: Graph) -> Iterator[str]:
    """Yield a sentence for each node that takes over from others when they fail."""
    nodes = graph.builder.nodes
    failing: dict[str, list[str]] = {}
    for name, spec in nodes.items():
        if spec.error_handler_node is not None:
            failing.setdefault(spec.error_handler_node, []).append(name)
    for handler, names in failing.items():
        every = len(names) == len(nodes) - len(failing)
        who = "any other node" if every else ", ".join(f"`{name}`" for name in names)
        yield f"\n`{handler}` takes over from {who} that fails for good."
