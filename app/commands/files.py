"""Which files a command line means."""

import glob
import os
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.commands.links import POINTS_NOWHERE, why_not_followed
from app.ingest.loading import SUPPORTED, why_unread

SUFFIXES = frozenset(SUPPORTED)
CARD = "kb.yaml"
QUESTIONS = "questions.jsonl"
"""Labelled questions beside the documents; taken as a document only where the file itself is named."""
_LITTER = frozenset({"thumbs.db", "desktop.ini", "__macosx"})
"""What systems leave in folders; nobody means it, so nobody is told."""
_BATCH_FILES = 100
_BATCH_BYTES = 1024 * 1024
_ODD = frozenset('"\\\r\n')
"""Characters in a name that a form does not carry; such a file is sent by itself."""


@dataclass(frozen=True, slots=True)
class File:
    """A file to take in; its name is its path below the folder that was given."""

    name: str
    path: Path
    size: int

    def read(self) -> "Content":
        """Return the file with its content; raises OSError, since files vanish after a listing."""
        return Content(self.name, self.path.read_bytes())


@dataclass(frozen=True, slots=True)
class Content:
    """A file that was read."""

    name: str
    data: bytes


@dataclass(slots=True)
class Found:
    """What the paths of a command line hold; `skipped` and `failed` map a path to the reason."""

    files: dict[str, File] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    folders: list[Path] = field(default_factory=list)
    """Folders that were given as such, with all below them."""

    def add(self, path: Path, name: str, max_bytes: int) -> None:
        """Take one file, skip it or say why it can't be taken."""
        if path.suffix.lower() not in SUFFIXES and path.name != CARD:
            self.skipped[str(path)] = why_skipped(path)
            return
        # systems spell an accent in one character or in two: it is one name
        name = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
        known = self.files.get(name)
        if known is not None:
            if not known.path.samefile(path):
                self.failed[str(path)] = f"has the same name as {known.path}; give their folder"
            return
        size = path.stat().st_size
        if size > max_bytes:
            self.failed[str(path)] = f"has {size:,} bytes, {max_bytes:,} are allowed"
        elif not os.access(path, os.R_OK):
            self.failed[str(path)] = "may not be read"
        else:
            self.files[name] = File(name, path, size)


def find(paths: Iterable[str], max_bytes: int) -> Found:
    """Return the files that `paths` mean: files, folders with all below them, patterns."""
    found = Found()
    for given in paths:
        path = Path(given)
        if path.is_dir():
            found.folders.append(path)
            _add_folder(found, path, path, max_bytes)
        elif path.is_file():
            found.add(path, path.name, max_bytes)
        elif path.exists():
            found.failed[given] = "is neither a file nor a folder"
        elif path.is_symlink():
            found.failed[given] = POINTS_NOWHERE
        elif glob.has_magic(given):
            _add_pattern(found, given, max_bytes)
        else:
            found.failed[given] = "does not exist"
    return found


def batches(files: Iterable[File]) -> Iterator[list[File]]:
    """Yield the files in groups, each small enough for one request."""
    batch: list[File] = []
    for file in files:
        full = len(batch) == _BATCH_FILES or sum(f.size for f in batch) + file.size > _BATCH_BYTES
        if batch and (full or _ODD & set(file.name)):
            yield batch
            batch = []
        batch.append(file)
        if _ODD & set(file.name):
            yield batch
            batch = []
    if batch:
        yield batch


def _add_folder(found: Found, folder: Path, root: Path, max_bytes: int) -> None:
    def unread(error: OSError) -> None:
        found.failed[str(error.filename)] = "may not be read"

    for where, folders, names in os.walk(folder, onerror=unread):
        folders[:] = sorted(name for name in folders if not _is_litter(name))
        for name in folders:
            if (path := Path(where, name)).is_symlink():  # the walk does not enter it
                _is_refused(found, path, root)
        for name in sorted(names):
            path = Path(where, name)
            if path.is_file() or path.is_symlink():
                _add_met(found, path, root, max_bytes)


def _add_pattern(found: Found, pattern: str, max_bytes: int) -> None:
    """Take what a pattern matches; names start below its last folder without a wildcard."""
    parts = Path(pattern).parts
    fixed = next(i for i, part in enumerate(parts) if glob.has_magic(part))
    root = Path(*parts[:fixed])
    matches = [Path(match) for match in sorted(glob.glob(pattern, recursive=True))]
    if not matches:
        found.failed[pattern] = "matches nothing"
    for path in matches:
        if path.is_dir():
            if not _is_refused(found, path, root) and (
                "**" not in parts and not _is_litter(path.name)
            ):
                _add_folder(found, path, root, max_bytes)
        elif path.is_file() or path.is_symlink():
            _add_met(found, path, root, max_bytes)


def _add_met(found: Found, path: Path, root: Path, max_bytes: int) -> None:
    """Take a file that was met in a folder or matches a pattern."""
    if _is_litter(path.name):
        return
    if _is_refused(found, path, root):
        return
    if path.name == QUESTIONS:
        found.skipped[str(path)] = why_skipped(path)
    elif not path.exists():
        found.failed[str(path)] = POINTS_NOWHERE
    elif path.is_file():
        found.add(path, path.relative_to(root).as_posix(), max_bytes)


def _is_refused(found: Found, path: Path, root: Path) -> bool:
    """Tell whether the way to a path goes over a link that is not followed; such a link is named."""
    refused = why_not_followed(path, root)
    if refused is not None and not _is_litter(refused[0].name):
        found.skipped[str(refused[0])] = refused[1]
    return refused is not None


def _is_litter(name: str) -> bool:
    """Tell hidden files and folders, lock files of Office (~$x.docx, .~lock.x#) and the like."""
    return name.startswith((".", "~$")) or name.lower() in _LITTER


def why_skipped(path: Path) -> str:
    """Return why a file was skipped, and how to take it all the same."""
    if path.name == QUESTIONS:
        return "it holds labelled questions; name the file itself to take it as a document"
    return why_unread(str(path))


def why_not_read(error: OSError) -> str:
    """Return why a file that was listed can't be read any more."""
    if isinstance(error, FileNotFoundError):
        return "is gone since the files were listed"
    if isinstance(error, PermissionError):
        return "may not be read"
    return f"can't be read: {error.strerror or error}"
