import pytest

from app.ingest.atoms import SplitLimits
from app.ingest.converters.converted import Converted
from app.ingest.own_codes import own_codes
from app.ingest.preparing import prepare


def test_codes_of_one_line_are_told_apart() -> None:
    text = (
        "# Leave policy\n\n"
        "Document HR-LV-2024-01, valid from 2024-01-01. Supersedes HR-LV-2023-01.\n\n"
        "Everyone has 30 days of leave.\n"
    )
    document = prepare("kb", "leave.md", Converted(text, True), SplitLimits(), "test").document
    assert document.codes == ("HR-LV-2024-01",)
    assert document.supersedes == ("HR-LV-2023-01",)


@pytest.mark.parametrize(
    ("head", "own"),
    [
        ("HR-LV-2024-01 supersedes HR-LV-2023-01", "HR-LV-2024-01"),
        ("Supersedes HR-LV-2023-01. Document HR-LV-2024-01", "HR-LV-2024-01"),
        ("Document No. HR-LV-2024-01. Supersedes No. HR-LV-2023-01.", "HR-LV-2024-01"),
        ("HR-LV-2023-01 is superseded by HR-LV-2024-01", "HR-LV-2023-01"),
        ("HR-LV-2023-01 已被 HR-LV-2024-01 代替", "HR-LV-2023-01"),
        ("文件编号：HR-LV-2024-01，代替 HR-LV-2023-01", "HR-LV-2024-01"),
        ("文件编号：HR-LV-2024-01，原 HR-LV-2023-01 同时废止", "HR-LV-2024-01"),
        ("编号：HR-LV-2024-01；HR-LV-2023-01、HR-LV-2022-01 作废。", "HR-LV-2024-01"),
        ("编号 HR-LV-2024-01，依据 GB-T-19001 制定", "HR-LV-2024-01"),
    ],
)
def test_code_of_this_document_stands_apart_from_those_it_names(head: str, own: str) -> None:
    assert own_codes("", head) == (own,)


@pytest.mark.parametrize(
    "head",
    [
        "Supersedes HR-LV-2023-01.",
        "HR-LV-2023-01 is replaced by this policy.",
        "原 HR-LV-2023-01 同时废止。",
        "HR-LV-2023-01，自 2024 年起废止。",
        "HR-LV-2023-01 被本制度代替。",
        "See HR-LV-2023-01 for the former rules.",
    ],
)
def test_codes_of_other_documents_alone_name_nothing(head: str) -> None:
    assert own_codes("", head) == ()
    assert own_codes("Leave HR-LV-2024-01", head) == ("HR-LV-2024-01",)


PARTS = [f"SP-{number}" for number in range(1001, 1100)]


@pytest.mark.parametrize(
    "head",
    [
        "\n".join(f"- {code} 滤芯" for code in PARTS),
        "| 编码 | 名称 |\n|---|---|\n" + "\n".join(f"| {code} | 滤芯 |" for code in PARTS),
        "\n".join(f"编码：{code}\n名称：滤芯" for code in PARTS),
        f"适用于 {'、'.join(PARTS[:3])} 等备件。",
    ],
)
def test_entries_of_a_list_name_records_and_not_the_document(head: str) -> None:
    assert own_codes("备件清单", head) == ()
    assert own_codes("备件清单 PL-2025-01", head) == ("PL-2025-01",)
    assert own_codes("备件清单", f"文件编号：PL-2025-01\n{head}") == ("PL-2025-01",)


def test_labelled_code_stands_out_of_a_list_of_its_kind() -> None:
    head = "文件编号：QX-2025-001\n\n适用：QX-2025-094、QX-2025-095、QX-2025-096"
    assert own_codes("缺陷清单", head) == ("QX-2025-001",)
    assert own_codes("", "| 文件编号 | QX-2025-001 |\n| QX-2025-002 | QX-2025-003 |") == (
        "QX-2025-001",
    )


def test_passages_of_a_list_bear_the_codes_that_they_hold() -> None:
    text = "# 备件清单\n\n" + "\n".join(f"- {code} 滤芯，库位 A 区" for code in PARTS)
    made = prepare("kb", "parts.md", Converted(text, True), SplitLimits(), "test")
    assert made.document.codes == ()
    held = [code for codes in made.codes for code in codes]
    assert sorted(held) == PARTS
