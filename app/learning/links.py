"""Confirmed links as people give them: a question and the documents that answer it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.adapters.documents_sqlite import DocumentInfo
from app.document_lookup import meant
from app.errors import InvalidRequest, ServiceError
from graphs.evidence.text import fold

_SHOWN = 10
"""Bad lines that an error names."""
_LONGEST = 4000
"""Characters of a question, as `/ask` takes them."""


@dataclass(frozen=True, slots=True)
class Link:
    """A question with ids, names or titles of documents; `line` is where it stood, 0 for nowhere."""

    question: str
    documents: tuple[str, ...]
    line: int = 0


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A question with the ids of its documents."""

    question: str
    documents: tuple[str, ...]


def parse(text: str) -> list[Link]:
    """Return the links of a JSONL file; raise InvalidRequest that names every bad line."""
    links, problems = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            links.append(_link(json.loads(line), number))
        except ValueError as error:
            told = "no JSON" if isinstance(error, json.JSONDecodeError) else str(error)
            problems.append(f"line {number}: {told}")
    _refuse(problems, 'A line is {"question": "…", "document": "an id, name or title, or a list"}.')
    if not links:
        raise InvalidRequest("The file holds no link.", "Give one JSON object a line.")
    return links


def resolved(links: Sequence[Link], documents: Sequence[DocumentInfo]) -> list[Confirmed]:
    """Return the links with document ids, equal questions joined.

    Raises InvalidRequest that names every line whose document is unknown or could be several.
    """
    known = _sure_names(documents)
    found: dict[str, dict[str, None]] = {}
    problems: list[str] = []
    for at, link in enumerate(links, start=1):
        ids = found.setdefault(link.question.strip(), {})
        for wanted in link.documents:
            id_ = known.get(wanted) or known.get(fold(wanted))
            if id_ is None and len(problems) < _SHOWN:
                try:
                    id_ = meant(documents, wanted).id
                except ServiceError as error:
                    hint = f" {error.hint}" if error.hint.startswith("Did") else ""
                    problems.append(f"line {link.line or at}: {error}{hint}")
            if id_ is not None:
                ids[id_] = None
    _refuse(problems, "GET /kb/{kb}/documents lists ids, names and titles.")
    return [Confirmed(question, tuple(ids)) for question, ids in found.items()]


def _link(row: object, number: int) -> Link:
    if not isinstance(row, dict):
        raise ValueError("no JSON object")
    question, named = row.get("question"), row.get("document", row.get("documents"))
    if not isinstance(question, str) or not question.strip():
        raise ValueError('"question" must be a text')
    if len(question) > _LONGEST:
        raise ValueError(f'"question" has more than {_LONGEST} characters')
    wanted = [named] if isinstance(named, str) else named
    if not isinstance(wanted, list) or not wanted:
        raise ValueError('"document" must be an id, name or title, or a list of them')
    if not all(isinstance(each, str) and each.strip() for each in wanted):
        raise ValueError('"document" holds something that is no name')
    return Link(question.strip(), tuple(wanted), number)


def _sure_names(documents: Sequence[DocumentInfo]) -> Mapping[str, str]:
    """Return what names exactly one document: its id, its name, its title."""
    ids: dict[str, str] = {}
    for names in (
        [(fold(info.title), info.id) for info in documents],
        [(info.name, info.id) for info in documents],
        [(info.id, info.id) for info in documents],
    ):
        owners: dict[str, set[str]] = {}
        for name, id_ in names:
            owners.setdefault(name, set()).add(id_)
        ids |= {name: next(iter(held)) for name, held in owners.items() if len(held) == 1}
    return ids


def _refuse(problems: Sequence[str], hint: str) -> None:
    if problems:
        shown = "; ".join(problems[:_SHOWN])
        more = len(problems) - _SHOWN
        raise InvalidRequest(shown + (f"; and {more} more" if more > 0 else ""), hint)
