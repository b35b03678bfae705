import pytest
from evidence_parts import passage

from graphs.evidence.lines import take_apart
from graphs.evidence.table_rows import Key, strangers

PARTS = """| 备件编码 | 名称 | 库存数量 |
|---|---|---|
| SP-1001 | 滤芯 | 12 |
| SP-1002 | 皮带 | 30 |
| SP-1003 | 滤芯 | 7 |
"""
COUNTS = """| 日期 | 负责人 | 差异数量 |
|---|---|---|
| 2024-06-30 | 林佳怡 | 3 |
| 2024-09-30 | 周航 | 7 |
"""


def rows_about(table: str, *keys: Key) -> list[str]:
    """Return the rows that are no strangers."""
    item = passage(table)
    others = strangers(item, keys)
    lines = take_apart(item).lines
    return [line.text for i, line in enumerate(lines) if line.kind == "row" and i not in others]


@pytest.mark.parametrize(
    ("table", "keys", "expected"),
    [
        (PARTS, [Key("code", "SP-1002", 5.0)], ["| SP-1002 | 皮带 | 30 |"]),
        (PARTS, [Key("word", "皮带", 3.0)], ["| SP-1002 | 皮带 | 30 |"]),
        (
            PARTS,
            [Key("word", "滤芯", 3.0), Key("code", "SP-1003", 5.0)],
            ["| SP-1003 | 滤芯 | 7 |"],
        ),
        (COUNTS, [Key("time", "2024-06-30", 5.0)], ["| 2024-06-30 | 林佳怡 | 3 |"]),
        (COUNTS, [Key("time", "2024-09", 5.0)], ["| 2024-09-30 | 周航 | 7 |"]),
        (COUNTS, [Key("word", "7", 3.0)], ["| 2024-09-30 | 周航 | 7 |"]),
    ],
)
def test_only_the_row_that_holds_the_key_is_left(
    table: str, keys: list[Key], expected: list[str]
) -> None:
    assert rows_about(table, *keys) == expected


def test_rows_that_share_the_key_are_all_left() -> None:
    assert len(rows_about(PARTS, Key("word", "滤芯", 3.0))) == 2


def test_two_rows_that_are_asked_for_together_are_both_left() -> None:
    keys = [Key("code", "SP-1001", 5.0), Key("code", "SP-1002", 5.0)]
    assert len(rows_about(PARTS, *keys)) == 2


@pytest.mark.parametrize("word", ["库存数量", "压力"])
def test_a_column_and_an_unknown_word_name_no_row(word: str) -> None:
    assert len(rows_about(PARTS, Key("word", word, 3.0))) == 3


def test_what_the_heading_names_holds_for_all_rows() -> None:
    headed = passage(PARTS, section=("SP-1002 的部件",))
    assert strangers(headed, [Key("code", "SP-1002", 5.0)]) == frozenset()


def test_a_code_of_the_document_still_names_its_row() -> None:
    listed = passage(PARTS, codes=("SP-1001", "SP-1002"))
    assert len(strangers(listed, [Key("code", "SP-1002", 5.0)])) == 2


def test_no_keys_and_no_table_give_no_strangers() -> None:
    assert strangers(passage(PARTS), []) == frozenset()
    assert (
        strangers(passage("SP-1001 在库。\nSP-1002 缺货。"), [Key("code", "SP-1002", 5.0)])
        == frozenset()
    )


CLASSES = """| Class | Limit |
|---|---|
| A | 5 mg |
| B | 9 mg |
"""
WORDS = """| Filter | Pressure drop |
|---|---|
| Class A | 50 Pa |
| Class B | 90 Pa |
"""


@pytest.mark.parametrize("table", [CLASSES, WORDS])
def test_label_that_no_row_bears_makes_all_rows_strangers(table: str) -> None:
    others = [Key("word", "limit", 1.3), Key("word", "class", 1.0)]
    assert rows_about(table, *others, Key("word", "class d", 1.0)) == []
    [kept] = rows_about(table, *others, Key("word", "class b", 1.0))
    assert kept.split("|")[1].strip().endswith("B")


def test_code_that_no_row_bears_makes_rows_of_its_kind_strangers() -> None:
    assert rows_about(PARTS, Key("code", "SP-1400", 5.0)) == []
    assert len(rows_about(PARTS, Key("code", "QX-2025-001", 5.0))) == 3


def test_label_of_two_that_one_row_bears_leaves_that_row() -> None:
    keys = [Key("word", "class a", 1.0), Key("word", "class d", 1.0)]
    assert rows_about(CLASSES, *keys) == ["| A | 5 mg |"]


def test_label_that_stands_beside_the_table_names_the_whole_table() -> None:
    introduced = "The parts of SP-1400:\n\n" + PARTS
    assert len(rows_about(introduced, Key("code", "SP-1400", 5.0))) == 3
    headed = passage(CLASSES, section=("Class D devices",))
    assert strangers(headed, [Key("word", "class d", 1.0)]) == frozenset()


def test_label_of_another_kind_than_the_rows_names_none() -> None:
    assert len(rows_about(CLASSES, Key("word", "unit 3", 1.0))) == 2
