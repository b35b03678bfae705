"""What goes into an ingest, how far it is, and what became of each file."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol

Outcome = Literal["added", "changed", "unchanged", "failed", "settings"]


class Readable(Protocol):
    """One file: its name (a relative path counts as name), its size in bytes, its content."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def size(self) -> int: ...  # noqa: D102

    def read(self) -> bytes:
        """Return the content; called once, in a thread."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """A file whose bytes are at hand."""

    name: str
    data: bytes

    @property
    def size(self) -> int:
        """Number of bytes."""
        return len(self.data)

    def read(self) -> bytes:
        """Return the bytes."""
        return self.data


@dataclass(frozen=True, slots=True)
class FileError:
    """Why a file was not taken, and how to mend that."""

    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class FileReport:
    """What became of one file. `settings` is the outcome of a `kb.yaml`.

    `near_duplicate_of` names the file whose document says nearly the same.
    """

    name: str
    outcome: Outcome
    document_id: str | None = None
    chunks: int = 0
    error: FileError | None = None
    near_duplicate_of: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Where an ingest stands: files done of all, the current file, chunks embedded so far.

    `size` is how many of `total_size` bytes are behind it, parts of a file that is being taken
    included.
    """

    done: int
    total: int
    name: str
    chunks: int
    size: int = 0
    total_size: int = 0


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What became of a batch. `seconds` is wall time."""

    kb: str
    files: list[FileReport]
    seconds: float

    def count(self, outcome: Outcome) -> int:
        """Return how many files had this outcome."""
        return sum(report.outcome == outcome for report in self.files)

    @property
    def chunks(self) -> int:
        """Number of chunks of all files that were taken, changed or not."""
        return sum(report.chunks for report in self.files)


@dataclass
class Batch:
    """Counts a running batch for its progress bar."""

    total: int
    total_size: int
    report: Callable[[Progress], None] | None
    done: int = 0
    chunks: int = 0
    name: str = ""
    size: float = 0.0
    files: list[FileReport] = field(default_factory=list)
    _open: float = 0.0
    """Bytes of files that are not done yet and whose chunks were counted."""

    def begin(self, name: str) -> None:
        """Tell that a file's turn has come."""
        self.name = name
        self._tell()

    def step(self, chunks: int, size: float = 0.0) -> None:
        """Count chunks that got their vectors, and the bytes that they stand for."""
        self.chunks += chunks
        self._open += size
        self._tell()

    def embedded(self, chunks: int) -> None:
        """Count chunks that got their vectors where each of them counts as a part of the size."""
        self.chunks += chunks
        self.size += chunks
        self._tell()

    def end(self, reports: list[FileReport], size: int) -> None:
        """Count files that are done, with their bytes."""
        self.files += reports
        self.done += len(reports)
        self.size += size
        self._open = 0.0
        self._tell()

    def _tell(self) -> None:
        if self.report is not None:
            at = min(round(self.size + self._open), self.total_size)
            self.report(
                Progress(self.done, self.total, self.name, self.chunks, at, self.total_size)
            )
