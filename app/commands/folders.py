"""Which documents came from which folder, so that an ingest can tell which files are gone."""

import json
import os
from collections.abc import Collection
from pathlib import Path

from app.commands import ingesting
from app.commands.client import Client, Reply, RequestFailed
from app.commands.door import connect
from app.commands.files import Found
from app.commands.screen import note
from app.settings import Settings

Folders = dict[str, list[str]]
"""Folder to the names of the documents that came from it."""


class Memory:
    """The names that folders gave at earlier ingests: a file of its own in the data folder.

    The service knows names only; which folder they lie in, and whether they still do, is known to
    who reads the folder.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "folders.json"

    def lost(self, kb: str, found: Found) -> set[str]:
        """Return what the folders of this ingest gave before, and no known folder gives any more."""
        known = self._read().get(kb, {})
        here = {name for folder in found.folders for name in known.get(_place(folder), ())}
        missing = here - set(found.files)
        return {
            name
            for name in missing
            if all(_is_gone(Path(folder, name)) for folder in known if name in known[folder])
        }

    def note(self, kb: str, found: Found) -> None:
        """Remember what the folders of this ingest gave, beside what they gave before."""
        if not found.folders:
            return
        kept = self._read()
        known = kept.setdefault(kb, {})
        for folder in found.folders:
            names = {name for name, file in found.files.items() if file.path.is_relative_to(folder)}
            known[_place(folder)] = sorted(names | set(known.get(_place(folder), ())))
        try:
            beside = self._path.with_suffix(".new")
            beside.write_text(json.dumps(kept, ensure_ascii=False), "utf-8")
            os.replace(beside, self._path)
        except OSError as error:  # the documents are taken all the same
            note(f"which files are gone can't be told next time: {self._path}: {error.strerror}")

    def _read(self) -> dict[str, Folders]:
        try:
            kept = json.loads(self._path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            note(f"which files are gone can't be told: {self._path}: {error}")
            return {}
        return dict(kept)


async def ingest(settings: Settings, kb: str, found: Found) -> ingesting.Outcome:
    """Take files in and tell which documents of their folders have no file any more."""
    memory = Memory(settings.data_dir)
    lost = memory.lost(kb, found)
    if not found.files and not lost:
        return ingesting.begin(kb, found)
    async with connect(settings, make=True) as client:
        outcome = await ingesting.ingest(client, kb, found)
        outcome.gone = await _documents(client, kb, lost)
    memory.note(kb, found)
    return outcome


async def _documents(client: Client, kb: str, names: Collection[str]) -> list[Reply]:
    """Return those of the documents of a knowledge base that bear one of the names."""
    if not names:
        return []
    try:
        documents = await client.documents(kb)
    except RequestFailed as error:
        if error.code != "unknown_kb":
            raise
        return []  # it was deleted with all its documents
    return [document for document in documents if document["name"] in names]


def _place(folder: Path) -> str:
    return os.path.realpath(folder)


def _is_gone(path: Path) -> bool:
    """Tell whether a file is surely not there: one that may only not be seen is not gone."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False
