"""What a protocol gives: one row a question and condition, and figures over them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.evaluation.bootstrap import Interval, interval
from app.evaluation.rag.abstention import Judged, figures
from app.evaluation.rag.asking import Asker, OpenSet, Run

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Row:
    """One question under one condition; `scores` are what was measured, `answerable` where known."""

    id: str
    condition: str
    run: Run
    scores: Mapping[str, float]
    answerable: bool | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the row for comparisons."""
        return {
            "id": self.id,
            "condition": self.condition,
            "scores": {name: round(value, 4) for name, value in self.scores.items()},
            "answerable": self.answerable,
            **self.run.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Measured:
    """The outcome of a protocol on a set.

    `extra` are figures that are no mean over questions, by condition and name.
    """

    protocol: str
    set_name: str
    rows: Sequence[Row]
    extra: Mapping[str, Mapping[str, Interval]] = field(default_factory=dict)

    @property
    def conditions(self) -> list[str]:
        """The conditions in the order of their rows."""
        return list(dict.fromkeys(row.condition for row in self.rows))

    def of(self, condition: str) -> list[Row]:
        """Return the rows of a condition."""
        return [row for row in self.rows if row.condition == condition]

    def means(self, condition: str) -> dict[str, tuple[Interval, int]]:
        """Return each score's mean over the rows that have it, with their number."""
        rows = self.of(condition)
        names = dict.fromkeys(name for row in rows for name in row.scores)
        values = {name: [r.scores[name] for r in rows if name in r.scores] for name in names}
        return {name: (interval(found), len(found)) for name, found in values.items()}

    @property
    def judged(self) -> list[Judged]:
        """The rows whose answerability is known."""
        return [
            Judged(
                row.run.confidence,
                row.answerable,
                row.run.refused,
                not row.run.refused and row.scores.get("contained", 1.0) < 0.5,
            )
            for row in self.rows
            if row.answerable is not None
        ]

    def abstention(self) -> dict[str, Interval]:
        """Return the figures of knowing what can be answered; none without both kinds."""
        judged = self.judged
        both = {each.answerable for each in judged}
        return figures(judged) if len(both) > 1 else {}


class Measure(Protocol):
    """Measures one set."""

    async def __call__(
        self, asker: Asker, opened: OpenSet, limit: int | None, progress: Progress
    ) -> Measured:
        """Return rows for the first `limit` questions."""
        ...


def counted(items: Sequence[Any], what: str, progress: Progress) -> Iterable[Any]:
    """Yield items and tell how many are done."""
    for at, item in enumerate(items, start=1):
        yield item
        progress(what, at, len(items))
