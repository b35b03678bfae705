"""The knowledge bases themselves: names, `kb.yaml`, change counters."""

import json
import sqlite3
import time

from pydantic import BaseModel, ConfigDict, Field

from app.adapters.database import Database
from app.questions import Text
from graphs.errors import UnknownKnowledgeBase


class KnowledgeBaseCard(BaseModel):
    """The content of `kb.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    description: Text = Field(default="", max_length=4_000)
    contact: Text = Field(default="", max_length=500)
    glossary: dict[Text, tuple[Text, ...]] = Field(default_factory=dict)
    """Term to synonyms."""
    unrelated: tuple[tuple[Text, ...], ...] = ()
    """Groups of terms that must never stand for each other."""


class Catalogue:
    """The table of knowledge bases."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self) -> list[str]:
        """Return every name in order."""
        with self._database.read() as connection:
            return [row["name"] for row in connection.execute("SELECT name FROM kbs ORDER BY name")]

    def add(self, connection: sqlite3.Connection, name: str) -> None:
        """Add a knowledge base if there is none of this name."""
        connection.execute(
            "INSERT OR IGNORE INTO kbs(name, created) VALUES (?, ?)", (name, time.time())
        )

    def remove(self, connection: sqlite3.Connection, name: str) -> None:
        """Delete a knowledge base with its documents and chunks."""
        connection.execute("DELETE FROM kbs WHERE name = ?", (name,))

    def touch(self, connection: sqlite3.Connection, name: str, *, dirty: bool) -> None:
        """Count a change, so that caches notice; `dirty` asks the next start for a repair pass."""
        connection.execute(
            "UPDATE kbs SET generation = generation + 1, dirty = ? WHERE name = ?",
            (int(dirty), name),
        )
        # What a model said of the documents as they were: nothing of a deleted one stays there
        connection.execute("DELETE FROM model_replies WHERE kb = ?", (name,))

    def generation(self, name: str) -> int:
        """Return the change counter, or raise UnknownKnowledgeBase."""
        return int(self._row(name)["generation"])

    def dirty(self, name: str) -> bool:
        """Tell whether a change began and did not end."""
        return bool(self._row(name)["dirty"])

    def card(self, name: str) -> KnowledgeBaseCard:
        """Return what `kb.yaml` said, empty if there was none."""
        row = self._row(name)
        return KnowledgeBaseCard(
            description=row["description"],
            contact=row["contact"],
            glossary=json.loads(row["glossary"]),
            unrelated=json.loads(row["unrelated"]),
        )

    def save_card(self, connection: sqlite3.Connection, name: str, card: KnowledgeBaseCard) -> None:
        """Store the content of `kb.yaml`."""
        values = card.model_dump(mode="json")
        connection.execute(
            "UPDATE kbs SET generation = generation + 1, description = ?, contact = ?, "
            "glossary = ?, unrelated = ? "
            "WHERE name = ?",
            (
                card.description,
                card.contact,
                json.dumps(values["glossary"], ensure_ascii=False),
                json.dumps(values["unrelated"], ensure_ascii=False),
                name,
            ),
        )

    def _row(self, name: str) -> sqlite3.Row:
        with self._database.read() as connection:
            row: sqlite3.Row | None = connection.execute(
                "SELECT * FROM kbs WHERE name = ?", (name,)
            ).fetchone()
        if row is None:
            raise UnknownKnowledgeBase(name)
        return row
