from app.ingest.phrases import key_phrases


def test_chinese_phrases_are_runs_of_nouns() -> None:
    found = key_phrases(["3.1 旋转滤网压差升高"], "循环水系统的旋转滤网压差升高，排汽温度上升。")
    assert {"循环水", "循环水系统", "滤网", "压差", "排汽温度"} <= set(found)
    assert "汽温度" not in found
    assert found["旋转滤网压差升高"]
    assert not found["循环水系统"]


def test_english_phrases_have_no_stop_words_at_the_border() -> None:
    found = key_phrases(["Hotel costs"], "The cost of accommodation is reimbursed up to EUR 40.")
    assert {"hotel costs", "cost of accommodation", "accommodation", "reimbursed"} <= set(found)
    assert not {"the cost", "eur", "up", "of"} & set(found)


def test_codes_are_phrases_once() -> None:
    found = key_phrases([], "缺陷 QX-2025-094 已处理。")
    assert "QX-2025-094" in found
    assert "qx-2025-094" not in found


def test_lengths_are_bounded() -> None:
    found = key_phrases([], "凝汽器真空系统严密性试验记录表汇总管理规定" * 5)
    assert all(2 <= len(phrase) <= 12 for phrase in found)
