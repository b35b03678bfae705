import pytest

from app.ingest.dates import document_date, labelled_date


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("日期：2025-06-12", "2025-06-12"),
        ("**日期**：2025 年 6 月 12 日", "2025-06-12"),
        ("| 日期 | 2025/6/12 |", "2025-06-12"),
        ("- 发现日期: 2025.06.12", "2025-06-12"),
        ("Effective date: July 1, 2024", "2024-07-01"),
        ("**Effective date:** 2024-07-01", "2024-07-01"),
        ("This policy, effective from 1 July 2024, applies", "2024-07-01"),
        ("Dated 3rd March 2023", "2023-03-03"),
        ("生效日期：2025年3月", "2025-03-01"),
        ("日期：2025-13-40", None),
        ("到期后重新办理，2025-06-12 检查", None),
        ("update the date field", None),
    ],
)
def test_date_label_gives_the_date_that_follows(text: str, expected: str | None) -> None:
    assert labelled_date(text) == expected


@pytest.mark.parametrize(
    ("head", "body", "name", "expected"),
    [
        ("# 规程\n发布日期：2024-01-05\n生效日期：2024-02-01", "", "x.md", "2024-02-01"),
        ("# 规程", "本规程自2025年3月1日起施行。", "x.md", "2025-03-01"),
        ("# Travel policy (July 2024)", "", "x.md", "2024-07-01"),
        ("Memo\n\n2024-07-09\n", "", "x.md", "2024-07-09"),
        ("# 汇编\n统计期间：2025 年 4 月至 2025 年 10 月", "", "x.md", None),
        ("# Policy", "", "policy-2024-07.md", "2024-07-01"),
        ("# Policy", "", "2023/notes_20240709.md", "2024-07-09"),
        ("# Policy", "", "policy-2023.md", "2023-01-01"),
        ("# Policy", "", "policy-v2.md", None),
        ("# 记录", "会议于 2024-07-09 召开。", "x.md", None),
    ],
)
def test_document_date_comes_from_statement_then_name(
    head: str, body: str, name: str, expected: str | None
) -> None:
    assert document_date(head, body, name) == expected
