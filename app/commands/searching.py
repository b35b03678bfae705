"""One search through whichever door is open, and its hits with every stage."""

from collections.abc import Sequence

from rich.text import Text

from app.commands.client import Reply
from app.commands.door import connect
from app.commands.rendering import Labels, place_of
from app.commands.screen import err, out, plain
from app.settings import Settings

STAGES = ("dense", "keyword", "fused", "reranked")
_NAMES = {
    "dense": ("向量", "dense"),
    "keyword": ("关键词", "keyword"),
    "fused": ("融合", "fused"),
    "reranked": ("最终", "final"),
}
GATES = {
    "threshold": ("低于门槛", "under the threshold"),
    "duplicate": ("近似重复", "near-duplicate"),
    "noise": ("噪声", "noise"),
    "top_n": ("名单已满", "list full"),
}
_SHOWN = 200
"""Characters of a passage that a list of hits shows."""


async def search(
    settings: Settings, query: str, kb: str, top_k: int, include_duplicates: bool
) -> Reply:
    """Return the hits; raises CommandFailed."""
    body = {"query": query, "top_k": top_k, "include_duplicates": include_duplicates}
    with err.status("…"):
        async with connect(settings) as client:
            return await client.search(kb, body)


def show(found: Reply) -> None:
    """Print the hits, best first: score, place, positions in the stages, what keeps it out."""
    labels = Labels(found["query"])
    if not found["hits"]:
        out.print(labels["nothing"], style="yellow")
    for rank, hit in enumerate(found["hits"], start=1):
        out.print(
            Text.assemble((f"{rank:2} ", "dim"), (f"{hit['score']:.3f} ", "cyan"), place_of(hit))
        )
        line = Text("   ").append_text(positions(hit["stages"], labels.column))
        if hit["dropped_by"]:
            line.append(f" · ✗ {GATES[hit['dropped_by']][labels.column]}", "yellow")
        out.print(line)
        show_text(_from_answer(hit))
    for warning in found["warnings"]:
        out.print(Text.assemble(("! ", "bold yellow"), plain(warning["message"])))


def _from_answer(hit: Reply) -> str:
    """Return a hit's text from the sentence that most likely answers on, if that is not its start."""
    sentence = hit["answering"]
    text: str = hit["text"]
    if sentence is None or sentence["end"] <= _SHOWN:
        return text
    return "… " + text[sentence["start"] :]


def show_text(text: str) -> None:
    """Print the beginning of a text on one line."""
    line = " ".join(plain(text).split())
    out.print(Text("   " + (line if len(line) <= _SHOWN else line[:_SHOWN] + "…"), "dim"))


def positions(stages: Reply, column: int) -> Text:
    """Return the positions in the stages on one line: dense 3 · keyword 1 · fused 1 · final 1."""
    parts = [_position(_NAMES[stage][column], stages[stage], column) for stage in STAGES]
    return Text(" · ", "dim").join(parts)


def _position(name: str, place: Reply | None, column: int) -> Text:
    if place is None:
        return Text(f"{name} –", "dim")
    if place["position"] is not None:
        return Text.assemble((f"{name} ", "dim"), f"{place['position']}")
    if place["score"] is None:
        return Text(f"{name} –", "dim")
    return Text(f"{name} " + (f"{place['beyond']:,} 名之外", f"beyond {place['beyond']:,}")[column])


def joined(words: Sequence[str], column: int) -> str:
    """Return words as a list of the language."""
    return ("、", ", ")[column].join(plain(word) for word in words)
