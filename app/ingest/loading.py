"""Bytes to a document's canonical text: by ending, with a reason where it can't be."""

import unicodedata
from dataclasses import replace
from pathlib import PurePosixPath

from app.ingest.converters.archive import check_kind
from app.ingest.converters.converted import Converted, FileRejected
from app.ingest.converters.formats import FORMATS, MARKDOWN, PLAIN
from app.ingest.converters.pool import ConverterPool
from app.ingest.decoding import check_text, decode, lines_fed, without_broken

__all__ = [
    "MAX_BYTES", "SUPPORTED", "Converted", "FileRejected", "clean_name", "convert", "converter",
]  # fmt: skip

MAX_BYTES = 20 * 1024 * 1024
SUPPORTED = (*MARKDOWN, *PLAIN, *FORMATS)
"""Endings that are read, in the order in which messages list them."""
TEXT_CONVERTER = "text-1"
"""Version of how texts are read; see `converter`."""

_MENDS = {
    ".doc": "open it in Word and save it as .docx",
    ".wps": "save it as .docx",
    ".rtf": "open it in Word and save it as .docx",
    ".odt": "save it as .docx",
    ".xls": "open it in Excel and save it as .xlsx",
    ".et": "save it as .xlsx",
    ".ods": "save it as .xlsx",
    ".xlsb": "open it in Excel and save it as .xlsx",
    ".ppt": "open it in PowerPoint and save it as .pptx",
    ".dps": "save it as .pptx",
    ".odp": "save it as .pptx",
    ".zip": "unpack it and upload the files",
}
_POOL = ConverterPool()


def clean_name(name: str) -> str:
    """Return a file name that every store takes, or raise FileRejected.

    It is composed (NFC): systems spell an accent in one character or in two, and it is one name.
    """
    plain = name.replace("\\", "/").encode("utf-8", "replace").decode().strip()
    plain = unicodedata.normalize("NFC", plain)
    if not plain or len(plain) > 400 or any(ord(ch) < 32 for ch in plain):
        raise FileRejected(
            "bad_name", "the file name is empty, too long or holds control characters",
            "rename the file",
        )  # fmt: skip
    return plain


def suffix_of(name: str) -> str:
    """Return the ending that decides how a file is read, in lower case with its dot."""
    return PurePosixPath(name).suffix.lower()


def converter(name: str) -> str:
    """Return the version of the converter for a file; it goes into the document's fingerprint."""
    known = FORMATS.get(suffix_of(name))
    return known.version if known else TEXT_CONVERTER


def why_unread(name: str) -> str:
    """Return why a file of an ending that is not in `SUPPORTED` is not read, and how to mend that."""
    return "; ".join(_unread(suffix_of(name)))


def _unread(suffix: str) -> tuple[str, str]:
    kind = f"of type {suffix}" if suffix else "without an ending"
    return f"files {kind} are not read", _MENDS.get(
        suffix, f"convert it to one of {', '.join(SUPPORTED)}"
    )


def convert(name: str, data: bytes, max_bytes: int = MAX_BYTES) -> Converted:
    """Return the canonical text of a file; raise FileRejected.

    Texts are decoded here. All other formats are read in a child process with limits of time and
    memory, so that a file which hangs or crashes its converter is refused like any other.
    Blocks; may be called from several threads.
    """
    suffix = suffix_of(name)
    if suffix not in SUPPORTED:
        raise FileRejected("unsupported_type", *_unread(suffix))
    if len(data) > max_bytes:
        raise FileRejected(
            "too_large",
            f"the file has {len(data):,} bytes, {max_bytes:,} are allowed",
            "split it, or raise YOUJU_MAX_UPLOAD_MB",
        )
    if suffix in FORMATS:
        check_kind(suffix, data)
        found = _POOL.convert(suffix, data)
        title, text = without_broken(found.title), without_broken(found.text)
        return replace(found, title=title, text=text)
    text = lines_fed(decode(data))
    check_text(text)
    return Converted(text, markdown=suffix in MARKDOWN)


def is_markdown(name: str) -> bool:
    """Tell whether `name` is a Markdown file."""
    return suffix_of(name) in MARKDOWN
