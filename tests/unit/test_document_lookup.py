"""Which document a caller means."""

import pytest

from app.adapters.documents_sqlite import DocumentInfo
from app.document_lookup import meant
from app.errors import InvalidRequest, UnknownDocument


def _info(id_: str, name: str, title: str, *codes: str) -> DocumentInfo:
    return DocumentInfo(
        id_, "kb", name, "v", title, None, "zh", codes, (), None, 1, 0.0, "made", near_duplicate_of=None
    )  # fmt: skip


DOCUMENTS = [
    _info("0a", "rules/2023/travel.md", "Travel Policy 2023"),
    _info("0b", "rules/2024/travel.md", "Travel Policy 2024"),
    _info("0c", "制度.docx", "差旅报销制度", "CW-2024-07"),
    _info("0d", "Fire Drill.txt", "Fire drill"),
]


@pytest.mark.parametrize(
    ("wanted", "id_"),
    [
        ("0b", "0b"),
        ("rules/2023/travel.md", "0a"),
        ("travel policy 2024", "0b"),
        ("ＴＲＡＶＥＬ policy 2024", "0b"),
        ("制度", "0c"),
        ("报销", "0c"),
        ("fire drill", "0d"),
        ("2023", "0a"),
        ("cw-2024-07", "0c"),
    ],
)
def test_id_name_title_or_a_part_of_one_is_enough(wanted: str, id_: str) -> None:
    assert meant(DOCUMENTS, wanted).id == id_


def test_name_that_two_documents_share_lists_both() -> None:
    with pytest.raises(InvalidRequest, match=r"2 documents .*2023/travel.md.*2024/travel.md"):
        meant(DOCUMENTS, "travel.md")


def test_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownDocument) as raised:
        meant(DOCUMENTS, "Fire dril.md")
    assert raised.value.hint.startswith("Did you mean Fire Drill.txt")


def test_name_like_no_other_points_to_the_list() -> None:
    with pytest.raises(UnknownDocument) as raised:
        meant(DOCUMENTS, "zzzzqqqq")
    assert "lists them" in raised.value.hint
