"""The sample knowledge bases of the source checkout, and the questions that show each path."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.commands.boundary import CommandFailed
from app.commands.client import Client
from app.commands.files import find
from app.commands.ingesting import Outcome, ingest

FOLDER = Path(__file__).resolve().parents[2] / "examples"
KNOWLEDGE_BASES = {"power-plant": "power_plant", "travel": "travel_policy"}
"""Name of the knowledge base to its folder."""
_QUESTIONS = "questions.jsonl"


@dataclass(frozen=True, slots=True)
class Sample:
    """A question to show; `follow_up` is asked next on the same thread, or is empty."""

    kb: str
    question: str
    follow_up: str


def questions() -> list[Sample]:
    """Return the labelled questions that are marked for showing, in the order of the files."""
    return [
        Sample(kb, line["question"], line.get("follow_up", ""))
        for kb, folder in KNOWLEDGE_BASES.items()
        for line in _lines(_folder(folder) / _QUESTIONS)
        if line.get("demo")
    ]


async def load(client: Client, max_bytes: int) -> list[Outcome]:
    """Take the sample documents in; those that are there already are left as they are."""
    outcomes = []
    for kb, folder in KNOWLEDGE_BASES.items():
        outcome = await ingest(client, kb, find([str(_folder(folder))], max_bytes))
        if outcome.failed:
            first = outcome.failed[0]
            raise CommandFailed(f"{first['name']}: {first['error']['message']}")
        outcomes.append(outcome)
    return outcomes


def _folder(name: str) -> Path:
    folder = FOLDER / name
    if not folder.is_dir():
        raise CommandFailed(
            f"The sample documents are missing: there is no folder {folder}.",
            "They come with the source code, not with the installed package; "
            "run this in a source checkout, or leave --samples out.",
        )
    return folder


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
