"""The sample knowledge bases behind the real service, and their labelled questions."""

import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.ingest.reports import Source
from app.main import create_app
from app.pulse import Pulse
from app.run_records import NewRun
from app.runs import RunManager
from app.services import Services
from app.settings import Settings

EXAMPLES = Path(__file__).parents[1] / "examples"
FOLDERS = {"power-plant": EXAMPLES / "power_plant", "travel": EXAMPLES / "travel_policy"}
_DOCUMENTS = (".md", ".txt", ".yaml")


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sample question. A point is a list of wordings, one of which the answer must hold."""

    id: str
    kb: str
    question: str
    language: str
    expect: str
    kind: str
    documents: Sequence[str]
    points: Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """An answered question; `seconds` is wall time from submission to the stored answer."""

    label: Labelled
    run_id: str
    seconds: float
    answer: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Service:
    """The opened service without its HTTP door."""

    runs: RunManager
    services: Services
    pulse: Pulse

    async def ask(self, label: Labelled) -> Asked:
        """Put one question on a thread of its own and wait for its answer."""
        began = time.perf_counter()
        run = await self.runs.submit(NewRun(label.kb, label.question, {}, "benchmark"))
        run = await self.runs.wait(run.id)
        seconds = time.perf_counter() - began
        return Asked(label, run.id, seconds, json.loads(await self.runs.answer(run)))


def labelled(spread: int | None = None, kbs: Sequence[str] = tuple(FOLDERS)) -> list[Labelled]:
    """Return all labelled questions, or `spread` of them taken at even distances."""
    found = []
    for kb in kbs:
        for line in (FOLDERS[kb] / "questions.jsonl").read_text().splitlines():
            row = json.loads(line)
            values = {name: row[name] for name in Labelled.__dataclass_fields__ if name != "kb"}
            found.append(Labelled(kb=kb, **values))
    if spread is None or spread >= len(found):
        return found
    return [found[i * len(found) // spread] for i in range(spread)]


def documents(kb: str) -> list[Source]:
    """Return the files of a sample knowledge base."""
    files = sorted(f for f in FOLDERS[kb].iterdir() if f.suffix in _DOCUMENTS)
    return [Source(file.name, file.read_bytes()) for file in files]


@asynccontextmanager
async def service(data_dir: Path, kbs: Sequence[str] = tuple(FOLDERS)) -> AsyncIterator[Service]:
    """Open the real service on `data_dir` with these knowledge bases and the embedded reasoner."""
    settings = Settings(_env_file=None, data_dir=data_dir, default_kb=kbs[0], llm="off")
    app = create_app(settings)
    async with app.router.lifespan_context(app):
        state = app.state
        for kb in kbs:
            await state.services.indexer.ingest(kb, documents(kb))
        yield Service(state.runs, state.services, state.pulse)
