"""The pages that web searches found, kept in `kb.sqlite`, so that a resumed question still reads them."""

import asyncio
import json
import time
from collections.abc import Sequence

from app.adapters.database import Database
from graphs.evidence.passages import Passage

_DAYS = 7
"""How long pages are kept: an answer holds its quotes itself."""
_FIELDS = (
    "id", "document_id", "title", "text", "version", "content_hash", "date", "language", "url",
)  # fmt: skip


class StoredWebPages:
    """Implements WebPages."""

    def __init__(self, database: Database, days: float = _DAYS) -> None:
        self._database = database
        self._seconds = days * 86_400

    async def keep(self, pages: Sequence[Passage]) -> None:
        """Keep pages, and drop those that are older than the days they are kept."""
        await asyncio.to_thread(self._keep, pages)

    async def read(self, ids: Sequence[str]) -> list[Passage]:
        """Return the pages in the order of `ids`; ids that are gone are left out."""
        return await asyncio.to_thread(self._read, ids)

    def _keep(self, pages: Sequence[Passage]) -> None:
        now = time.time()
        rows = [
            (*(getattr(page, name) for name in _FIELDS), json.dumps(page.orders), now)
            for page in pages
        ]
        with self._database.write() as connection:
            connection.execute("DELETE FROM web_pages WHERE found < ?", (now - self._seconds,))
            connection.executemany(
                f"INSERT OR REPLACE INTO web_pages({', '.join(_FIELDS)}, orders, found) "
                f"VALUES ({', '.join('?' * (len(_FIELDS) + 2))})",
                rows,
            )

    def _read(self, ids: Sequence[str]) -> list[Passage]:
        marks = ",".join("?" * len(ids))
        with self._database.read() as connection:
            rows = connection.execute(
                f"SELECT * FROM web_pages WHERE id IN ({marks})", tuple(ids)
            ).fetchall()
        held = {
            row["id"]: Passage(
                **{name: row[name] for name in _FIELDS},
                section=(), start=0, end=len(row["text"]), ordinal=0,
                orders=tuple((start, end) for start, end in json.loads(row["orders"])),
            )
            for row in rows
        }  # fmt: skip
        return [held[id_] for id_ in ids if id_ in held]
