"""JSON lines and JSON arrays: a table where the records are flat and short, else sections."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.ingest.converters.converted import Converted, FileRejected
from app.ingest.converters.paragraphs import Paragraph, join, one_line
from app.ingest.converters.tables import simple_table
from app.ingest.decoding import check_text, decode, lines_fed
from graphs.evidence.text import is_cjk

_TITLES = ("title", "标题", "题名", "题目", "name", "名称", "subject", "主题", "question", "问题")
_IDS = ("id", "_id", "编号", "code", "key", "序号", "uuid")
_BODIES = frozenset({"text", "content", "body", "正文", "内容", "全文", "passage", "document"})
_COLUMNS = 16
_ROW = 300
"""Mean characters of a record up to which records are rows of a table."""
_CELL = 600
_SHORT = 160

Fields = dict[str, str]


def read(data: bytes) -> Converted:
    """Return records as Markdown; raise FileRejected where a line is no JSON."""
    text = lines_fed(decode(data))
    check_text(text)
    paragraphs = describe([_fields(record) for record in _records(text)])
    return Converted(join(paragraphs)[0], markdown=True)


def describe(records: Sequence[Fields], fewest: int = 2) -> list[Paragraph]:
    """Return records as one table, or as a section each where they are long, differ or are few."""
    columns = list(dict.fromkeys(key for record in records for key in record))
    lengths = [sum(map(len, record.values())) for record in records]
    longest = max((len(value) for record in records for value in record.values()), default=0)
    filled = sum(map(len, records)) * 2 >= len(columns) * len(records)
    prose = any(_is_long(value) and _is_body(key) for record in records
                for key, value in record.items())  # fmt: skip
    multiline = any(
        value.strip().count("\n") > 2 for record in records for value in record.values()
    )
    mean = sum(lengths) / max(len(lengths), 1)
    tabular = len(columns) <= _COLUMNS and mean <= _ROW and longest <= _CELL
    if (
        len(records) >= fewest
        and filled
        and tabular
        and not (prose or multiline)
        and len(columns) > 1
    ):
        rows = [columns, *([record.get(key, "") for key in columns] for record in records)]
        return [Paragraph(block, ready=True) for block in simple_table(rows)]
    return [part for n, record in enumerate(records, 1) for part in _section(record, n)]


def _section(record: Fields, number: int) -> Iterator[Paragraph]:
    """Yield a heading from the record's title or id, its long texts, then its short fields."""
    named = _first(record, _TITLES) or _first(record, _IDS)
    word = "记录" if any(map(is_cjk, record)) else "Record"
    yield Paragraph(one_line(record[named]) if named else f"{word} {number}", level=2)
    for key, value in record.items():
        if key != named and value.strip() and not _is_long(value):
            yield Paragraph(f"- {key}: {one_line(value)}", ready=True)
    for key, value in record.items():
        if key == named or not _is_long(value):
            continue
        if not _is_body(key):
            yield Paragraph(f"{key}:")
        for part in value.split("\n\n"):
            yield Paragraph(part)


def _is_body(key: str) -> bool:
    return key.lower().rsplit(".", 1)[-1] in _BODIES


def _is_long(value: str) -> bool:
    return len(value) > _SHORT or "\n" in value.strip()


def _first(record: Fields, names: Sequence[str]) -> str | None:
    """Return the record's key for the first of `names` that holds a short value."""
    keys = {key.lower(): key for key in record}
    found = (keys[name] for name in names if name in keys)
    return next((k for k in found if record[k].strip() and not _is_long(record[k])), None)


def _records(text: str) -> list[Any]:
    """Return the records of JSON lines, of one array, or of the one list that an object holds."""
    try:
        whole = json.loads(text)
    except ValueError:
        return list(_lines(text))
    if isinstance(whole, dict):
        lists = [v for v in whole.values() if isinstance(v, list) and v and _all_objects(v)]
        if len(lists) == 1 and all(not isinstance(v, dict) for v in whole.values()):
            return list(lists[0])
        return [whole]
    return whole if isinstance(whole, list) else [whole]


def _lines(text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield json.loads(line)
        except ValueError as error:
            raise FileRejected(
                "corrupt", f"line {number} is not JSON: {error}",
                "put one JSON object in each line, or one array in the file",
            ) from error  # fmt: skip


def _all_objects(values: Iterable[Any]) -> bool:
    return all(isinstance(value, dict) for value in values)


def _fields(record: Any) -> Fields:
    """Return the fields of a record by their path: {"a": {"b": 1}} gives {"a.b": "1"}."""
    if not isinstance(record, dict):
        return {"value" if not isinstance(record, str) else "text": _value(record)}
    return {key: value for key, value in _flat(record, "") if value}


def _flat(record: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    for key, value in record.items():
        path = f"{above}.{key}" if above else str(key)
        if isinstance(value, dict):
            yield from _flat(value, path)
        elif isinstance(value, list) and value and _all_objects(value):
            for number, item in enumerate(value, 1):
                yield from _flat(item, f"{path}.{number}")
        else:
            yield path, _value(value)


def _value(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(item, dict | list) for item in value):
        parts = [_value(item) for item in value]
        return ("、" if any(map(is_cjk, parts)) else ", ").join(filter(None, parts))
    return json.dumps(value, ensure_ascii=False)
