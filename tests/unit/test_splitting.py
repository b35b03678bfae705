from itertools import pairwise

import pytest

from app.ingest.atoms import SplitLimits
from app.ingest.splitting import Piece, split


def texts(text: str, markdown: bool = True, limits: SplitLimits | None = None) -> list[str]:
    return [text[piece.start : piece.end] for piece in split(text, markdown, limits).pieces]


def pieces(text: str, markdown: bool = True) -> list[Piece]:
    return split(text, markdown).pieces


SENTENCE = "循环水泵出口压力正常，凝汽器端差增大，应检查管束是否结垢。"


def test_short_section_with_subsections_stays_one_piece() -> None:
    text = "# 规程\n\n说明。\n\n## QX-2025-094 滤网\n\n### 现象\n压差升高。\n\n### 处理措施\n人工清理。\n\n## 下一节\n内容。\n"
    found = pieces(text)
    assert [piece.section for piece in found] == [
        ("规程",),
        ("规程", "QX-2025-094 滤网"),
        ("规程", "下一节"),
    ]
    assert text[found[1].start : found[1].end].endswith("人工清理。")


def test_large_section_divides_at_subsections() -> None:
    text = f"## 甲\n\n### 一\n{SENTENCE * 15}\n\n### 二\n{SENTENCE * 15}\n"
    found = pieces(text)
    assert [piece.section for piece in found] == [("甲", "一"), ("甲", "二")]
    assert text[found[0].start :].startswith("## 甲\n\n### 一\n")


def test_heading_without_text_goes_with_its_first_subsection() -> None:
    assert texts("# 标题\n\n## 第一\n内容甲。\n") == ["# 标题\n\n## 第一\n内容甲。"]


def test_front_lines_belong_to_the_title_piece() -> None:
    found = texts(
        "---\ntitle: x\ndate: 2025-01-02\n---\n草案。\n\n# 标题\n正文。\n\n## 节\n内容。\n"
    )
    assert found[0].startswith("---\ntitle: x")
    assert found[0].endswith("正文。")


def test_setext_headings_divide_and_name_sections() -> None:
    text = "Manual\n======\n\nIntro.\n\nStart\n-----\n\nPress the button.\n"
    assert [piece.section for piece in pieces(text)] == [("Manual",), ("Manual", "Start")]


def test_rule_divides_records_without_headings() -> None:
    found = texts("记录甲：滤网堵塞。\n\n---\n\n记录乙：测点漂移。\n")
    assert found == ["记录甲：滤网堵塞。\n\n---", "记录乙：测点漂移。"]


def test_table_is_never_divided_below_its_limit() -> None:
    rows = "\n".join(f"| 测点{i} | {i}.5 kPa | 正常范围以内 |" for i in range(50))
    text = (
        f"## 表\n\n说明如下：\n\n| 名称 | 值 | 说明 |\n|---|---|---|\n{rows}\n\n{SENTENCE * 10}\n"
    )
    found = pieces(text)
    table = found[0]
    assert table.kind == "table"
    assert rows in text[table.start : table.end]
    assert text[table.start : table.end].startswith("## 表\n\n说明如下：")


def test_huge_table_is_divided_between_rows_only() -> None:
    rows = [f"| 测点{i} | {i}.5 kPa | 正常范围以内 |" for i in range(300)]
    text = "| 名称 | 值 | 说明 |\n|---|---|---|\n" + "\n".join(rows)
    lines = [line for part in texts(text) for line in part.split("\n")]
    assert lines == text.split("\n")


def test_list_item_keeps_its_continuation_and_nested_items() -> None:
    item = f"1. 第一步：{SENTENCE * 14}\n   续行说明。\n   - 子项甲\n   - 子项乙\n\n   仍属第一步。"
    text = f"{item}\n2. 第二步：{SENTENCE * 8}\n3. 第三步：{SENTENCE * 8}\n"
    assert texts(text)[0] == item


def test_fence_hides_headings_and_stays_whole() -> None:
    fence = "```\n# no heading\n\n- no item\n```"
    found = pieces(f"## 节\n\n{fence}\n\n后文。\n")
    assert len(found) == 1
    assert found[0].section == ("节",)


def test_unclosed_fence_does_not_swallow_headings() -> None:
    assert [piece.section for piece in pieces("## 甲\n```\ncode\n\n## 乙\n内容。\n")] == [
        ("甲",),
        ("乙",),
    ]


def test_long_section_divides_at_paragraphs_evenly() -> None:
    text = "## 节\n\n" + "\n\n".join(f"段{i}。{SENTENCE * 6}" for i in range(6))
    found = texts(text)
    assert all(len(part) <= 600 for part in found)
    assert all(part.startswith(("## 节", "段")) for part in found)
    assert max(map(len, found)) < 2 * min(map(len, found))


def test_leaf_section_slightly_over_the_limit_stays_one() -> None:
    text = "## 检查顺序\n\n" + "\n".join(f"{i}. {'检查系统' * 15}。" for i in range(1, 11))
    assert 600 < len(text) <= 700
    assert len(texts(text)) == 1


def test_tiny_sections_merge_below_level_two_only() -> None:
    big = SENTENCE * 20
    text = f"## 甲\n\n### 一\n{big}\n\n### 二\n短。\n\n### 三\n短。\n\n## 乙\n短。\n"
    sections = [piece.section for piece in pieces(text)]
    assert sections == [("甲", "一"), ("甲",), ("乙",)]


@pytest.mark.parametrize("line", ["字" * 1_000_000, SENTENCE * 40_000, "x" * 1_000_000])
def test_one_line_of_a_megabyte_is_cut_below_the_limit(line: str) -> None:
    found = texts(line)
    assert "".join(found) == line
    assert max(map(len, found)) <= 600


def test_long_line_is_cut_at_sentence_ends() -> None:
    assert all(part.endswith("。") for part in texts(SENTENCE * 100))


def test_plain_text_headings_make_sections() -> None:
    text = "管理规定\n\n第一章 总则\n内容甲。\n\n一、范围\n内容乙。\n\n2. Scope\nText.\n\n2.1 Detail\nMore text here.\n"
    sections = [piece.section for piece in pieces(text, markdown=False)]
    assert ("管理规定", "第一章 总则") in sections
    assert ("管理规定", "一、范围") in sections
    assert any(section[:2] == ("管理规定", "2. Scope") for section in sections)


def test_plain_line_that_stands_alone_above_its_text_is_a_heading() -> None:
    text = (
        "员工手册\n\n公司简介\n\n本公司成立于二〇一〇年，主要从事电站设备检修。\n\n福利\n\n- 年假\n- 体检\n\n"
        "Remote Work\n\nEmployees may work remotely for up to three days per week.\n"
    )
    assert [piece.section for piece in pieces(text, markdown=False)] == [
        ("员工手册", "公司简介"), ("员工手册", "福利"), ("员工手册", "Remote Work"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "诗一首\n\n春眠不觉晓\n\n处处闻啼鸟\n\n夜来风雨声\n",
        "通知正文在此。\n\n人事部\n\n2024年5月\n",
        "说明在此。\n\n2024\n\n这一年没有发生停机事件，运行情况良好，各项指标都在控制范围之内。\n",
        "说明在此。\n\n电话：8001\n\n工作日上午九点到下午五点都可以拨打这个电话，其他时间请留言。\n",
        "说明在此。\n\nand so on\n\nThis paragraph goes on with what the line above it began to say.\n",
    ],
)
def test_short_plain_line_that_heads_nothing_is_no_heading(text: str) -> None:
    assert all(len(piece.section) < 2 for piece in pieces(text, markdown=False))


def test_plain_numbered_list_is_no_heading() -> None:
    text = "步骤\n\n1. 检查电流\n2. 检查压力\n\n3. 检查流量\n"
    assert [piece.section for piece in pieces(text, markdown=False)] == [("步骤",)]


def test_sentence_with_a_number_is_no_heading() -> None:
    text = "前言说明。\n\n1. 本规定自发布之日起施行，由设备部解释。\n"
    assert [piece.section for piece in pieces(text, markdown=False)] == [()]


def test_heading_marks_are_not_part_of_the_section() -> None:
    assert pieces("## **Hotel `rules`** ##\nText.\n")[0].section == ("Hotel rules",)


def test_hash_before_a_number_is_no_heading() -> None:
    assert pieces("#1机组运行正常。\n")[0].section == ()


def test_pieces_are_the_same_every_time() -> None:
    text = "# 标题\n" + "".join(f"\n## 节{i}\n{SENTENCE * (i % 30)}\n" for i in range(40))
    first, second = split(text, True), split(text, True)
    assert first == second
    assert all(a.end <= b.start for a, b in pairwise(first.pieces))


def test_kind_of_a_list_is_list() -> None:
    assert pieces("## 处理\n\n1. 提高冲洗水压力并确认\n2. 人工辅助清理杂物\n")[0].kind == "list"
