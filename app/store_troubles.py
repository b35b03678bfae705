"""Troubles of the disk that waiting does not mend: it is full, or may not be written."""

import errno
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from graphs.errors import StoreUnavailable


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with the disk, as HTTP says it, and how to mend it."""

    status: int
    code: str
    message: str
    hint: str


FULL = Trouble(
    507,
    "disk_full",
    "The disk that holds the data folder is full.",
    "Free some space there, or move the data folder (YOUJU_DATA_DIR) to a larger disk; then try again.",
)
READ_ONLY = Trouble(
    503,
    "data_read_only",
    "The data folder can't be written.",
    "Let the user who runs Youju write to it and to all files in it, or set YOUJU_DATA_DIR to a folder "
    "that can be written.",
)
_ERRNO = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: FULL,
    errno.EROFS: READ_ONLY,
    errno.EACCES: READ_ONLY,
    errno.EPERM: READ_ONLY,
}
_SQLITE = {sqlite3.SQLITE_FULL: FULL, sqlite3.SQLITE_READONLY: READ_ONLY}
_PRIMARY = 0xFF
"""The part of SQLite's extended code that names the kind of error."""
_TEXTS = {
    "disk is full": FULL,
    "no space left on device": FULL,
    "readonly database": READ_ONLY,
    "read-only file system": READ_ONLY,
}
"""Told by the text alone where the vector index has put its own error around the cause."""


def trouble_of(error: BaseException) -> Trouble | None:
    """Return the trouble of the disk behind an error, or None where the cause is another."""
    return next((found for each in _causes(error) if (found := _own(each))), None)


def _causes(error: BaseException) -> Iterator[BaseException]:
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__


def _own(error: BaseException) -> Trouble | None:
    if isinstance(error, sqlite3.Error):
        return _SQLITE.get((getattr(error, "sqlite_errorcode", None) or 0) & _PRIMARY)
    if isinstance(error, OSError):
        return _ERRNO.get(error.errno or 0)
    if isinstance(error, StoreUnavailable):
        text = str(error).lower()
        return next((trouble for part, trouble in _TEXTS.items() if part in text), None)
    return None
