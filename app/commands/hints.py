"""The service's hints in the words of the command line: who types a command sends no requests."""

from app.errors import InvalidRequest, UnknownDocument, UnsupportedContent
from app.ingest.loading import SUPPORTED

MAKE_KB = "`youju ingest PATH --kb NAME` makes one."

_OF_CODES = {
    "unknown_kb": MAKE_KB,
    "unknown_thread": "Leave --thread out to start a new conversation.",
    "thread_busy": "Wait for the running question, or leave --thread out.",
    "other_kb": "Leave --kb out, or leave --thread out to start a new conversation.",
    "run_interrupted": "Ask again.",
}
_OF_HINTS = {
    InvalidRequest.hint: "`youju COMMAND --help` shows what a command takes.",
    UnknownDocument.hint: "Give --doc a name, title or code as `youju search` shows it.",
    UnsupportedContent.hint: f"Give {', '.join(SUPPORTED)} files.",
}


def hint_of(code: str, hint: str) -> str:
    """Return what a person at the command line can do about an error of the service."""
    return _OF_CODES.get(code) or _OF_HINTS.get(hint, hint)
