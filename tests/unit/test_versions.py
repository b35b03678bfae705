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


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (("a.md", "检修规程 第二版"), ("b.md", "检修规程 第三版")),
        (("a.md", "检修规程（第九版）"), ("b.md", "检修规程（第十版）")),
        (("a.md", "安全规程V1.9"), ("b.md", "安全规程V1.10")),
        (("a.md", "安全规程（2023年版）"), ("b.md", "安全规程（2024年版）")),
        (("a.md", "安全规程"), ("b.md", "安全规程 修订版")),
        (("a.md", "考勤制度（试行）"), ("b.md", "考勤制度")),
        (("a.md", "Travel Policy (Rev A)"), ("b.md", "Travel Policy (Rev B)")),
        (("a.md", "Pump manual, 2nd edition"), ("b.md", "Pump manual, 3rd edition")),
        (("a.md", "QX-2025-094 Rev 1"), ("b.md", "QX-2025-094 Rev 2")),
        (("a.md", "SC-2025-01-R1 阀门方案"), ("b.md", "SC-2025-01-R2 阀门方案")),
        (("a.md", "QX-2025-094 Rev 1 检修方案"), ("b.md", "QX-2025-094 Rev 2 检修方案")),
        (("spec_v2.docx", "Pump Specification"), ("spec_v10.docx", "Pump Specification")),
        (("spec-draft.docx", "Pump Specification"), ("spec-final.docx", "Pump Specification")),
        (("spec.docx", "Pump Specification"), ("spec_v2.docx", "Pump Specification")),
    ],
)
@pytest.mark.parametrize("date", [None, "2024-05-01"])
def test_edition_in_title_or_name_orders_versions(
    older: tuple[str, str], newer: tuple[str, str], date: str | None
) -> None:
    papers = [
        Paper("new", newer[1], date, name=newer[0]),
        Paper("old", older[1], date, name=older[0]),
    ]
    assert newest_versions(papers) == {"old": "new", "new": None}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("a.md", "QX-2025-094"), ("b.md", "QX-2025-095")),
        (("a.md", "QX-2025-094 Rev 1"), ("b.md", "QX-2025-095 Rev 2")),
        (("pump_v1.docx", "Specification"), ("valve_v2.docx", "Specification")),
        (("a.md", "Final Inspection Procedure"), ("b.md", "Inspection Procedure")),
        (("a.md", "Meeting 2024-01-01"), ("b.md", "Meeting 2024-02-01")),
        (("a.md", "安全简报 2024年第1期"), ("b.md", "安全简报 2024年第2期")),
        (("a.md", "Q1 2024 Results"), ("b.md", "Q2 2024 Results")),
        (("a.md", "1号机规程 2023版"), ("b.md", "2号机规程 2024版")),
    ],
)
def test_numbers_that_are_no_editions_link_nothing(
    one: tuple[str, str], other: tuple[str, str]
) -> None:
    papers = [Paper("a", one[1], name=one[0]), Paper("b", other[1], name=other[0])]
    assert newest_versions(papers) == {"a": None, "b": None}
