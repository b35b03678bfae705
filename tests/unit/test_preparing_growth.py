"""Preparing grows with the text, whatever its shape, and not with the square of it."""

import time
from collections.abc import Callable

import pytest

from app.ingest import dates
from app.ingest.atoms import SplitLimits
from app.ingest.converters.converted import Converted
from app.ingest.preparing import Prepared, prepare

LIMITS = SplitLimits()


def prepared(text: str) -> Prepared:
    """Return a Markdown text prepared."""
    return prepare("kb", "file.md", Converted(text, True), LIMITS, "made")


def prose(size: int) -> str:
    """Return paragraphs under one heading."""
    words = "the pressure of the water pump is checked by the operator of the shift "
    return "# Manual\n\n## Operation\n\n" + "\n\n".join(
        f"Paragraph {number}: {words * 5}." for number in range(size // 380)
    )


def rows(size: int) -> str:
    """Return one long table."""
    return "## Sheet\n\n| no | name | remark |\n|---|---|---|\n" + "\n".join(
        f"| {number} | pump {number} | checked by the operator |" for number in range(size // 45)
    )


def columns(size: int) -> str:
    """Return a table that is all header."""
    count = size // 12
    names = "".join(f" c{number} |" for number in range(count))
    return f"## Sheet\n\n|{names}\n|{'---|' * count}\n|{' 1 |' * count}\n"


def fields(size: int) -> str:
    """Return one record of very many short fields."""
    return "## Record\n\n" + "\n".join(f"- k{number}: {number}" for number in range(size // 14))


def cell(size: int) -> str:
    """Return a table whose one row is one very long cell."""
    return f"| a | b |\n|---|---|\n| {'pump water, ' * (size // 12)} | 2 |\n"


@pytest.mark.parametrize("shape", [prose, rows, columns, fields, cell])
def test_twice_the_text_takes_less_than_three_times_as_long(shape: Callable[[int], str]) -> None:
    prepared(shape(5_000))  # what is loaded once
    once, twice = (min(_seconds(shape(size)) for _ in range(2)) for size in (150_000, 300_000))
    assert twice < 3 * once


def test_section_of_many_passages_is_read_for_its_date_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = 0
    labelled = dates.labelled_date

    def count(text: str) -> str | None:
        nonlocal read
        read += len(text)
        return labelled(text)

    monkeypatch.setattr(dates, "labelled_date", count)
    text = prose(100_000)
    assert len(prepared(text).passages) > 100
    assert len(text) * 0.9 < read < len(text) * 1.2


def test_section_states_its_date_for_all_its_passages() -> None:
    text = prose(20_000).replace("Paragraph 0:", "Date: 2025-03-04. Paragraph 0:")
    assert {passage.date for passage in prepared(text).passages} == {"2025-03-04"}


def test_date_far_down_a_section_is_that_of_its_passage_alone() -> None:
    text = prose(40_000).replace("Paragraph 90:", "Paragraph 90, date: 2025-03-04,")
    dated = [passage for passage in prepared(text).passages if passage.date]
    assert ["Paragraph 90" in passage.text for passage in dated] == [True]


def test_header_of_very_many_columns_is_cut_at_a_cell() -> None:
    found = prepared(columns(60_000)).passages
    assert max(len(passage.text) for passage in found) <= LIMITS.maximum
    leads = {passage.lead for passage in found if passage.lead}
    assert len(leads) == 1
    names, delimiters = leads.pop().split("\n")
    assert len(names) + len(delimiters) <= 2_000
    assert names.startswith("| c0 | c1 |")
    assert names.endswith(" |")
    assert names.count("|") == delimiters.count("|") > 100


def _seconds(text: str) -> float:
    began = time.process_time()
    prepared(text)
    return time.process_time() - began
