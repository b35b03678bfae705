from typing import Any

from office_files import add_raw, merged_table, number_style, word

from app.ingest.converters.child import convert_here


def text_of(data: bytes) -> str:
    return convert_here(".docx", data).text


def test_heading_styles_become_headings_below_the_title() -> None:
    def build(document: Any) -> None:
        document.add_paragraph("凝汽器检修规程", style="Title")
        document.add_heading("总则", 1)
        document.add_heading("范围", 2)
        document.add_paragraph("本规程适用于凝汽器。")

    converted = convert_here(".docx", word(build, title="Microsoft Word - 规程.doc"))
    assert converted.text == (
        "# 凝汽器检修规程\n\n## 总则\n\n### 范围\n\n本规程适用于凝汽器。\n"
    )  # fmt: skip
    assert converted.markdown
    assert converted.pages == ()
    assert converted.title == ""
    assert converted.date == "2024-05-17"


def test_chinese_style_names_and_outline_levels_become_headings() -> None:
    def build(document: Any) -> None:
        for name in ("标题 1", "标题 2"):
            document.styles.add_style(name, 1)
        document.add_paragraph("第一部分", style="标题 1")
        document.add_paragraph("细则", style="标题 2")
        document.add_paragraph("内容。")
        document.add_paragraph("第二部分", style="标题 1")
        add_raw(document, '<w:pPr><w:outlineLvl w:val="1"/></w:pPr><w:r><w:t>大纲二级</w:t></w:r>')

    lines = [line for line in text_of(word(build)).split("\n") if line.startswith("#")]
    assert lines == ["## 第一部分", "### 细则", "## 第二部分", "### 大纲二级"]


def test_numbers_that_word_writes_stand_in_the_text() -> None:
    def build(document: Any) -> None:
        number_style(document, "Heading {}", [("chineseCounting", "第%1章"), ("decimal", "%1.%2")])
        for level, text in ((1, "总则"), (2, "范围"), (2, "术语"), (1, "运行"), (2, "启动")):
            document.add_heading(text, level)
        document.add_paragraph("先暖管", style="List Number")
        document.add_paragraph("后冲转", style="List Number")
        document.add_paragraph("注意", style="List Bullet")

    text = text_of(word(build))
    headings = [line.lstrip("# ") for line in text.split("\n") if line.startswith("#")]
    assert [line.split(" ")[-1] for line in headings] == ["总则", "范围", "术语", "运行", "启动"]
    assert headings[0].startswith("第一章")
    assert headings[3].startswith("第二章")
    assert "1. 先暖管\n2. 后冲转" in text
    assert "- 注意" in text


def test_headings_without_styles_are_found_by_their_numbers() -> None:
    def build(document: Any) -> None:
        for line in (
            "差旅管理办法", "一、总则", "第一条 为规范差旅，制定本办法。", "（一）适用范围",
            "本办法适用于全体员工。", "二、标准", "1. 飞机经济舱。", "2. 火车二等座。",
        ):  # fmt: skip
            document.add_paragraph(line)
        document.add_paragraph().add_run("特别说明").bold = True
        document.add_paragraph("解释权归人事部。")

    text = text_of(word(build))
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# 差旅管理办法", "## 一、总则", "### （一）适用范围", "## 二、标准", "#### 特别说明",
    ]  # fmt: skip
    assert "\n\n第一条 为规范差旅，制定本办法。\n\n" in text


def test_merged_cells_are_read_in_every_row_that_they_span() -> None:
    assert text_of(word(merged_table)) == (
        "| 设备 | 一季度 计划 | 一季度 完成 | 备注 |\n| --- | --- | --- | --- |\n"
        "| 真空泵 | 3 | 2\\|3 | 缓 |\n| 真空泵 | 5 | 5 |  |\n"
    )


def test_page_headers_deleted_and_hidden_text_are_left_out() -> None:
    def build(document: Any) -> None:
        document.sections[0].header.paragraphs[0].text = "页眉：内部资料"
        document.sections[0].footer.paragraphs[0].text = "第 1 页"
        add_raw(document, '<w:r><w:t>压力为</w:t></w:r><w:del><w:r><w:delText>2</w:delText></w:r></w:del>'
                          '<w:ins><w:r><w:t> 3 </w:t></w:r></w:ins><w:r><w:rPr><w:vanish/></w:rPr>'
                          '<w:t>密</w:t></w:r><w:r><w:t>MPa。</w:t></w:r>')  # fmt: skip

    assert text_of(word(build)) == "压力为 3 MPa。\n"


def test_table_of_contents_is_left_out() -> None:
    def build(document: Any) -> None:
        document.styles.add_style("toc 1", 1)
        document.add_paragraph("总则 ........ 3", style="toc 1")
        document.add_heading("总则", 1)
        document.add_paragraph("内容在此。")

    assert text_of(word(build)) == "# 总则\n\n内容在此。\n"


def test_text_boxes_are_read_once() -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>框内警告</w:t></w:r></w:p></w:txbxContent>"

    def build(document: Any) -> None:
        add_raw(document, f'<w:r><w:t>正文。</w:t></w:r><w:r><mc:AlternateContent><mc:Choice Requires="wps">'
                          f"{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>")  # fmt: skip

    assert text_of(word(build)) == "正文。\n\n框内警告\n"


def test_plain_words_are_not_read_as_markdown() -> None:
    def build(document: Any) -> None:
        document.add_paragraph("正文开始。")
        document.add_paragraph("#机组跳闸。")
        document.add_paragraph("---")

    assert text_of(word(build)) == "正文开始。\n\n    #机组跳闸。\n\n    ---\n"
