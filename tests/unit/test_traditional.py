"""Questions and passages in traditional characters are read as those in simplified ones."""

import pytest

from graphs.evidence.asks import answers_field, attribute, pair, requested_fields, strip_cues
from graphs.evidence.facets import parse
from graphs.evidence.numbers import claims
from graphs.evidence.script import simplified

QUESTIONS = [
    "凝汽器真空過低時應該檢查哪些設備？",
    "循環水旋轉濾網壓差升高的原因是什麼？",
    "出差住宿費報銷標準是多少？",
    "QX-2025-094 是誰處理的？",
    "備用真空泵多久試轉一次？",
    "給水泵的額定轉速和額定揚程各是多少？",
    "請說明處理步驟。",
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_traditional_question_asks_for_the_same(question: str) -> None:
    same = simplified(question)
    assert same != question
    assert requested_fields(question) == requested_fields(same)
    assert strip_cues(question) == strip_cues(same)
    assert attribute(question) == attribute(same)
    assert pair(question) == pair(same)
    asked, expected = parse(question), parse(same)
    assert [(f["kind"], f["field"], f["terms"]) for f in asked.facets] == [
        (f["kind"], f["field"], f["terms"]) for f in expected.facets
    ]
    assert [sub["text"] for sub in asked.sub_questions] != [
        sub["text"] for sub in expected.sub_questions
    ]


@pytest.mark.parametrize(
    ("field", "sentence"),
    [
        ("cause", "因為濾網堵塞，導致壓差升高。"),
        ("person", "由值長負責。"),
        ("frequency", "每個月試轉一次。"),
        ("amount", "每晚不超過五百元。"),
        ("procedure", "先啟動備用泵，再停運行泵。"),
    ],
)
def test_traditional_sentence_answers_the_same_field(field: str, sentence: str) -> None:
    assert answers_field(field, sentence, "") == answers_field(field, simplified(sentence), "")
    assert answers_field(field, sentence, "")


@pytest.mark.parametrize(
    "text",
    ["三萬五千元", "兩億元", "攝氏度 35 攝氏度", "二〇二五年六月十二日", "百分之二十", "5 個小時"],
)
def test_traditional_numerals_and_units_give_the_same_values(text: str) -> None:
    read = [(c.kind, c.value, c.unit, c.start, c.end) for c in claims(text)]
    assert read
    assert read == [(c.kind, c.value, c.unit, c.start, c.end) for c in claims(simplified(text))]
