"""The years of a question, and what of the evidence is of them."""

import pytest
from evidence_parts import evidence, facet, passage

from graphs.ask.records import SubQuestion
from graphs.evidence.freshness import freshness
from graphs.evidence.lines import take_apart
from graphs.evidence.passages import Passage
from graphs.evidence.scorer import FieldReading, SentenceScore
from graphs.evidence.years import Times, years, years_asked

DAYS = "Employees get {} days of leave."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Leave Policy 2023", {"2023"}),
        ("the budget in 2023", {"2023"}),
        ("差旅办法（2023年版）", {"2023"}),
        ("2023版差旅办法", {"2023"}),
        ("FY2023", {"2023"}),
        ("Plan 2021-2023", {"2021", "2022", "2023"}),
        ("| Item | 2022 | 2023 |", {"2022", "2023"}),
        ("二〇二三年", {"2023"}),
        ("Supersedes HR-LV-2023-01", set()),
        ("报销 2000 元", set()),
        ("a load of 2000 kg", set()),
        ("serial number 120251", set()),
    ],
)
def test_years_of_a_text_are_read_and_measures_are_none(text: str, expected: set[str]) -> None:
    assert years(text) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What was the budget in 2023?", {"2023"}),
        ("How many days does Leave Policy 2023 give?", {"2023"}),
        ("2022年版差旅办法的报销期限是多少？", {"2022"}),
        ("How did leave change from 2023 to 2024?", {"2023", "2024"}),
        ("Who joined since 2021?", set()),
        ("Until 2025, how many days may be carried over?", set()),
        ("2023年以前的制度还有效吗？", set()),
        ("截至2024年底有多少员工？", set()),
    ],
)
def test_year_that_only_bounds_a_time_is_not_asked_for(question: str, expected: set[str]) -> None:
    assert years_asked(question) == expected


def kept(question: str, item: Passage, *others: Passage, part: str = "") -> list[str]:
    """Return the sentences of a passage that fit the question's years."""
    text = take_apart(item)
    scores = tuple(
        SentenceScore(i, line.start, line.end, 0.9, 0.9, True)
        for i, line in enumerate(text.lines)
        if line.kind != "heading"
    )
    sub = SubQuestion(id="q1", text=part or question, depends_on=[])
    times = Times.of(question, [sub], [evidence(p) for p in (item, *others)])
    reading = times.limit(facet("f1"), item, FieldReading(1.0, 0.9, scores))
    assert reading.strength == (0.9 if reading.sentences else 0.0)
    return [item.text[s.start : s.end] for s in reading.sentences]


OLD = passage(DAYS.format(20), "old", title="Leave Policy 2023", superseded_by="d24")
NEW = passage(DAYS.format(24), "new", title="Leave Policy 2024", document_id="d24")


@pytest.mark.parametrize(
    "question",
    [
        "How many days of leave does Leave Policy 2023 give?",
        "How many days of leave were there in 2023?",
        "2023年版的假期有几天？",
    ],
)
def test_version_of_the_year_that_is_asked_fits_and_another_does_not(question: str) -> None:
    assert kept(question, OLD, NEW) == [OLD.text]
    assert kept(question, NEW, OLD) == []


def test_version_that_only_mentions_the_year_does_not_fit() -> None:
    text = f"It replaces the Leave Policy 2023. {DAYS.format(24)}"
    item = passage(text, title="Leave Policy 2024", document_id="d24")
    assert DAYS.format(24) not in kept("How many days of leave were there in 2023?", item, OLD)


def test_year_of_the_context_holds_for_the_part_without_one() -> None:
    question, part = (
        "In 2023, how many days of leave did we get?",
        "how many days of leave did we get?",
    )
    assert kept(question, NEW, OLD, part=part) == []
    assert kept(question, OLD, NEW, part=part) == [OLD.text]


def test_without_a_year_nothing_is_left_out() -> None:
    assert kept("How many days of leave are there?", OLD, NEW) == [OLD.text]


@pytest.mark.parametrize(("year", "expected"), [("2022", "1.2"), ("2023", "1.5"), ("2021", "")])
@pytest.mark.parametrize(
    "text",
    [
        "The budget was 1.2 million in 2022. The budget was 1.5 million in 2023.",
        "Year: 2022\nBudget: 1.2 million\nYear: 2023\nBudget: 1.5 million",
        "2022年预算为1.2亿元。2023年预算为1.5亿元。",
        "## 2022\n\nThe budget was 1.2 million.\n\n## 2023\n\nThe budget was 1.5 million.",
    ],
)
def test_year_inside_a_text_picks_its_sentence(text: str, year: str, expected: str) -> None:
    said = " ".join(kept(f"What was the budget in {year}?", passage(text)))
    assert [value for value in ("1.2", "1.5") if value in said] == ([expected] if expected else [])


def test_row_fits_by_the_years_of_its_columns() -> None:
    table = passage("| Item | 2022 | 2023 |\n|---|---|---|\n| Budget | 1.2 million | 1.5 million |")
    assert any("Budget" in row for row in kept("What was the budget in 2023?", table))
    assert not any("Budget" in row for row in kept("What was the budget in 2021?", table))


def test_document_without_any_year_still_fits() -> None:
    handbook = passage(DAYS.format(21), title="Handbook")
    assert kept("How many days of leave were there in 2023?", handbook) == [handbook.text]


@pytest.mark.parametrize(
    ("question", "fits"),
    [
        ("How many days of leave were there in 2023?", True),
        ("How many days of leave were there in 2024?", False),
        ("How many days of leave were there in 2021?", False),
        ("How many days of leave does Leave Policy 2023 give?", False),
    ],
)
def test_dated_version_holds_until_the_next_one_but_is_no_edition_of_later_years(
    question: str, fits: bool
) -> None:
    since = passage(DAYS.format(22), title="Leave", date="2022-01-01", superseded_by="d24")
    later = passage(DAYS.format(24), title="Leave", date="2024-01-01", document_id="d24")
    assert kept(question, since, later) == ([since.text] if fits else [])


def test_freshness_counts_passages_of_a_bare_year() -> None:
    asked = [facet("f1", text="How many days of leave were there in 2023?")]
    assert freshness([evidence(OLD), evidence(NEW)], asked) == 0.5
    assert freshness([evidence(NEW)], asked) == 0.0
