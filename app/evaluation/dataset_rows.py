"""The published file formats of the question sets, checked row by row."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, Field, ValidationError

from graphs.errors import YoujuError

Row = TypeVar("Row", bound=BaseModel)
Texts = list[str]
_GAINS = {1: 4, 2: 3, 3: 2, 4: 1}
"""Cranfield's code of relevance, 1 the highest, to the gain; any other code counts nothing."""
_MARK = re.compile(r"^\.([A-Z])(?: +(\d+))?\s*$")


class FormatError(YoujuError):
    """A file of a question set is not in the published format."""

    hint = "Compare the file with the publication that it comes from, or leave its set out."

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class Rgb(BaseModel):
    """A question of RGB; in `zh_int` the positives come in groups, one per part of the answer.

    `mix` maps a share of noise to passages by (whether positive, index); `positive_wrong` hold a
    wrong answer.
    """

    id: int | str
    query: str
    answer: str | list[str | Texts] = []
    positive: Texts | list[Texts]
    negative: Texts
    positive_wrong: Texts = []
    mix: dict[str, list[tuple[bool, int]]] = {}

    @property
    def parts(self) -> list[Texts]:
        """The positive passages of each part of the answer; without groups each is its own."""
        return [[part] if isinstance(part, str) else part for part in self.positive]

    @property
    def answers(self) -> list[Texts]:
        """The items of the answer, all of them required, each with its aliases."""
        items = [self.answer] if isinstance(self.answer, str) else self.answer
        return [[item] if isinstance(item, str) else item for item in items]


class Hotpot(BaseModel):
    """A question of HotpotQA with its ten paragraphs."""

    id: str = Field(alias="_id")
    question: str
    answer: str = ""
    context: list[tuple[str, Texts]]
    supporting_facts: list[tuple[str, int]]


class Statute(BaseModel):
    """One statute of LeCoQA."""

    name: str
    text: str


class LeCoQa(BaseModel):
    """A layman's question with the names of the statutes that answer it."""

    query_id: int | str
    question: str = Field(alias="问题")
    match_name: Texts


class SquadAnswer(BaseModel):
    """One labelled answer."""

    text: str


class SquadQuestion(BaseModel):
    """A question of a paragraph; any of its answers is right."""

    id: str
    question: str
    answers: list[SquadAnswer] = []


class SquadParagraph(BaseModel):
    """A paragraph with its questions."""

    context: str
    qas: list[SquadQuestion]


class SquadArticle(BaseModel):
    """An article in paragraphs."""

    title: str = ""
    paragraphs: list[SquadParagraph]


class Squad(BaseModel):
    """A file in SQuAD's format."""

    data: list[SquadArticle]


def lines(path: Path, kind: type[Row]) -> Iterator[Row]:
    """Yield the rows of a JSON lines file."""
    for number, line in enumerate(_read(path).split("\n"), start=1):
        if line.strip():
            try:
                yield kind.model_validate_json(line)
            except ValidationError as error:
                raise FormatError(path, f"line {number}: {_reason(error)}") from error


def whole(path: Path, kind: type[Row]) -> Row:
    """Return the one object that a JSON file holds."""
    try:
        return kind.model_validate_json(_read(path))
    except ValidationError as error:
        raise FormatError(path, _reason(error)) from error


def smart(path: Path) -> Iterator[dict[str, str]]:
    """Yield the records of a SMART file: mark to text; `I` is the number, `T` and `W` always exist."""
    record: dict[str, list[str]] = {}
    mark = ""
    for number, line in enumerate(_read(path).splitlines(), start=1):
        found = _MARK.match(line)
        if not record and line.strip() and (found is None or found[1] != "I"):
            raise FormatError(path, f"line {number}: a record begins with .I and its number")
        if found is None:
            record.get(mark, []).append(line)
            continue
        mark = found[1]
        if mark == "I" and record:
            yield _record(record)
        if mark == "I":
            record = {"I": [found[2] or ""]}
        record.setdefault(mark, [])
    if not record:
        raise FormatError(path, "holds no record: one begins with .I and its number")
    yield _record(record)


def judgements(path: Path) -> Iterator[tuple[int, str, int]]:
    """Yield query position, document number and gain of Cranfield's judgements."""
    for number, line in enumerate(_read(path).splitlines(), start=1):
        if line.strip():
            try:
                query, document, code = (int(part) for part in line.split())
            except ValueError as error:
                problem = f"line {number}: query, document and code were expected, three numbers"
                raise FormatError(path, problem) from error
            yield query, str(document), _GAINS.get(code, 0)


def _record(record: dict[str, list[str]]) -> dict[str, str]:
    texts = {mark: "\n".join(found).strip() for mark, found in record.items()}
    return {"T": "", "W": ""} | texts | {"I": texts["I"].lstrip("0")}


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(path, "is not text in UTF-8") from error


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where}: {first['msg']}" if where else first["msg"]
