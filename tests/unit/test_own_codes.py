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
