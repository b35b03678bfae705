from dataclasses import dataclass

import pytest

from app.ingest.versions import newest_versions, superseded_codes, without_version


@dataclass(frozen=True)
class Paper:
    id: str
    title: str
    date: str | None = None
    codes: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    name: str = "x.md"


def test_same_title_with_other_year_links_to_the_newest() -> None:
    papers = [
        Paper("a", "Travel policy 2022", "2022-01-01"),
        Paper("b", "Travel Policy 2023", "2023-05-01"),
        Paper("c", "Travel policy (POL-2024-07)", "2024-07-01"),
    ]
    assert newest_versions(papers) == {"a": "c", "b": "c", "c": None}


def test_stated_replacement_links_other_titles() -> None:
    papers = [
        Paper("old", "Expense rules", None, ("POL-2023-05",)),
        Paper("new", "Travel and hotels", None, ("POL-2024-07",), ("POL-2023-05",)),
    ]
    assert newest_versions(papers) == {"old": "new", "new": None}


def test_stated_replacement_beats_the_dates() -> None:
    papers = [
        Paper("old", "差旅制度", "2025-01-01", ("CW-2023-01",)),
        Paper("new", "差旅制度", "2024-01-01", ("CW-2024-01",), ("CW-2023-01",)),
    ]
    assert newest_versions(papers) == {"old": "new", "new": None}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Travel policy 2023", "Travel security policy 2024"),
        ("1号机组运行规程", "2号机组运行规程"),
        ("用户手册 第1部分", "用户手册 第2部分"),
        ("POL-2023-05", "POL-2024-07"),
        ("规程", "规程"),
        ("缺陷单 QX-2025-071", "缺陷单 QX-2025-088"),
        ("设备检修单 QX-2025-071", "设备检修单 QX-2025-088"),
        ("运行月报 2025年1月", "运行月报 2025年2月"),
        ("Board minutes 2024-01-02", "Board minutes 2024-02-02"),
    ],
)
def test_papers_that_only_look_alike_stay_apart(one: str, other: str) -> None:
    papers = [Paper("a", one, "2023-01-01"), Paper("b", other, "2024-01-01")]
    assert newest_versions(papers) == {"a": None, "b": None}


def test_equal_titles_without_any_order_stay_apart() -> None:
    papers = [Paper("a", "Remote work guideline"), Paper("b", "Remote work guideline")]
    assert newest_versions(papers) == {"a": None, "b": None}


def test_mutual_statements_do_not_hang_and_keep_one() -> None:
    papers = [
        Paper("a", "Rules A", None, ("AA-2023-01",), ("AA-2024-01",)),
        Paper("b", "Rules B", None, ("AA-2024-01",), ("AA-2023-01",)),
    ]
    assert sorted(value is None for value in newest_versions(papers).values()) == [False, True]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This policy supersedes POL-2023-05.", ["POL-2023-05"]),
        ("替代文件：GC-YX-2022-05（自本规程生效之日起停止使用）", ["GC-YX-2022-05"]),
        ("本制度施行后，CW-2022-01 同时废止。", ["CW-2022-01"]),
        ("This policy does not replace POL-2023-05.", []),
        ("Superseded by POL-2024-07.", []),
        ("本规程已被 GC-2024-01 代替。", []),
        ("See POL-2023-05 for hotels.", []),
    ],
)
def test_replacement_statement_names_the_replaced_code(text: str, expected: list[str]) -> None:
    assert superseded_codes(text) == expected


def test_title_loses_codes_dates_and_version_numbers() -> None:
    assert without_version("Travel and Expense Policy (POL-2024-07), Version 2.1, July 2024") == (
        "travelandexpensepolicy"
    )
