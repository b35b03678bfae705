"""Checkpoints in SQLite: each step stores what it changed, compressed."""

import hashlib
import zlib
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from app.adapters.checkpoint_dictionary import dictionary

_LEVEL = 6
_WORTH_IT = 1024
"""Bytes from which on compressing pays: most results of nodes are smaller, and soon deleted."""
_BUSY_SECONDS = 10.0
_LINEAGE = """
WITH RECURSIVE lineage(id, parent, type, body, source, age) AS (
    SELECT checkpoint_id, parent_checkpoint_id, type, checkpoint,
        json_extract(CAST(metadata AS TEXT), '$.source'), 0
    FROM checkpoints WHERE thread_id = :thread AND checkpoint_ns = :ns AND checkpoint_id = :id
    UNION ALL
    SELECT checkpoint_id, parent_checkpoint_id, c.type, checkpoint,
        json_extract(CAST(metadata AS TEXT), '$.source'), age + 1
    FROM lineage JOIN checkpoints c ON checkpoint_id = parent
    WHERE source = 'loop' AND thread_id = :thread AND checkpoint_ns = :ns
)
SELECT id, type, body FROM lineage ORDER BY age DESC
"""
"""A checkpoint after its parents, back to the one that no step has left: that one is whole."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS dictionaries (name TEXT PRIMARY KEY, data BLOB NOT NULL)"


class CompressingSerializer(JsonPlusSerializer):
    """Msgpack behind zlib with a preset dictionary; reads what is not compressed as well.

    `dictionaries` maps names to every dictionary that was ever used, `current` names the one to
    write with. Only langgraph's safe types and the types of the state schema are ever rebuilt.
    """

    def __init__(self, dictionaries: Mapping[str, bytes], current: str) -> None:
        super().__init__(allowed_msgpack_modules=None)
        self._dictionaries = dictionaries
        self._current = current

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return the type, led by the dictionary's name where the bytes are compressed."""
        kind, data = super().dumps_typed(obj)
        if len(data) < _WORTH_IT:
            return kind, data
        packer = zlib.compressobj(_LEVEL, zdict=self._dictionaries[self._current])
        return f"{self._current}+{kind}", packer.compress(data) + packer.flush()

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the object; raises zlib.error if compressed bytes are damaged."""
        kind, body = data
        name, plus, inner = kind.partition("+")
        if not plus:
            return super().loads_typed(data)
        unpacker = zlib.decompressobj(zdict=self._dictionaries[name])
        return super().loads_typed((inner, unpacker.decompress(body) + unpacker.flush()))


class CompactSaver(AsyncSqliteSaver):
    """Keeps what a resume and the history need, and nothing twice.

    A checkpoint that a step has left ("loop") holds only the channels that the step changed; the
    others are read from its parents, back to the whole checkpoint that opened the turn. So a
    thread is deleted as a whole or turn by turn, oldest first, never step by step.
    """

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return the next version of a channel.

        The parent class adds 16 random digits to each: they don't compress, and only savers that
        look a channel up by its version alone need them; this one follows the lineage.
        """
        return f"{int(current or 0) + 1:06d}"

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store what changed since the parent and drop the node results that led to it.

        They are for a resume from its parent alone. The deletion joins the transaction of the
        insert. Should another run commit in between and the process die right then, the node
        runs once more.
        """
        where = config["configurable"]
        if parent := where.get("checkpoint_id"):
            if metadata.get("source") == "loop":
                values = checkpoint["channel_values"]
                changed = {name: values[name] for name in values if name in new_versions}
                checkpoint = Checkpoint(**{**checkpoint, "channel_values": changed})
            async with self.lock:
                await self.conn.execute(
                    "DELETE FROM writes"
                    " WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id <= ?",
                    (str(where["thread_id"]), where.get("checkpoint_ns", ""), parent),
                )
        return await super().aput(config, checkpoint, metadata, new_versions)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint with all its channels, or None."""
        found = await super().aget_tuple(config)
        return None if found is None else await self._whole(found, {})

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints with all their channels, newest first."""
        known: dict[str, dict[str, Any]] = {}
        async for found in super().alist(config, filter=filter, before=before, limit=limit):
            yield await self._whole(found, known)

    async def _whole(
        self, found: CheckpointTuple, known: dict[str, dict[str, Any]]
    ) -> CheckpointTuple:
        """Fill in the unchanged channels; `known` maps checkpoint ids to what was filled in before.

        Takes no lock: `alist` holds it while it yields.
        """
        where = found.config["configurable"]
        wanted = str(where["checkpoint_id"])
        if wanted not in known:
            values: dict[str, Any] = {}
            versions: ChannelVersions = {}
            key = {"thread": str(where["thread_id"]), "ns": where["checkpoint_ns"], "id": wanted}
            # All rows at once: a half-read statement keeps its snapshot, and SQLite refuses, without
            # waiting, a write on this connection once another one has committed meanwhile.
            rows = await self.conn.execute_fetchall(_LINEAGE, key)
            for checkpoint_id, kind, body in rows:
                part: Checkpoint = self.serde.loads_typed((kind, body))
                now = part["channel_versions"]
                kept = {n: v for n, v in values.items() if now.get(n) == versions.get(n)}
                values, versions = {**kept, **part["channel_values"]}, now
                known[str(checkpoint_id)] = values
        filled = {**found.checkpoint, "channel_values": dict(known[wanted])}
        return found._replace(checkpoint=Checkpoint(**filled))  # type: ignore[typeddict-item]


async def _dictionaries(connection: aiosqlite.Connection, current: bytes) -> dict[str, bytes]:
    """Keep the dictionary in use beside what it compresses, and return all that are kept."""
    name = f"z{hashlib.sha256(current).hexdigest()[:8]}"
    await connection.execute(_SCHEMA)
    await connection.execute("INSERT OR IGNORE INTO dictionaries VALUES (?, ?)", (name, current))
    await connection.commit()
    async with connection.execute("SELECT name, data FROM dictionaries") as rows:
        kept = {str(row[0]): bytes(row[1]) async for row in rows}
    return {name: kept.pop(name), **kept}


@asynccontextmanager
async def open_checkpoints(
    path: Path,
    synchronous: Literal["NORMAL", "FULL"] = "NORMAL",
    nodes: Iterable[str] = (),
) -> AsyncIterator[CompactSaver]:
    """Open the checkpoint tables in the file at `path`, and close it at the end.

    `nodes` are the names of the graph's nodes: they make the checkpoints smaller. With NORMAL a
    killed process loses nothing; a power cut may lose the last commits.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    async with aiosqlite.connect(path, timeout=_BUSY_SECONDS) as connection:
        # before the first table, or SQLite takes it only with the next VACUUM
        await connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        await connection.execute("PRAGMA journal_mode=WAL")
        await connection.execute(f"PRAGMA synchronous={synchronous}")
        known = await _dictionaries(connection, dictionary(nodes))
        saver = CompactSaver(connection, serde=CompressingSerializer(known, next(iter(known))))
        await saver.setup()
        yield saver
