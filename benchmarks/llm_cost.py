"""What a language model costs: calls and tokens by path, cascade on and off, against plain RAG.

Plain RAG is the same generation prompt over the five best passages of the same search: one call,
whatever the evidence is worth. 100 sample questions are asked through the compiled graph; a real model server counts what
their prompts and replies cost, and a program writes the replies (`benchmarks.careful_model`), so that
the figures do not depend on how clever a model is.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from app.models import open_chat
from app.settings import Settings
from app.wiring import Core, open_core
from benchmarks import careful_model, model_server
from benchmarks.reporting import Report, Scale, Table, Target, command
from benchmarks.samples import FOLDERS, Labelled, documents, labelled
from graphs.meter import Meter
from graphs.reasoners.base import Case
from graphs.reasoners.llm import LLMReasoner
from graphs.reasoners.local import LocalReasoner

QUESTIONS: dict[Scale, int] = {"tiny": 6, "short": 100, "full": 228}
Path_ = Literal[
    "sure, answered", "open, answered", "refused", "with analysis or check", "two rounds"
]
PATHS: tuple[Path_, ...] = (
    "sure, answered", "open, answered", "refused", "with analysis or check", "two rounds",
)  # fmt: skip
PLAIN = PATHS[:3]
"""Paths of single-hop first questions whose draft passes the program's check."""
_CONTEXT = 16_000
_SECONDS = 60
_SURE, _OPEN, _MEAN = 1.15, 1.60, 1.25


@dataclass(frozen=True, slots=True)
class Spent:
    """What one question cost: its tokens, those of the draft among them, and plain RAG's."""

    id: str
    path: Path_
    status: str
    looked_at: bool
    """Whether the model graded: the question lay inside the uncertain band."""
    calls: int
    tokens: int
    writing: int
    plain: int

    @property
    def ratio(self) -> float:
        """Return tokens as a multiple of plain RAG's."""
        return self.tokens / self.plain


def path_of(result: dict[str, Any]) -> Path_:
    """Return the path that a finished question took, by which nodes asked the model."""
    asked = {node for node, spent in result["usage"]["nodes"].items() if spent["calls"]}
    if asked & {"analyze_query"} or any(node.startswith("check") for node in asked):
        return "with analysis or check"
    if not any(node.startswith("generate") for node in asked):
        return "refused"
    if result["usage"]["retrievals"] > 1:
        return "two rounds"
    graded = any(node.startswith("grade") for node in asked)
    return "open, answered" if graded else "sure, answered"


async def measure(scale: Scale) -> Report:
    """Ask with the cascade on and off; report calls and tokens by path."""
    asked = labelled(QUESTIONS[scale])
    with model_server.running() as counter, careful_model.serve(counter.address) as url:
        on, off = [await _asked(url, asked, cascade) for cascade in (True, False)]
    return _report(on, off)


async def _asked(url: str, questions: Sequence[Labelled], cascade: bool) -> list[Spent]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(
            _env_file=None, data_dir=Path(folder), llm="on", llm_model="careful", openai_base_url=url,
            llm_context=_CONTEXT, llm_cascade=cascade, llm_cache=False,
        )  # fmt: skip
        async with open_core(settings) as core, AsyncExitStack() as stack:
            for kb in FOLDERS:
                await core.indexer.ingest(kb, documents(kb))
            chat = open_chat(settings, stack)
            assert chat is not None
            writer = LLMReasoner(chat, LocalReasoner(core.loaded.embedders.asking), _CONTEXT)
            return [spent for each in questions if (spent := await _spent(core, writer, each))]


async def _spent(core: Core, writer: LLMReasoner, label: Labelled) -> Spent | None:
    """Return what a question cost, None for small talk: that needs no retrieval."""
    graph = core.builder.compile()
    result = (await graph.ainvoke({"question": label.question, "kb": label.kb}))["result"]
    if result["status"] == "direct":
        return None
    nodes = result["usage"]["nodes"]
    writing = sum(
        node["input_tokens"] + node["output_tokens"]
        for name, node in nodes.items()
        if name.startswith("generate")
    )
    usage = result["usage"]
    looked_at = any(name.startswith("grade") and n["calls"] for name, n in nodes.items())
    tokens = usage["input_tokens"] + usage["output_tokens"]
    return Spent(
        label.id, path_of(result), result["status"], looked_at, usage["llm_calls"], tokens, writing,
        await _plain(core, writer, label),
    )  # fmt: skip


async def _plain(core: Core, writer: LLMReasoner, label: Labelled) -> int:
    """Return the tokens of plain RAG: one draft over the best passages of the first search."""
    bound = core.collaborators
    kb = await bound.library.open(label.kb)
    found = await bound.search.search(kb, label.question, bound.policy.initial)
    language: Literal["zh", "en"] = "zh" if label.language == "zh" else "en"
    evidence = found.ranked[: bound.policy.passages_read]
    case = Case(label.question, language, [], [], evidence, kb)
    meter = Meter(calls_left=1, tokens_left=_CONTEXT, deadline=time.time() + _SECONDS)
    async for _ in writer.generate(case, False, meter):
        pass
    return meter.input_tokens + meter.output_tokens


def _report(on: Sequence[Spent], off: Sequence[Spent]) -> Report:
    plain = [each for each in on if each.path in PLAIN]
    sure = [each for each in on if each.path == "sure, answered"]
    open_ = [each for each in on if each.path == "open, answered"]
    inside = float(np.mean([each.looked_at for each in on]))
    figures = {
        "questions": len(on),
        "share_inside_band": round(inside, 3),
        "on": {path: _figures([e for e in on if e.path == path]) for path in PATHS},
        "off": {path: _figures([e for e in off if e.path == path]) for path in PATHS},
        "all_on": _figures(on),
        "all_off": _figures(off),
    }
    rows = [
        (f"cascade {name}", path, *_row([e for e in spent if e.path == path]))
        for name, spent in (("on", on), ("off", off))
        for path in PATHS
    ]
    rows += [(f"cascade {n}", "all", *_row(spent)) for n, spent in (("on", on), ("off", off))]
    columns = (
        "",
        "path",
        "questions",
        "calls mean / most",
        "tokens mean",
        "of them the draft",
        "plain RAG",
        "ratio mean / most",
    )
    title = f"Model calls and tokens; the model graded {inside:.0%} of {len(on)} questions"
    targets = [
        Target("calls outside the band, most", _most(sure, "calls"), 1, "calls"),
        Target("tokens outside the band, mean", _mean(sure), _SURE, "× plain RAG"),
        Target("calls inside the band, most", _most(open_, "calls"), 2, "calls"),
        Target("tokens inside the band, mean", _mean(open_), _OPEN, "× plain RAG"),
        Target("tokens over all plain paths, mean", _mean(plain), _MEAN, "× plain RAG"),
        Target("calls of any question, most", _most(on, "calls"), 4, "calls"),
    ]
    details = {"on": [asdict(each) for each in on], "off": [asdict(each) for each in off]}
    return Report("llm_cost", figures, [Table(title, columns, rows)], targets, details)


def _figures(spent: Sequence[Spent]) -> dict[str, float]:
    return {
        "questions": len(spent),
        "calls": float(np.mean([e.calls for e in spent])) if spent else 0.0,
        "tokens": float(np.mean([e.tokens for e in spent])) if spent else 0.0,
        "writing": float(np.mean([e.writing for e in spent])) if spent else 0.0,
        "plain": float(np.mean([e.plain for e in spent])) if spent else 0.0,
        "ratio": _mean(spent),
    }


def _row(spent: Sequence[Spent]) -> tuple[str, ...]:
    if not spent:
        return ("0", *["–"] * 5)
    calls, found = [e.calls for e in spent], _figures(spent)
    return (
        str(len(spent)),
        f"{found['calls']:.2f} / {max(calls)}",
        f"{found['tokens']:.0f}",
        f"{found['writing']:.0f}",
        f"{found['plain']:.0f}",
        f"{found['ratio']:.0%} / {max(e.ratio for e in spent):.0%}",
    )


def _mean(spent: Sequence[Spent]) -> float:
    return round(float(np.mean([each.ratio for each in spent])), 3) if spent else 0.0


def _most(spent: Sequence[Spent], field: str) -> float:
    return max((getattr(each, field) for each in spent), default=0)


if __name__ == "__main__":
    sys.exit(command("llm_cost", __doc__.splitlines()[0], measure))
