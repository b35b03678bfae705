"""Which ending is read by which converter."""

from dataclasses import dataclass

MARKDOWN = (".md", ".markdown")
PLAIN = (".txt",)


@dataclass(frozen=True, slots=True)
class Format:
    """One family of files. `module` under `app.ingest.converters` has `read(data) -> Converted`.

    `version` goes into a document's fingerprint: raise it when the canonical text changes.
    """

    module: str
    version: str


_PDF = Format("pdf", "pdf-2")
_WORD = Format("word", "word-1")
_SLIDES = Format("slides", "slides-1")
_SHEETS = Format("sheets", "sheets-1")
_DELIMITED = Format("delimited", "delimited-1")
_WEB = Format("web", "web-1")
_RECORDS = Format("records", "records-1")

FORMATS = {
    ".pdf": _PDF,
    ".docx": _WORD,
    ".pptx": _SLIDES,
    ".xlsx": _SHEETS,
    ".xlsm": _SHEETS,
    ".csv": _DELIMITED,
    ".tsv": _DELIMITED,
    ".html": _WEB,
    ".htm": _WEB,
    ".jsonl": _RECORDS,
    ".ndjson": _RECORDS,
    ".json": _RECORDS,
}
