from graphs.evidence.widening import as_shown


def shown(text: str, quote: str) -> list[str]:
    start = text.index(quote)
    return [text[a:b] for a, b in as_shown(text, start, start + len(quote))]


def test_a_line_that_leads_on_is_shown_with_its_list() -> None:
    text = "停泵步骤如下：\n1. 关阀\n2. 断电"
    assert shown(text, "停泵步骤如下：") == ["停泵步骤如下：", "1. 关阀", "2. 断电"]


def test_a_line_that_points_to_a_table_is_shown_with_its_rows() -> None:
    text = "各泵参数见下表。\n\n| 泵 | 流量 |\n|---|---|\n| A | 5 t/h |"
    assert shown(text, "各泵参数见下表。") == ["各泵参数见下表。", "| A | 5 t/h |"]


def test_a_part_of_an_item_is_shown_as_the_item() -> None:
    assert shown("- 压力 5 kPa，每班检查\n- 温度", "每班检查") == ["- 压力 5 kPa，每班检查"]


def test_a_condition_beyond_a_semicolon_stays_with_its_sentence() -> None:
    text = "延误每人补偿三百元；不适用于延误少于 6 小时。另行通知。"
    assert shown(text, "延误每人补偿三百元；") == ["延误每人补偿三百元；不适用于延误少于 6 小时。"]


def test_a_part_without_a_condition_stands_alone() -> None:
    text = "甲泵流量 5 吨；乙泵流量 6 吨。"
    assert shown(text, "甲泵流量 5 吨；") == ["甲泵流量 5 吨；"]


def test_an_exception_in_the_next_sentence_stays_with_what_it_limits() -> None:
    text = "延误每人补偿三百元。但延误少于 6 小时的不补偿。另行通知。"
    assert shown(text, "延误每人补偿三百元") == ["延误每人补偿三百元。但延误少于 6 小时的不补偿。"]
    text = "年假为 15 天。本条不适用于试用期员工。另行通知。"
    assert shown(text, "年假为 15 天。") == ["年假为 15 天。本条不适用于试用期员工。"]
    text = "Taxis are reimbursed. This does not apply to trips below 2.5 km. Keep the receipt."
    whole = "Taxis are reimbursed. This does not apply to trips below 2.5 km."
    assert shown(text, "Taxis are reimbursed.") == [whole]


def test_an_ordinary_next_sentence_stays_out() -> None:
    text = "年假为 15 天。病假另行规定。"
    assert shown(text, "年假为 15 天。") == ["年假为 15 天。"]
    text = "年假为 15 天。\n但病假另行规定。"
    assert shown(text, "年假为 15 天。") == ["年假为 15 天。"]
    text = "The fee is 5 EUR. Buttons are sold apart. Only cash is taken."
    assert shown(text, "The fee is 5 EUR.") == ["The fee is 5 EUR."]
