"""Which document a caller means: by id, name, title, code or a part that only one has."""

import difflib
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath

from app.adapters.documents_sqlite import DocumentInfo
from app.errors import InvalidRequest, UnknownDocument
from graphs.evidence.text import codes, fold

_NAMED = 5
_NEAR = 0.4
"""Least likeness of a name that is offered instead."""
_TIERS: tuple[Callable[[DocumentInfo, str], bool], ...] = (
    lambda info, wanted: wanted in (info.id, info.name),
    lambda info, wanted: fold(wanted) in (fold(info.name), fold(info.title)),
    lambda info, wanted: fold(wanted) in _short(info),
    lambda info, wanted: bool({*codes(wanted)} & {*info.codes}),
    lambda info, wanted: fold(wanted) in fold(info.name) or fold(wanted) in fold(info.title),
)
"""Ways to be meant, the surest first: the first that fits any document decides."""


def meant(documents: Sequence[DocumentInfo], wanted: str) -> DocumentInfo:
    """Return the one document that is meant.

    Raises UnknownDocument where none is, InvalidRequest where several are; both name candidates.
    """
    for tier in _TIERS:
        found = [info for info in documents if tier(info, wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise InvalidRequest(
                f"{len(found)} documents are called {wanted!r}: {_listed(found)}.",
                hint="Give the id or the whole name of the one you mean.",
            )
    near = _near(documents, wanted)
    raise UnknownDocument(
        f"There is no document {wanted!r} in this knowledge base.",
        hint=f"Did you mean {_listed(near)}?" if near else UnknownDocument.hint,
    )


def _short(info: DocumentInfo) -> set[str]:
    path = PurePosixPath(info.name)
    return {fold(path.name), fold(path.stem)}


def _near(documents: Sequence[DocumentInfo], wanted: str) -> list[DocumentInfo]:
    def likeness(info: DocumentInfo) -> float:
        names = (fold(info.name), fold(info.title), *_short(info))
        return max(difflib.SequenceMatcher(None, fold(wanted), name).ratio() for name in names)

    ranked = sorted(((likeness(info), info.name, info) for info in documents), reverse=True)
    return [info for value, _, info in ranked[:_NAMED] if value >= _NEAR]


def _listed(documents: Sequence[DocumentInfo]) -> str:
    names = [f"{info.name} ({info.title}, {info.id})" for info in documents[:_NAMED]]
    more = len(documents) - len(names)
    return "; ".join(names) + (f"; and {more} more" if more else "")
