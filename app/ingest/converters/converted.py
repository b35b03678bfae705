"""What a converter returns, and the refusal that it raises."""

from dataclasses import dataclass


class FileRejected(Exception):
    """A file can't be a document; the batch goes on without it."""

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


@dataclass(frozen=True, slots=True)
class Converted:
    r"""The canonical text of a file, with "\n" line ends, and what its format knows besides.

    `pages` holds the offset in `text` where each page or slide begins, ascending; it is empty
    where the format has none. `title` and `date` (ISO) come from the file's own metadata; they are
    empty and None where the metadata says nothing that means something.
    """

    text: str
    markdown: bool
    pages: tuple[int, ...] = ()
    title: str = ""
    date: str | None = None
