"""Which documents are versions of each other, and which one is the newest."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Protocol

from app.ingest.editions import PLAIN, Edition, base_code, document_codes, edition, without_marks
from graphs.evidence.text import fold

_MIN_TITLE = 4
_YEAR = r"(?:19|20)\d\d"
_PERIODIC = re.compile(
    r"[日周月季年]报|[简快通]报|纪要|记录|台账|日志|汇编|总结|报告|缺陷|故障|事故|事件|工单"
    r"|会议(?!.*(?:制度|规定|办法|规则|规程))|例会"
    r"|\b(?:minutes|meetings?|agenda|bulletin|weekly|monthly|quarterly|daily|annual|reports?|logs?|records?|newsletter|diary"
    r"|incident|ticket|case|defect)\b",
    re.IGNORECASE,
)
"""Papers that appear again and again: the newer one does not replace the older one."""
_REPLACES = re.compile(
    r"supersed(?:es?|ing)|replac(?:es?|ing)|in place of|代替|替代|取代|废止|作废", re.IGNORECASE
)
_REPLACED = re.compile(
    r"(?:superseded|replaced)\s+by|被[^。\n]{0,40}(?:代替|替代|取代)", re.IGNORECASE
)
_NEGATED = re.compile(r"\bnot\s+$|n't\s+$|[不未非]\s*$", re.IGNORECASE)
_SENTENCE = re.compile(r"[^。；;\n]+")
_READ = 200_000


class VersionFacts(Protocol):
    """What is compared of a document."""

    @property
    def id(self) -> str: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def date(self) -> str | None: ...  # noqa: D102
    @property
    def codes(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def supersedes(self) -> tuple[str, ...]: ...  # noqa: D102


def superseded_codes(text: str) -> list[str]:
    """Return the codes that the text says it replaces ("Supersedes POL-2023-05", 代替 POL-2023-05)."""
    found: dict[str, None] = {}
    for sentence in _SENTENCE.finditer(text[:_READ]):
        part = sentence.group()
        statement = _REPLACES.search(part)
        if (
            statement is None
            or _REPLACED.search(part)
            or _NEGATED.search(part[: statement.start()])
        ):
            continue
        found.update(dict.fromkeys(document_codes(part)))
    return list(found)


def without_version(title: str) -> str:
    """Return the title folded, without codes, dates, version numbers and punctuation."""
    return re.sub(r"[\W_]+", "", fold(without_marks(title)))


def newest_versions(documents: Sequence[VersionFacts]) -> dict[str, str | None]:
    """Return for every document id the id of its newest version, None for the newest itself.

    Documents belong together when their titles without dates and version numbers are equal, or
    when one states that it replaces the other's code. What has no order is left alone.
    """
    newer: dict[str, set[str]] = {document.id: set() for document in documents}
    """Document id to the ids of what replaces it directly."""
    for pair in (*_stated(documents), *_titled(documents)):
        if pair[0] not in newer[pair[1]]:  # the first statement of an order wins
            newer[pair[0]].add(pair[1])
    order = {document.id: (_order(document), document.id) for document in documents}
    result: dict[str, str | None] = {}
    for document in documents:
        ahead = _reachable(document.id, newer)
        last = [key for key in ahead if not newer[key]]
        result[document.id] = max(last, key=order.__getitem__) if last else None
    return result


def _stated(documents: Sequence[VersionFacts]) -> Iterator[tuple[str, str]]:
    """Yield (older, newer) where the newer one names a code of the older one."""
    owners: dict[str, list[VersionFacts]] = defaultdict(list)
    for document in documents:
        for code in document.codes:
            owners[code].append(document)
    for document in documents:
        for code in document.supersedes:
            for other in owners[code]:
                if other.id != document.id and code not in document.codes:
                    yield other.id, document.id


def _titled(documents: Sequence[VersionFacts]) -> Iterator[tuple[str, str]]:
    """Yield (older, newer) for neighbours among the documents of one title or number."""
    groups: dict[str, list[VersionFacts]] = defaultdict(list)
    for document in documents:
        if _PERIODIC.search(document.title) is None:
            groups[_key(document)].append(document)
    groups.pop("", None)
    for group in groups.values():
        ranked = sorted(group, key=lambda document: (_order(document), _named(document)))
        for older, newer in pairwise(ranked):
            if _is_older(older, newer) and not _same_series(older, newer):
                yield older.id, newer.id


def _key(document: VersionFacts) -> str:
    """Return what versions of one document share: the title, or the number of a bare numbered one."""
    title = without_version(document.title)
    if len(title) >= _MIN_TITLE:
        return title
    own = document_codes(document.title)
    stated = edition(document.title) != PLAIN or _named(document) != PLAIN
    return base_code(own[0]) if own and stated and not title else ""


def _is_older(one: VersionFacts, other: VersionFacts) -> bool:
    """Tell whether the date or the edition orders two papers; a file name's only beside its like."""
    if _order(one) != _order(other):
        return _order(one) < _order(other)
    alike = without_version(_stem(one)) == without_version(_stem(other))
    return alike and _named(one) < _named(other)


def _same_series(one: VersionFacts, other: VersionFacts) -> bool:
    """Tell whether both carry codes of one family and one year: two papers, not two versions."""
    left = {base_code(code) for code in document_codes(one.title)}
    right = {base_code(code) for code in document_codes(other.title)}
    return not left & right and bool(set(map(_family, left)) & set(map(_family, right)))


def _family(code: str) -> tuple[str, tuple[str, ...]]:
    years = re.findall(rf"(?<!\d){_YEAR}(?!\d)", code)
    return code[: len(code) - len(code.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ"))], tuple(years)


def _reachable(key: str, newer: Mapping[str, set[str]]) -> set[str]:
    """Return everything that replaces `key`, directly or through others."""
    found: set[str] = set()
    queue = [key]
    while queue:
        for ahead in newer[queue.pop()]:
            if ahead not in found and ahead != key:
                found.add(ahead)
                queue.append(ahead)
    return found


def _order(document: VersionFacts) -> tuple[str, Edition, tuple[int, ...]]:
    """Return what makes one version newer: its date, its edition, then the numbers of its title."""
    numbers = tuple(int(part) for part in re.findall(r"\d{1,9}", document.title))
    return document.date or "", edition(document.title), numbers


def _named(document: VersionFacts) -> Edition:
    return edition(_stem(document))


def _stem(document: VersionFacts) -> str:
    return PurePosixPath(document.name).stem
