"""Checkpoints in SQLite, compressed: every checkpoint stores the whole state."""

import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

_PREFIX = "z+"
_LEVEL = 6
_WORTH_IT = 64
"""Below this many bytes zlib's own frame eats what it saves."""
_BUSY_SECONDS = 10.0


class CompressingSerializer(JsonPlusSerializer):
    """Msgpack behind zlib; reads what was written without compression as well.

    Only langgraph's safe types and the types of the state schema are ever rebuilt.
    """

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Return the type, prefixed where the bytes are compressed, and the bytes."""
        kind, data = super().dumps_typed(obj)
        if len(data) < _WORTH_IT:
            return kind, data
        return f"{_PREFIX}{kind}", zlib.compress(data, _LEVEL)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """Return the object; raises zlib.error if compressed bytes are damaged."""
        kind, body = data
        if kind.startswith(_PREFIX):
            return super().loads_typed((kind.removeprefix(_PREFIX), zlib.decompress(body)))
        return super().loads_typed(data)


@asynccontextmanager
async def open_checkpoints(
    path: Path, synchronous: Literal["NORMAL", "FULL"] = "NORMAL"
) -> AsyncIterator[AsyncSqliteSaver]:
    """Open the checkpoint tables in the file at `path`, and close it at the end.

    With NORMAL a killed process loses nothing; a power cut may lose the last commits.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    async with aiosqlite.connect(path, timeout=_BUSY_SECONDS) as connection:
        saver = AsyncSqliteSaver(connection, serde=CompressingSerializer())
        await saver.setup()
        await connection.execute(f"PRAGMA synchronous={synchronous}")
        yield saver
