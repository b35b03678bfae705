"""A process of its own that asks one question and kills itself at a given call of the reasoner.

`python killed_graph.py FILE JOURNAL SCENARIO CALL TIMES`: at the TIMES-th CALL. With an empty CALL it goes on
with the interrupted question and prints the path and status. Every call is noted in JOURNAL first.
"""

import asyncio
import os
import signal
import sys
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from fakes import FakeReasoner, Given, ask, builder, knowledge_base
from scenarios import SCENARIOS, Scenario, options

from app.adapters.checkpoints import open_checkpoints
from graphs.reasoners.base import Meter

CONFIG = {"configurable": {"thread_id": "t"}}


@dataclass
class Mortal(FakeReasoner):
    """Notes each call before it answers, and dies at one of them."""

    journal: Path = Path()
    dies_at: str = ""
    times: int = 0

    def _enter(self, method: str, meter: Meter) -> None:
        with self.journal.open("a") as lines:
            lines.write(f"{method}\n")
        super()._enter(method, meter)
        if method == self.dies_at and self.calls.count(method) == self.times:
            os.kill(os.getpid(), signal.SIGKILL)


def left(scenario: Scenario, journal: Path) -> deque[Given]:
    """Return the readings that no finished call took; the last call noted died."""
    noted = journal.read_text().split() if journal.exists() else []
    return deque(scenario.readings[noted[:-1].count("grade") :])


async def main(file: Path, reasoner: Mortal, scenario: Scenario, call: str) -> None:
    graph_builder = builder(reasoner, knowledge_base())
    async with open_checkpoints(file, nodes=graph_builder.nodes) as saver:
        graph = graph_builder.compile(checkpointer=saver)
        given = ask(**options(scenario)) if call else None
        done = await graph.ainvoke(given, CONFIG, durability="sync")  # type: ignore[arg-type]
    print(done["result"]["status"], *done["result"]["path"])


if __name__ == "__main__":
    file, journal, name, call, times = sys.argv[1:]
    asked = SCENARIOS[name]
    mortal = Mortal(
        readings=left(asked, Path(journal)), journal=Path(journal), dies_at=call, times=int(times)
    )
    asyncio.run(main(Path(file), mortal, asked, call))
